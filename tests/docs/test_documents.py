"""The documents: every example is run, every link leads somewhere."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from consensus.cli.demo import served
from consensus.config.load import parse_policies
from consensus.domain.policy import StrategyName
from consensus.validators import check_faults

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = sorted([ROOT / "README.md", *(ROOT / "docs").rglob("*.md")])
PAGES = [*DOCUMENTS, ROOT / "examples/README.md", ROOT / "clients/python/README.md"]
DEFAULT_ADDRESS = "127.0.0.1:50051"
FENCE = re.compile(r"^```(\w+)\n(.*?)^```", re.DOTALL | re.MULTILINE)
LINK = re.compile(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)")

ANCHOR = re.compile(r"\]\(([^)#:\s]*)#([^)]*)\)")


def name(file: Path) -> str:
    return str(file.relative_to(ROOT))


def blocks(language: str) -> list[tuple[str, str]]:
    return [
        (name(file), block)
        for file in DOCUMENTS
        for tag, block in FENCE.findall(file.read_text("utf-8"))
        if tag == language
    ]


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with served() as where:
        yield where


def commands() -> list[str]:
    lines = [
        line.split("  #")[0].strip() for _, block in blocks("sh") for line in block.split("\n")
    ]
    serving = ("consensus serve", "consensus demo")
    return [line for line in lines if line.startswith("consensus ") and line not in serving]


def test_there_are_examples_to_run() -> None:
    assert blocks("python")
    assert blocks("yaml")
    assert len(commands()) >= 4


@pytest.mark.parametrize("line", commands())
def test_a_command_of_the_documents_runs(line: str, address: str) -> None:
    line = line.replace(DEFAULT_ADDRESS, address)
    if line == "consensus health":
        line += f" --target {address}"
    environment = os.environ | {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    done = subprocess.run(
        ["/bin/sh", "-c", line], cwd=ROOT, env=environment, capture_output=True, text=True
    )
    assert done.returncode in (0, 1, 2), done.stderr
    assert done.stdout


@pytest.mark.parametrize(("document", "block"), blocks("python"))
def test_a_python_example_of_the_documents_runs(document: str, block: str, address: str) -> None:
    pytest.importorskip("consensus_client", reason="the client is not installed")
    code = block.replace(DEFAULT_ADDRESS, address)
    exec(compile(code, document, "exec"), {"__name__": "example"})


@pytest.mark.parametrize(("document", "block"), blocks("yaml"))
def test_a_policy_example_of_the_documents_is_sound(document: str, block: str) -> None:
    assert parse_policies(block, ROOT / document, check_faults).policies


@pytest.mark.parametrize("file", PAGES, ids=name)
def test_every_link_leads_somewhere(file: Path) -> None:
    missing = [
        link for link in LINK.findall(file.read_text("utf-8")) if not (file.parent / link).exists()
    ]
    assert not missing


@pytest.mark.parametrize("file", PAGES, ids=name)
def test_every_anchor_is_a_heading(file: Path) -> None:
    for link, anchor in ANCHOR.findall(file.read_text("utf-8")):
        page = (file.parent / link) if link else file
        headings = re.findall(r"^#+ (.*)$", page.read_text("utf-8"), re.MULTILINE)
        known = {re.sub(r"[^\w\- ]", "", h.lower()).strip().replace(" ", "-") for h in headings}
        assert anchor in known, f"{link}#{anchor}"


def test_the_page_of_traces_shows_what_its_command_prints() -> None:
    command = [sys.executable, "-m", "consensus", "trace", "examples/traces/refused.json"]
    printed = subprocess.run(command, cwd=ROOT, capture_output=True, check=True).stdout
    page = (ROOT / "docs/traces.md").read_text("utf-8")
    assert f"```text\n{printed.decode()}```" in page


def test_the_tool_call_of_the_readme_is_allowed() -> None:
    line = next(line for line in commands() if line.startswith("consensus judge-tool"))
    done = subprocess.run([sys.executable, "-m", *line.split()], cwd=ROOT, capture_output=True)
    assert done.returncode == 0, done.stdout


def test_the_readme_stays_short() -> None:
    assert len((ROOT / "README.md").read_text("utf-8").splitlines()) <= 120


def test_every_strategy_is_documented() -> None:
    page = (ROOT / "docs/strategies.md").read_text("utf-8")
    assert all(f"`{strategy.value}`" in page for strategy in StrategyName)


def test_no_document_names_a_machine_or_a_registry() -> None:
    forbidden = re.compile(r"/(?:home|root|tmp|work)/|pyp[i]\.|regist[r]y\.|python[h]osted")
    named = [name(f) for f in DOCUMENTS if forbidden.search(f.read_text("utf-8"))]
    assert not named
