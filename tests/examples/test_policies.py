"""The example policies are sound and do what their comments say."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from consensus.cli import check, judge
from tests.examples.folder import ENDS, EXAMPLES, POLICIES, SUBMISSIONS, readme_table

TABLE = [(file, submission, verdict) for file, _, submission, verdict in readme_table("Policies")]


def judged(submission: Path, policies: Path) -> Result:
    arguments = [str(submission), "--policy-file", str(policies), "--json"]
    return CliRunner().invoke(judge.command, arguments)


def without_backends(policies: Path, folder: Path) -> Path:
    """Return a copy of a policy file whose remote judges nobody serves, without a name look-up.

    Models have no key there, as in the example itself, and are not called.
    """
    copy = folder / policies.name
    text = policies.read_text("utf-8").replace("../keys/", f"{EXAMPLES / 'keys'}/")
    text = text.replace("http://127.0.0.1:11434", "http://127.0.0.1:9")  # nobody serves `discard`
    copy.write_text(text.replace("dns:///judge-", f"unix:{folder}/"), "utf-8")
    return copy


def test_the_readme_lists_every_policy() -> None:
    assert sorted(file for file, _, _ in TABLE) == sorted(f.name for f in POLICIES.iterdir())


@pytest.mark.parametrize("file", sorted(POLICIES.iterdir()), ids=lambda file: file.stem)
def test_a_policy_is_sound(file: Path) -> None:
    result = CliRunner().invoke(check.command, [str(file)])
    assert result.exit_code == 0, result.output


@pytest.mark.parametrize(("file", "submission", "verdict"), TABLE)
def test_a_policy_gives_the_verdict_that_the_readme_promises(
    file: str, submission: str, verdict: str, tmp_path: Path
) -> None:
    policies = without_backends(POLICIES / file, tmp_path)
    result = judged(SUBMISSIONS / submission, policies)
    assert result.exit_code == ENDS[verdict], result.output


def test_a_plan_without_its_estimate_goes_back_before_any_judge_is_asked(tmp_path: Path) -> None:
    plan = json.loads((SUBMISSIONS / "travel_plan.json").read_text("utf-8"))
    del plan["outputs"]["cost_estimate"]
    incomplete = tmp_path / "incomplete.json"
    incomplete.write_text(json.dumps(plan), "utf-8")
    decision = json.loads(judged(incomplete, POLICIES / "checks_then_panel.yaml").output)
    assert decision["verdict"] == "VERDICT_RETRY"
    assert [stage["stage"] for stage in decision["stages"]] == ["outputs"]
    assert "cost_estimate" in decision["feedback"]


def test_the_keys_of_the_examples_are_empty() -> None:
    keys = list((EXAMPLES / "keys").iterdir())
    assert keys
    assert all(key.read_bytes() == b"" for key in keys)


def test_models_without_keys_fail_for_that_and_not_for_money() -> None:
    result = judged(SUBMISSIONS / "open_question.json", POLICIES / "llm_panel.yaml")
    seats = json.loads(result.output)["stages"][-1]["consensus"]["individual_results"]
    assert [seat["judge"] for seat in seats] == ["mini", "haiku", "sonnet", "nano"]
    assert [seat.get("shadow", False) for seat in seats] == [False, False, False, True]
    assert {seat["failure"]["reason"] for seat in seats} == {
        "api_key_file cannot be read, is empty or not one line of ASCII"
    }


def test_sql_that_writes_goes_to_a_person(tmp_path: Path) -> None:
    answer = json.loads((SUBMISSIONS / "sql_answer.json").read_text("utf-8"))
    answer["candidate"] = "```sql\nDELETE FROM customers;\n```"
    writing = tmp_path / "writing.json"
    writing.write_text(json.dumps(answer), "utf-8")
    decision = json.loads(judged(writing, POLICIES / "unanimous_gate.yaml").output)
    assert decision["verdict"] == "VERDICT_ESCALATE"
    assert [stage["stage"] for stage in decision["stages"]] == ["forbidden"]
