"""The wheel in fresh environments: alone with the oldest libraries, and beside the server."""

import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest
from consensus_client.testing import FakeConsensus

ALONE = """
import asyncio, importlib.util, consensus
from consensus_client import AsyncConsensusClient, ConsensusError, submission
from consensus_client.testing import FakeConsensus, accept, error
from grpc import StatusCode

assert consensus.__file__ is None, "a namespace package"
assert importlib.util.find_spec("google.rpc") is None, "optional"

async def main() -> None:
    async with FakeConsensus(accept(0.5), error(StatusCode.INVALID_ARGUMENT, "WRONG")) as fake:
        async with AsyncConsensusClient(fake.target) as client:
            assert (await client.judge(submission("Task", "Answer"))).effective_score == 0.5
            try:
                await client.judge(submission("Task", "Answer"))
            except ConsensusError as caught:
                assert (caught.reason, caught.violations) == ("WRONG", ())

asyncio.run(main())
"""
BESIDE = """
import sys, consensus, consensus.domain.ids, consensus_client
from consensus.v1 import consensus_pb2

assert consensus.__file__.startswith(sys.prefix)
assert consensus.__version__ == consensus_client.__version__
assert consensus_client.JudgeRequest is consensus_pb2.JudgeRequest
"""


class Environment:
    """A virtual environment with nothing in it."""

    def __init__(self, folder: Path) -> None:
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
        self.python = folder / "bin" / "python"

    def install(self, *packages: str | Path) -> None:
        """Install with the pip that runs the tests. Raises CalledProcessError."""
        pip = [sys.executable, "-m", "pip", "--python", self.python, "install", "-q"]
        subprocess.run([*pip, *packages], check=True, capture_output=True, text=True)

    def run(self, *words: str | Path, cwd: Path | None = None) -> str:
        """Run Python, isolated from this process's paths."""
        command = [self.python, "-I", "-W", "error", *words]
        done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout


@pytest.fixture(scope="module")
def builder(tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """An environment that can build; skips where there is nowhere to install from."""
    environment = Environment(tmp_path_factory.mktemp("builder") / "venv")
    try:
        environment.install("hatchling>=1.27")
    except subprocess.CalledProcessError as error:
        pytest.skip(f"pip cannot install: {error.stderr.strip().splitlines()[-1]}")
    return environment


@pytest.fixture(scope="module")
def built(builder: Environment, project: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the wheel and the source distribution."""
    folder = tmp_path_factory.mktemp("dist")
    builder.run("-m", "hatchling", "build", "-d", folder, cwd=project)
    return folder


def wheel_in(folder: Path, name: str) -> Path:
    """Return the folder's wheel of this name."""
    [wheel] = folder.glob(f"{name}-*.whl")
    return wheel


def test_the_wheel_holds_the_client_and_the_stubs_and_no_consensus_package(built: Path) -> None:
    names = zipfile.ZipFile(wheel_in(built, "consensus_client")).namelist()
    assert {name.split("/")[0] for name in names if ".dist-info" not in name} == {
        "consensus",
        "consensus_client",
    }
    assert "consensus/__init__.py" not in names
    for needed in (
        "consensus/v1/consensus_pb2.pyi",
        "consensus/v1/py.typed",
        "consensus_client/py.typed",
        "consensus_client/testing/fake_judge.py",
    ):
        assert needed in names


def test_the_source_distribution_builds_the_same_wheel(
    built: Path, builder: Environment, tmp_path: Path
) -> None:
    [archive] = built.glob("*.tar.gz")
    with tarfile.open(archive) as sources:
        sources.extractall(tmp_path, filter="data")
    [root] = tmp_path.iterdir()
    builder.run("-m", "hatchling", "build", "-t", "wheel", "-d", tmp_path, cwd=root)
    ours, theirs = wheel_in(tmp_path, "consensus_client"), wheel_in(built, "consensus_client")
    assert zipfile.ZipFile(ours).namelist() == zipfile.ZipFile(theirs).namelist()


def test_alone_with_the_oldest_libraries_it_asks_and_is_answered(
    built: Path, project: Path, examples: list[str], tmp_path: Path
) -> None:
    wanted = tomllib.loads((project / "pyproject.toml").read_text())["project"]["dependencies"]
    oldest = [words.split(",")[0].replace(">=", "==") for words in wanted]
    environment = Environment(tmp_path / "venv")
    environment.install(wheel_in(built, "consensus_client"), *oldest)
    environment.run("-c", ALONE)
    with FakeConsensus() as fake:
        for example in examples:
            environment.run("-c", example.replace("dns:///consensus:50051", fake.target))
        assert {call.method for call in fake.calls} == {"Judge", "StreamJudge", "BatchJudge"}


def test_beside_the_server_both_share_one_set_of_stubs(
    built: Path, builder: Environment, project: Path, examples: list[str], tmp_path: Path
) -> None:
    repository = project.parents[1]
    if not (repository / "consensus" / "app.py").exists():
        pytest.skip("the server's sources are not around")
    builder.run("-m", "hatchling", "build", "-t", "wheel", "-d", tmp_path, cwd=repository)
    environment = Environment(tmp_path / "venv")
    environment.install(wheel_in(built, "consensus_client"))  # with the newest libraries
    environment.install("--no-deps", wheel_in(tmp_path, "consensus_service"))
    environment.run("-c", BESIDE)
    environment.run("-c", examples[-1])
