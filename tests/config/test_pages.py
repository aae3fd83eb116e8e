"""The reference pages are made from the code, and the ones on disk are the latest."""

import importlib.util
import json
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import yaml

from consensus.config.load import BUNDLED

ROOT = Path(__file__).resolve().parents[2]
jsonschema = pytest.importorskip("jsonschema", reason="jsonschema is not installed")


@pytest.fixture(name="generate", scope="module")
def _generate() -> ModuleType:
    spec = importlib.util.spec_from_file_location("generate", ROOT / "docs" / "generate.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def accepted(generate: ModuleType, content: Any) -> bool:
    schema = json.loads(generate.policy_schema_page())
    return bool(jsonschema.Draft202012Validator(schema).is_valid(content))


def test_the_pages_on_disk_are_the_latest(generate: ModuleType) -> None:
    assert generate.main(["--check"]) == 0


def test_stale_pages_are_named_and_written(
    generate: ModuleType,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(generate, "ROOT", tmp_path)
    (tmp_path / "docs").mkdir()
    assert generate.main(["--check"]) == 1
    assert "docs/policy.schema.json, docs/policy.md" in capsys.readouterr().out
    assert generate.main([]) == 0
    assert generate.main(["--check"]) == 0
    (tmp_path / "docs/policy.md").write_text("old")
    assert generate.main(["--check"]) == 1


def test_the_schema_is_a_schema_and_takes_the_bundled_policy(generate: ModuleType) -> None:
    jsonschema.Draft202012Validator.check_schema(json.loads(generate.policy_schema_page()))
    assert accepted(generate, yaml.safe_load(BUNDLED.read_text("utf-8")))


@pytest.mark.parametrize("name", ["misspelt_key", "weight_is_negative", "bad_policy_name"])
def test_the_schema_refuses_faulty_files(generate: ModuleType, name: str) -> None:
    file = Path(__file__).with_name("faults") / f"{name}.yaml"
    assert not accepted(generate, yaml.safe_load(file.read_text("utf-8")))


def test_the_reference_has_a_row_for_every_key(generate: ModuleType) -> None:
    page = generate.policy_page()
    for section in json.loads(generate.policy_schema_page())["$defs"].values():
        for key in section["properties"]:
            assert f"\n| `{key}` | " in page
