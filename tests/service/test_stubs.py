"""What the server stands on: stubs that the oldest allowed runtimes take, and no risky packages."""

import re
import tomllib
from pathlib import Path

import pytest

import consensus

ROOT = Path(consensus.__file__).parents[1]
STUBS = ROOT / "consensus" / "v1"
RISKY = {"litellm", "httpx", "httpcore", "openai", "anthropic", "py-grpc-prometheus"}
"""operations.md, section 1: broken under cancellation, trojanised once, or stale."""


def floors() -> dict[str, tuple[int, ...]]:
    """Return the lowest version that pyproject.toml allows of each dependency."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    found = {}
    for requirement in project["dependencies"]:
        match = re.match(r"([A-Za-z0-9._-]+)\s*>=\s*([0-9.]+)", requirement)
        assert match, f"{requirement} has no floor"
        found[match[1].lower()] = version(match[2])
    return found


def version(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in text.split("."))


@pytest.mark.parametrize("stub", sorted(STUBS.glob("*_pb2.py")), ids=lambda path: path.name)
def test_messages_were_generated_for_the_oldest_protobuf_allowed_or_older(stub: Path) -> None:
    match = re.search(
        r"^# Protobuf Python Version: ([0-9.]+)$", stub.read_text("utf-8"), re.MULTILINE
    )
    assert match
    assert version(match[1]) <= (*floors()["protobuf"], 99)
    assert version(match[1])[0] == floors()["protobuf"][0]


@pytest.mark.parametrize("stub", sorted(STUBS.glob("*_pb2_grpc.py")), ids=lambda path: path.name)
def test_services_were_generated_for_the_oldest_grpc_allowed_or_older(stub: Path) -> None:
    match = re.search(
        r"^GRPC_GENERATED_VERSION = '([0-9.]+)'$", stub.read_text("utf-8"), re.MULTILINE
    )
    assert match
    assert version(match[1]) <= (*floors()["grpcio"], 0)


def test_no_dependency_is_one_that_breaks_under_cancellation_or_was_trojanised() -> None:
    assert not RISKY & set(floors())
    imports = re.compile(r"^\s*(?:import|from)\s+([a-z_]+)", re.MULTILINE)
    sources = (ROOT / "consensus").rglob("*.py")
    imported = {name for path in sources for name in imports.findall(path.read_text("utf-8"))}
    assert "grpc" in imported
    assert not {name.replace("-", "_") for name in RISKY} & imported
