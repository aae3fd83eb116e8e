"""What is told at the end of a run: figures, plain text, JSON."""

import json
from types import SimpleNamespace
from typing import Any

from consensus_client import Decision, FindingStatus, criterion
from consensus_client.loop import (
    Attempt,
    Goal,
    GoalCriterion,
    LoopRules,
    LoopState,
    LoopStatus,
    Turn,
    begin,
    report_of,
)
from consensus_client.loop.course import Crew, course
from consensus_client.testing import FakeConsensus, accept, retry

RUBRIC = [
    criterion("C1", "Names the capital."),
    criterion("C2", "Names the river."),
    criterion("C3", "Names the king."),
]


def found(decision: Decision, cost_usd: float | None = None, **findings: int) -> Decision:
    """Add findings, with a quotation for what is met, and a price."""
    for key, status in findings.items():
        entry = decision.criteria.add(criterion_id=key, status=status)  # type: ignore[arg-type]
        if status == FindingStatus.MET:
            entry.evidence.add(quote=f"{key} it is")
    if cost_usd is not None:
        decision.usage.cost_usd = cost_usd
    return decision


def two_turns() -> FakeConsensus:
    met, unmet = FindingStatus.MET, FindingStatus.UNMET
    first = found(retry("Name the river.", 0.25), 0.01, C1=met, C2=unmet)
    return FakeConsensus(first, found(accept(0.9, 0.8), 0.02, C1=met, C2=met))


def write(attempt: Attempt) -> str:
    return "Paris" if attempt.number == 1 else "Paris, on the Seine"


def test_turns_carry_what_the_decisions_said(run: Any) -> None:
    with two_turns() as fake:
        report = run(fake, begin("Task", criteria=RUBRIC), write)
    first, second = report.turns
    assert (first.verdict, second.verdict) == ("RETRY", "ACCEPT")
    assert (first.score, second.score, second.confidence) == (0.25, 0.9, 0.8)
    assert (first.reasons, second.reasons) == (["SCORE_BELOW_MIN"], ["GATES_PASSED"])
    assert first.findings == {"C1": "MET", "C2": "UNMET"}
    assert second.evidence == {"C1": ["C1 it is"], "C2": ["C2 it is"]}
    assert first.decision_id != second.decision_id


def test_the_report_says_who_decided_and_what_it_cost(run: Any) -> None:
    with two_turns() as fake:
        report = run(fake, begin("Task", criteria=RUBRIC), write)
    assert (report.decided_by, report.deciders) == ("scripted", {"scripted": 2})
    assert (report.turns_to_completion, report.total_retries) == (2, 1)
    assert report.cost_usd == 0.03
    assert [each.id for each in report.top_unmet] == ["C2"]
    assert report.scorecard.not_evaluated == ("C3",)


def test_an_unknown_price_makes_the_sum_unknown(run: Any) -> None:
    with FakeConsensus(found(retry("More."), 0.01), accept()) as fake:
        report = run(fake, begin("Task"), write)
    assert report.cost_usd is None


def test_the_caller_s_own_goal_replaces_the_rubric(run: Any) -> None:
    with two_turns() as fake:
        goal = Goal([GoalCriterion("C1")])
        report = run(fake, begin("Task", criteria=RUBRIC), write, goal=goal)
    assert report.scorecard.recommendation == "complete"


def test_durations_are_those_of_worker_and_judges() -> None:
    ticks = iter([0.0, 2.0, 10.0, 13.0])
    client = SimpleNamespace(judge=lambda *words, **more: accept())
    state = begin("Task")
    steps = course(
        state,
        LoopRules(),
        Crew(client.judge, lambda *asked: None, write, clock=lambda: next(ticks)),
    )
    call = next(steps)
    while state.status is LoopStatus.RUNNING:
        try:
            call = steps.send(call())
        except StopIteration:
            break
    report = report_of(state)
    assert (report.work_seconds, report.judge_seconds) == (2.0, 3.0)


def finished() -> LoopState:
    """A run with known figures."""
    state = begin("Task", criteria=RUBRIC)
    state.close(
        Turn(
            1,
            "RETRY",
            "words",
            "Name the river.",
            ["SCORE_BELOW_MIN", "CRITERION_UNMET"],
            0.25,
            None,
            {"C1": "MET", "C2": "UNMET"},
            request_id="a",
            work_seconds=1.5,
            judge_seconds=0.25,
        )
    )
    met = {"C1": "MET", "C2": "MET"}
    state.close(Turn(2, "ACCEPT", "panel", "", ["OK"], 0.9, 0.8, met, request_id="b", fixes=1))
    return state


TEXT = """\
ACCEPTED after 2 turns, 1 retry, decided by panel
turn  verdict   score  conf.  work s  judge s  fixes  decided by: reasons
   1  RETRY      0.25      -    1.50     0.25      0  words: SCORE_BELOW_MIN, CRITERION_UNMET
   2  ACCEPT     0.90   0.80    0.00     0.00      1  panel: OK
goal: continue; progress 0.50 (raw 0.50); success: no
  met  weight 1.00    2 of 2  C1 Names the capital.
       weight 1.00    1 of 2  C2 Names the river.
       weight 1.00    0 of 0  C3 Names the king.
not evaluated: C3
top unmet: C2 (1x)"""


def test_the_text_has_everything_on_one_screen() -> None:
    assert str(report_of(finished())) == TEXT


def test_the_json_has_everything() -> None:
    read = json.loads(report_of(finished()).to_json())
    assert (read["status"], read["turns_to_completion"]) == ("ACCEPTED", 2)
    assert read["scorecard"]["recommendation"] == "continue"
    assert read["turns"][0]["findings"] == {"C1": "MET", "C2": "UNMET"}
    assert read["top_unmet"][0]["id"] == "C2"


def test_an_unfinished_run_can_be_reported() -> None:
    assert str(report_of(begin("Task"))) == "RUNNING after 0 turns, 0 retries"
    paused = LoopState("Task", status=LoopStatus.PAUSED, question="May I?")
    assert str(report_of(paused)).splitlines()[1] == "question: May I?"


def test_others_words_cannot_move_the_cursor() -> None:
    state = begin("Task", criteria=[criterion("C1", "Be\x1b[2Jgone\r\n\u202ehidden " + "x" * 200)])
    state.close(Turn(1, "RETRY", "st\x1bage", reasons=["A\nB"], request_id="a"))
    text = str(report_of(state))
    assert all(each.isprintable() for each in text.replace("\n", ""))
    assert len(text.splitlines()) == 6
    assert max(map(len, text.splitlines())) <= 140
    [line] = [line for line in text.splitlines() if line.endswith("x")]
    assert len(line) == 72


def test_the_top_three_unmet_are_those_most_often_unmet_then_the_heaviest() -> None:
    goal = Goal(
        [
            GoalCriterion(key, weight=weight)
            for key, weight in zip("ABCDE", (0.1, 0.2, 0.3, 1, 0.3), strict=True)
        ]
    )
    state = begin("Task")
    unmet = {"A": "UNMET", "B": "UNMET", "C": "UNMET", "E": "UNMET", "D": "MET"}
    state.close(Turn(1, "RETRY", "panel", findings=unmet, request_id="a"))
    state.close(Turn(2, "RETRY", "panel", findings={"A": "UNMET"}, request_id="b"))
    assert [each.id for each in report_of(state, goal).top_unmet] == ["A", "C", "E"]
