"""The pages of systems: every test that they name is there."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted((ROOT / "docs" / "systems").glob("*.md"))
DEFINED = re.compile(r"^(?:async )?def (test_\w+)\(", re.MULTILINE)
NAMED = re.compile(r"`(test_\w+)`")
TESTS = {
    name
    for folder in ("tests", "clients/python/tests")
    for file in (ROOT / folder).rglob("test_*.py")
    for name in DEFINED.findall(file.read_text("utf-8"))
}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_names_only_tests_that_are_there(page: Path) -> None:
    assert [name for name in NAMED.findall(page.read_text("utf-8")) if name not in TESTS] == []
