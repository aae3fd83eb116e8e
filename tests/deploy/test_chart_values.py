"""values.yaml, its schema, the chart's metadata and the server's settings say the same."""

import json
import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

from msgspec.structs import fields

import consensus
from consensus.app import read_policies
from consensus.cli.serve import command
from consensus.config import Settings
from consensus.config.load import load_policies
from consensus.validators import check_faults
from tests.deploy.chart import CHART, needs_helm, read_values, render

VALUES = read_values(CHART / "values.yaml")
SCHEMA = json.loads((CHART / "values.schema.json").read_text("utf-8"))
FREE = ("resources.requests", "resources.limits")
"""Sections whose keys are the user's."""
OWN = {"listen", "metrics", "expose", "policy_file", "reflection"}
"""Settings that the chart decides on grounds of its own."""


def described(schema: dict[str, Any], path: str = "") -> Iterator[str]:
    """Yield the path of every key that the schema knows; each must have a description."""
    for key, node in schema.get("properties", {}).items():
        assert node.get("description"), f"{path}{key} has no description"
        yield f"{path}{key}"
        yield from described(node, f"{path}{key}.")


def written(values: dict[str, Any], path: str = "") -> Iterator[str]:
    """Yield the path of every key of the values."""
    for key, value in values.items():
        yield f"{path}{key}"
        if isinstance(value, dict) and f"{path}{key}" not in FREE:
            yield from written(value, f"{path}{key}.")


def test_the_schema_describes_exactly_the_keys_of_the_values() -> None:
    beside = {"global", "imagePullSecrets.name"}
    assert set(described(SCHEMA)) - beside == set(written(dict(VALUES)))


def test_the_schema_refuses_other_keys_in_every_section() -> None:
    sections = [SCHEMA, *(n for n in SCHEMA["properties"].values() if "properties" in n)]
    assert all(section["additionalProperties"] is False for section in sections)
    assert SCHEMA["$schema"] == "http://json-schema.org/draft-07/schema#"


def test_every_key_of_the_values_has_a_comment() -> None:
    text = (CHART / "values.yaml").read_text("utf-8")
    text = re.sub(r"(  content: \|\n)(    .*\n)+", r"\1", text)
    lines = [line for line in text.splitlines() if line.strip()]
    for before, line in pairwise(lines):
        depth = len(line) - len(line.lstrip())
        if re.match(r"\s*\w+:", line) and depth <= 2:
            assert before.startswith(" " * depth + "#"), f"{line.strip()} has no comment"


def test_the_charts_app_version_is_the_services() -> None:
    assert read_values(CHART / "Chart.yaml")["appVersion"] == consensus.__version__


def test_the_default_policy_is_the_bundled_one(tmp_path: Path) -> None:
    file = tmp_path / "policies.yaml"
    file.write_text(VALUES["policy"]["content"], "utf-8")
    loaded = load_policies(file, check_faults)
    bundled = read_policies(None)
    assert loaded.default == bundled.default
    revisions = {name: policy.revision for name, policy in loaded.policies.items()}
    assert revisions == {name: policy.revision for name, policy in bundled.policies.items()}


@needs_helm
def test_the_deployment_sets_every_setting_of_the_server_and_no_other() -> None:
    names = {name.removeprefix("CONSENSUS_SERVE_").lower() for name in render().environment}
    assert names == {field.name for field in fields(Settings)}
    assert names == {option.name for option in command.params if option.name != "help"}


@needs_helm
def test_defaults_are_the_servers_own() -> None:
    environment = render().environment
    for field in fields(Settings):
        if field.name not in OWN:
            default = getattr(Settings(), field.name)
            value = environment[f"CONSENSUS_SERVE_{field.name.upper()}"]
            if isinstance(default, bool):
                assert value == str(default).lower(), field.name
            else:
                assert type(default)(value) == default, field.name
    # the server's own default depends on where it listens
    assert environment["CONSENSUS_SERVE_REFLECTION"] == "false"
