"""The pages of systems: every test that they name is there, and every page can be found."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
INDEX = ROOT / "docs/systems/README.md"
PAGES = sorted(set(INDEX.parent.glob("*.md")) - {INDEX})
FOLDERS = (ROOT / "tests", ROOT / "clients/python/tests")
NAMED = re.compile(r"`(test_\w+)`")
DEFINED = re.compile(r"^(?:async )?def (test_\w+)\(", re.MULTILINE)


@pytest.fixture(scope="module")
def defined() -> set[str]:
    """Return the names of all test functions."""
    files = [file for folder in FOLDERS for file in folder.rglob("test_*.py")]
    return {name for file in files for name in DEFINED.findall(file.read_text("utf-8"))}


def test_there_are_pages() -> None:
    assert PAGES


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_test_that_a_page_names_exists(page: Path, defined: set[str]) -> None:
    named = set(NAMED.findall(page.read_text("utf-8")))
    assert named
    assert sorted(named - defined) == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_row_of_a_page_names_a_test_or_says_why_not(page: Path) -> None:
    rows = [line for line in page.read_text("utf-8").splitlines() if line.startswith("| ")]
    silent = [
        row
        for row in rows
        if row.endswith("| |") and not re.search(r"not reproduced|left to|caller", row)
    ]
    assert silent == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_page_is_linked_from_the_index(page: Path) -> None:
    assert f"({page.name})" in INDEX.read_text("utf-8")
    assert "(docs/systems/README.md)" in (ROOT / "README.md").read_text("utf-8")
