"""The public surface: names, the tree of errors, types, and the stubs' identity."""

import importlib.util
import inspect
import pickle
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import consensus_client
import consensus_client.loop
import consensus_client.testing
import grpc
import pytest
from consensus_client import ConsensusError, InvalidRequestError, Violation, errors

import consensus


@pytest.mark.parametrize(
    "module", [consensus_client, consensus_client.loop, consensus_client.testing]
)
def test_everything_public_is_listed(module: ModuleType) -> None:
    public = {
        name
        for name, item in vars(module).items()
        if not name.startswith("_") and not isinstance(item, ModuleType)
    }
    assert set(module.__all__) == public
    assert len(module.__all__) == len(public)


def test_both_flavours_have_the_same_methods() -> None:
    blocking = _methods(consensus_client.ConsensusClient)
    assert blocking == _methods(consensus_client.AsyncConsensusClient)
    assert "judge" in blocking


def test_both_flavours_of_the_loop_take_the_same_arguments() -> None:
    blocking = _methods(consensus_client.loop.JudgeLoop)
    assert blocking == _methods(consensus_client.loop.AsyncJudgeLoop)
    assert "run" in blocking


def _methods(client: type) -> dict[str, list[str]]:
    return {
        name: list(inspect.signature(method).parameters)
        for name, method in inspect.getmembers(client, inspect.isfunction)
        if not name.startswith("_") or name == "__init__"
    }


def test_the_tree_of_errors_is_the_one_that_is_drawn() -> None:
    lines = re.findall(r"^(?:[|`]-- )?(\w+Error) +(.*)$", errors.__doc__ or "", re.MULTILINE)
    drawn = dict(lines)
    real = {
        name
        for name, item in vars(errors).items()
        if inspect.isclass(item) and issubclass(item, ConsensusError)
    }
    assert set(drawn) == real
    assert real <= set(consensus_client.__all__)
    for code, kind in errors.CLASSES.items():
        assert code.name in drawn[kind.__name__]


def test_errors_travel_between_processes() -> None:
    sent = InvalidRequestError(
        grpc.StatusCode.INVALID_ARGUMENT, "INVALID_REQUEST", "no task", [Violation("task", "no")]
    )
    got = pickle.loads(pickle.dumps(sent))  # noqa: S301 - our own bytes
    assert type(got) is InvalidRequestError
    assert (got.code, got.reason, got.message) == (sent.code, sent.reason, sent.message)
    assert got.violations == sent.violations
    assert isinstance(got, ConsensusError)


def test_the_stubs_are_the_server_s_byte_for_byte(project: Path) -> None:
    theirs = project.parents[1] / "consensus" / "v1"
    if not theirs.is_dir():
        pytest.skip("the server's repository is not around")
    ours = project / "src" / "consensus" / "v1"
    names = {file.name for file in theirs.glob("*.py*")}
    assert {file.name for file in ours.glob("*.py*")} == names
    for name in names:
        assert (ours / name).read_bytes() == (theirs / name).read_bytes(), f"make proto: {name}"


def test_the_server_s_package_wins_where_it_is_installed(project: Path) -> None:
    assert not (project / "src" / "consensus" / "__init__.py").exists()
    if importlib.util.find_spec("consensus.app") is None:
        pytest.skip("the server, consensus-service, is not installed")
    assert consensus.__version__


def test_the_package_and_the_readme_s_examples_have_types(
    project: Path, examples: list[str], tmp_path: Path
) -> None:
    if importlib.util.find_spec("mypy") is None:
        pytest.skip("mypy is not installed")
    if not (project.parents[1] / "pyproject.toml").exists():
        pytest.skip("the repository, whose rules for types these are, is not around")
    files = [tmp_path / f"example_{index}.py" for index in range(len(examples))]
    for file, example in zip(files, examples, strict=True):
        file.write_text(example)
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path / "cache")]
    command += [str(project / "src" / "consensus_client"), *map(str, files)]
    done = subprocess.run(
        command, cwd=project.parents[1], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
