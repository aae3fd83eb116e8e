"""`python -m examples.settlement` on a recording small enough to know the figures by heart."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from examples.replay.panels import STRATEGIES
from examples.settlement import __main__ as command
from examples.settlement.comparison import Comparison
from tests.examples.folder import readme_table
from tests.examples.records import alike, rows, write


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Return a recording of three prompts."""
    named = (f"{group}:1" for group in ("Focus", "Math", "Safety"))
    records = [row for name in named for row in rows(name, 0, alike([9], [8], [3], [1]))]
    return write(tmp_path / "data.gz", records)


def settled(file: Path, *arguments: str) -> Result:
    return CliRunner().invoke(command.main, ["--data", str(file), *arguments])


def test_the_table_shows_every_strategy_and_that_no_verdict_differs(file: Path) -> None:
    result = settled(file)
    assert result.exit_code == 0, result.output
    for words in ("(12 responses)", *STRATEGIES, "72 pairs", "0 with different verdicts"):
        assert words in result.output


def test_the_figures_come_as_json_and_a_limit_takes_so_many_prompts(file: Path) -> None:
    result = settled(file, "--json", "--prompts", "2")
    found = {line["strategy"]: line for line in json.loads(result.stdout)}
    assert list(found) == list(STRATEGIES)
    assert {line["decisions"] for line in found.values()} == {8}
    # 9 and 8 reach 0.7, which is 7.3; three of five votes settle
    assert found["majority"]["accepted"] == 4
    assert found["majority"]["saved"] == pytest.approx(0.4)


def test_a_verdict_that_differs_is_a_failure(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    compare = command.compare

    def wrong(*arguments: object) -> Comparison:
        return replace(compare(*arguments), differing=1)  # type: ignore[arg-type]

    monkeypatch.setattr(command, "compare", wrong)
    result = settled(file)
    assert result.exit_code == command.EXIT_DIFFERS
    assert "6 with different verdicts" in result.output


def test_a_missing_recording_is_named_with_the_remedy(tmp_path: Path) -> None:
    result = settled(tmp_path / "none.gz")
    assert result.exit_code == 1
    assert "there is no recording at" in result.output


def test_the_readme_tells_of_every_strategy_and_of_no_difference() -> None:
    table = readme_table("Early settlement")[: len(STRATEGIES)]
    assert [row[0] for row in table] == list(STRATEGIES)
    assert {row[-1] for row in table} == {"0"}
