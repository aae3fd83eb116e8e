"""`consensus judge`: the exit code is the verdict; the decision is printed as a table or JSON."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from google.protobuf import json_format

from consensus.cli import judge
from consensus.cli.demo import served
from consensus.v1 import decision_pb2
from tests.cli.running import FIRST, SECOND, run, write
from tests.traces.building import SAMPLE
from tests.wire.otlp_documents import json_bytes

UNSURE = {
    "task": "Describe the tower.",
    "candidate": "The tower opens at nine.",
    "rubric": {"criteria": [{"id": "C1", "text": "The tower opens at nine"}]},
}


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with served() as address:
        yield address


@pytest.fixture(params=["here", "at a server"])
def where(request: pytest.FixtureRequest) -> list[str]:
    return [] if request.param == "here" else ["--target", request.getfixturevalue("server")]


def test_the_exit_code_is_the_verdict(where: list[str], tmp_path: Path) -> None:
    unsure = write(tmp_path / "unsure.json", UNSURE)
    runs = [run("judge", file, *where) for file in (SECOND, FIRST, unsure)]
    assert [ran.code for ran in runs] == [0, 1, 2]
    for ran, verdict in zip(runs, ("ACCEPT", "RETRY", "ESCALATE"), strict=True):
        assert verdict in ran.out.splitlines()[1]
        assert ran.err == ""


def test_json_reads_back_into_a_decision(where: list[str]) -> None:
    ran = run("judge", FIRST, "--json", *where)
    decision = json_format.Parse(ran.out, decision_pb2.Decision())
    assert ran.code == 1
    assert decision.verdict == decision_pb2.VERDICT_RETRY
    assert decision.policy == "default"
    assert [seat.judge for seat in decision.stages[0].consensus.individual_results] == [
        "checks",
        "coverage",
        "conduct",
    ]
    assert "final_score" in json.loads(ran.out)["stages"][0]["consensus"]


def test_the_decision_by_kind_of_validator_is_told_where_it_is_asked_for(where: list[str]) -> None:
    asked = run("judge", FIRST, "--json", "--validation-results", *where)
    assert "consensus" in json.loads(asked.out)["validation_results"]
    assert "validation_results" not in json.loads(run("judge", FIRST, "--json", *where).out)


def test_a_dash_reads_standard_input(where: list[str]) -> None:
    assert run("judge", "-", *where, stdin=SECOND.read_text("utf-8")).code == 0


def test_a_whole_request_is_read_as_well_as_a_submission(where: list[str], tmp_path: Path) -> None:
    request = {
        "submission": json.loads(FIRST.read_text("utf-8")),
        "overrides": {"min_score": 0.5, "strategy": "STRATEGY_MEDIAN"},
    }
    ran = run("judge", write(tmp_path / "request.json", request), "--json", *where)
    consensus = json.loads(ran.out)["stages"][0]["consensus"]
    assert consensus["strategy"] == "STRATEGY_MEDIAN"


def test_the_table_shows_seats_criteria_quotes_dissent_reasons_and_feedback() -> None:
    out = run("judge", FIRST).out
    seats = [line for line in out.splitlines() if line.startswith(("checks ", "conduct "))]
    assert "scored   ━━━━━╌╌╌ 0.67   ━━━━━━╌╌ 0.75" in seats[0]
    assert seats[0].rstrip().endswith("ms")
    assert "weighted_average: score 0.671  confidence 0.816" in out
    assert "checks    2 of 3 checked criteria hold (1 carry no check)." in out
    assert "dissent conduct (0.85): flips if conduct scores >= 0.97" in out
    assert [line.split()[:2] for line in out.splitlines() if line[:1] in ("✓", "✗", "?")] == [
        ["✓", "C1"],
        ["✗", "C2"],
        ["✓", "C3"],
        ["?", "C4"],
    ]
    assert "“Belém”" in out
    assert "• SCORE_BELOW_MIN Stage 'embedded': score 0.671 < 0.7." in out
    assert "• CRITERION_NOT_MET Stage 'embedded': required C2 is UNMET." in out
    assert "feedback for the worker" in out
    assert max(len(line) for line in out.splitlines()) <= 80


def test_an_accepted_candidate_is_shown_without_feedback() -> None:
    assert "feedback" not in run("judge", SECOND).out


def test_a_policy_that_fails_without_any_judge_is_a_failure(tmp_path: Path) -> None:
    panel = {"seats": [{"judge": "away"}]}
    stage = {"name": "bench", "panel": panel, "on_no_quorum": "fail"}
    judges = {"away": {"kind": "remote", "target": "unix:/no/such/socket"}}
    policies = {"version": 1, "judges": judges, "policies": {"default": {"stages": [stage]}}}
    ran = run("judge", FIRST, "--policy-file", write(tmp_path / "policy.yaml", policies))
    words = "Error: ALL_JUDGES_UNAVAILABLE: no judge of stage 'bench' answered: away (error)\n"
    assert (ran.code, ran.out, ran.err) == (4, "", words)


def test_an_interrupt_has_an_exit_code_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(file: Path) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(judge, "read_request", interrupted)
    ran = run("judge", FIRST)
    assert (ran.code, ran.err.strip()) == (130, "Interrupted.")


def test_progress_is_drawn_on_a_terminal_alone(where: list[str]) -> None:
    drawn = run("judge", FIRST, *where, terminal=True).err
    assert "embedded / checks: 0.67" in drawn
    assert "refining" in drawn  # where the worker's execution stands now
    assert run("judge", FIRST, *where).err == ""


def test_another_policy_is_judged_by_when_it_is_named(tmp_path: Path) -> None:
    checks = {"stages": [{"name": "cheap", "checks": [{"contains": "Belém"}]}]}
    strict = {"stages": [{"name": "cheap", "checks": [{"contains": "[/x]"}, {"contains": "a"}]}]}
    policies = {"version": 1, "policies": {"default": checks, "strict": strict}}
    file = write(tmp_path / "policy.yaml", policies)
    assert run("judge", FIRST, "--policy-file", file).code == 0
    ran = run("judge", FIRST, "--policy-file", file, "--policy", "strict")
    assert ran.code == 1
    assert "stage cheap: FAIL" in ran.out
    marks = [line[0] for line in ran.out.splitlines() if "contains" in line and line[0] in "✓✗"]
    assert marks == ["✗", "✓"]
    assert 'contains "[/x]"' in ran.out


def test_a_submission_may_hold_a_trace_as_json(where: list[str], tmp_path: Path) -> None:
    trace = json_bytes(SAMPLE).decode()
    sound = {**UNSURE, "trace": {"otlpJson": trace}}
    assert run("judge", write(tmp_path / "traced.json", sound), *where).code == 2
    broken = {**UNSURE, "trace": {"otlpJson": trace.replace("C2D3E4F5", "x", 1)}}
    ran = run("judge", write(tmp_path / "broken.json", broken), *where)
    assert ran.code == 3
    assert "submission.trace.otlp_json" in ran.err
