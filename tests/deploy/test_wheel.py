"""The wheel that the image installs: whole, and at work without any privilege to write."""

import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.deploy.image import ROOT, stages
from tests.deploy.serving import serving

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("hatchling") is None, reason="hatchling is not installed"
)
PIP = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet"]


def unprivileged() -> list[str]:
    """Return a prefix under which file modes count: root heeds none, unless it has no powers."""
    if os.getuid() != 0:
        return []
    setpriv = shutil.which("setpriv")
    if setpriv is None:
        pytest.skip("root ignores file modes, and setpriv is not installed")
    return [setpriv, "--bounding-set=-all", "--inh-caps=-all", "--no-new-privs"]


def tree(folder: Path) -> set[str]:
    return {str(file.relative_to(folder)) for file in folder.rglob("*")}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    # of a copy, as in the image: a working tree may hold things that the image has not
    source = folder / "source"
    for name in ("pyproject.toml", "README.md"):
        source.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, source)
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "consensus", source / "consensus", ignore=ignored)
    command = ["wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", str(folder)]
    subprocess.run([*PIP, *command, str(source)], check=True)
    (found,) = folder.glob("*.whl")
    return found


@pytest.fixture(scope="module")
def installed(wheel: Path) -> Iterator[Path]:
    """Install the wheel into a tree that nobody may write to."""
    folder = Path(tempfile.mkdtemp(prefix="consensus-tree-"))
    command = ["install", "--no-deps", "--no-index", "--compile", "--target", str(folder)]
    subprocess.run([*PIP, *command, str(wheel)], check=True)
    everything = [folder, *folder.rglob("*")]
    for file in everything:
        file.chmod(0o555 if file.is_dir() or file.parent.name == "bin" else 0o444)
    yield folder
    for file in everything:
        file.chmod(0o755)
    shutil.rmtree(folder)


def environment(installed: Path) -> dict[str, str]:
    """Return the image's variables, with the tree in place of /opt/consensus."""
    return {
        **stages()[-1].environment,
        "PATH": f"{installed / 'bin'}:/usr/bin:/bin",
        "PYTHONPATH": str(installed),
        "HOME": "/nonexistent",
    }


def run(installed: Path, *command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*unprivileged(), *command],
        env=environment(installed),
        cwd="/",
        capture_output=True,
        text=True,
    )


def test_the_wheel_holds_policy_drafts_types_and_stubs(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    assert names >= {
        "consensus/py.typed",
        "consensus/config/default_policy.yaml",
        "consensus/cli/demo_first_draft.json",
        "consensus/cli/demo_second_draft.json",
        "consensus/v1/consensus_pb2.py",
        "consensus/v1/consensus_pb2.pyi",
        "consensus/v1/consensus_pb2_grpc.py",
    }


def test_the_wheel_holds_the_package_alone(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        tops = {name.split("/")[0] for name in archive.namelist()}
        assert not [name for name in archive.namelist() if name.endswith(".pyc")]
    assert {top for top in tops if not top.endswith(".dist-info")} == {"consensus"}


def test_the_tree_cannot_be_written_to(installed: Path) -> None:
    """Or else the tests below would prove nothing."""
    script = "import pathlib, sys; pathlib.Path(sys.argv[1]).touch()"
    done = run(installed, sys.executable, "-c", script, str(installed / "consensus" / "new"))
    assert "PermissionError" in done.stderr


def test_the_code_under_test_is_the_installed_one(installed: Path) -> None:
    done = run(installed, sys.executable, "-c", "import consensus; print(consensus.__file__)")
    assert Path(done.stdout.strip()).is_relative_to(installed)


def test_the_installed_command_checks_the_bundled_policy(installed: Path) -> None:
    before = tree(installed)
    done = run(installed, str(installed / "bin" / "consensus"), "check")
    assert done.returncode == 0, done.stderr
    assert "is sound" in done.stdout
    assert tree(installed) == before


def test_the_installed_command_serves_judges_and_stops(installed: Path) -> None:
    before = tree(installed)
    final = stages()[-1]
    words = [str(installed / "bin" / "consensus"), *final.words("CMD")]
    with serving([*unprivileged(), *words], environment(installed)) as server:
        health = run(installed, words[0], "health", "--target", server.address)
        draft = installed / "consensus" / "cli" / "demo_second_draft.json"
        judged = run(installed, words[0], "judge", str(draft), "--target", server.address)
    assert health.returncode == 0, health.stderr
    assert judged.returncode == 0, judged.stderr
    assert server.exit_code == 0
    assert tree(installed) == before
