"""The example submissions get the verdicts that the README promises."""

import json

import pytest
from click.testing import CliRunner

from consensus.cli.judge import command
from tests.examples.folder import EXAMPLES, SUBMISSIONS, VERDICTS, readme_table

TABLE = [(file, verdict) for file, _, verdict in readme_table("Submissions")]


def test_the_readme_lists_every_submission() -> None:
    assert sorted(file for file, _ in TABLE) == sorted(f.name for f in SUBMISSIONS.iterdir())


def test_every_verdict_is_shown() -> None:
    assert {verdict for _, verdict in TABLE} == set(VERDICTS)


@pytest.mark.parametrize(("file", "verdict"), TABLE)
def test_a_submission_gets_the_verdict_that_the_readme_promises(file: str, verdict: str) -> None:
    result = CliRunner().invoke(command, [str(SUBMISSIONS / file), "--json"])
    assert result.exit_code == VERDICTS[verdict], result.output


def test_the_least_submission_of_the_readme_is_accepted() -> None:
    least = (EXAMPLES / "README.md").read_text("utf-8").split("```json\n")[1].split("```")[0]
    result = CliRunner().invoke(command, ["-", "--json"], input=least)
    assert result.exit_code == VERDICTS["ACCEPT"], result.output


def test_the_vague_plan_comes_back_with_every_gap() -> None:
    result = CliRunner().invoke(command, [str(SUBMISSIONS / "travel_plan_vague.json"), "--json"])
    feedback = json.loads(result.output)["feedback"]
    for gap in ("flights (required)", "hotels (required)", "cost (required)"):
        assert gap in feedback


def test_both_travel_plans_are_asked_for_the_same() -> None:
    good, vague = (
        json.loads((SUBMISSIONS / name).read_text("utf-8"))
        for name in ("travel_plan.json", "travel_plan_vague.json")
    )
    assert (good["task"], good["rubric"]) == (vague["task"], vague["rubric"])
