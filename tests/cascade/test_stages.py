"""Stages run in order; each gate's answer leads where the policy says."""

from typing import Any

import pytest

from consensus.domain.decision import GateAnswer, Verdict
from consensus.domain.errors import JudgeFailed
from consensus.domain.gradient import Abstention, FailureKind, FindingStatus
from consensus.domain.policy import Action, Stage, StrategyName, Tie
from consensus.domain.submission import Check, Contains
from tests.builders import (
    Instant,
    Script,
    Waiting,
    criteria,
    decide,
    finds,
    policy,
    scores,
    stage,
    submission,
)

BROKEN = JudgeFailed(FailureKind.ERROR, "broken")
SAYS: dict[GateAnswer, Script] = {
    GateAnswer.PASS: scores(0.9),
    GateAnswer.FAIL: scores(0.1),
    GateAnswer.UNSURE: scores(0.9, 0.2),
    GateAnswer.NO_QUORUM: BROKEN,
}
KEYS = {
    GateAnswer.PASS: "on_pass",
    GateAnswer.FAIL: "on_fail",
    GateAnswer.UNSURE: "on_unsure",
    GateAnswer.NO_QUORUM: "on_no_quorum",
}
VERDICTS = {
    Action.ACCEPT: Verdict.ACCEPT,
    Action.RETRY: Verdict.RETRY,
    Action.ESCALATE: Verdict.ESCALATE,
}
ALLOWED = {
    GateAnswer.PASS: [Action.ACCEPT],
    GateAnswer.FAIL: [Action.RETRY, Action.ESCALATE],
    GateAnswer.UNSURE: [Action.RETRY, Action.ESCALATE],
    GateAnswer.NO_QUORUM: [Action.RETRY, Action.ACCEPT, Action.ESCALATE],
}
CASES = [(answer, action) for answer, actions in ALLOWED.items() for action in actions]


def checks(text: str, **fields: Any) -> Stage:
    """Return a stage that checks the candidate for `text`."""
    actions: dict[str, Any] = {
        "on_pass": Action.ADVANCE,
        "on_fail": Action.RETRY,
        "on_unsure": Action.RETRY,
        "on_no_quorum": None,
    }
    return Stage(name="checks", checks=(Check(Contains(text)),), **{**actions, **fields})


@pytest.mark.parametrize(("answer", "action"), CASES)
async def test_each_answer_of_a_gate_leads_where_its_key_says(
    answer: GateAnswer, action: Action
) -> None:
    rules = stage("a", min_confidence=0.5, **{KEYS[answer]: action})
    decision = await decide(rules, Instant("a", SAYS[answer]))
    assert decision.stages[0].gate.answer is answer
    assert decision.verdict is VERDICTS[action]


@pytest.mark.parametrize("answer", GateAnswer)
async def test_each_answer_of_a_gate_can_advance(answer: GateAnswer) -> None:
    first = stage("a", name="one", min_confidence=0.5, **{KEYS[answer]: Action.ADVANCE})
    rules = policy(first, stage("b", name="two"))
    decision = await decide(rules, Instant("a", SAYS[answer]), Waiting("b", 2, scores(0.8)))
    assert [result.stage for result in decision.stages] == ["one", "two"]
    assert [result.duration_seconds for result in decision.stages] == [0.0, 2.0]
    assert decision.verdict is Verdict.ACCEPT


async def test_a_stage_that_decides_keeps_the_later_ones_from_running() -> None:
    later = Instant("later", scores(1.0))
    rules = policy(stage("a", name="one"), stage("later", name="two"))
    decision = await decide(rules, Instant("a", scores(0.1)), later)
    assert later.asked == []
    assert [result.stage for result in decision.stages] == ["one"]


async def test_the_effective_score_is_the_lowest_of_the_stages_that_ran() -> None:
    first = stage("a", name="one", on_pass=Action.ADVANCE)
    lost = stage("lost", name="two", on_no_quorum=Action.ADVANCE)
    rules = policy(checks("tower"), first, lost, stage("b", name="last"))
    judges = Instant("a", scores(0.75)), Instant("lost", BROKEN), Instant("b", scores(0.95))
    decision = await decide(rules, *judges)
    assert [result.score for result in decision.stages] == [1.0, 0.75, None, 0.95]
    assert decision.effective_score == 0.75


async def test_there_is_no_effective_score_when_no_stage_came_to_one() -> None:
    decision = await decide(stage("a"), Instant("a", Abstention("cannot tell")))
    assert decision.effective_score is None
    assert decision.verdict is Verdict.ESCALATE


async def test_checks_that_hold_hand_on_to_the_panel() -> None:
    rules = policy(checks("tower"), stage("a"))
    decision = await decide(rules, Instant("a", scores(0.9)))
    assert [result.gate.answer for result in decision.stages] == [GateAnswer.PASS] * 2
    assert decision.stages[0].consensus is None
    assert decision.verdict is Verdict.ACCEPT


@pytest.mark.parametrize("action", [Action.RETRY, Action.ESCALATE])
async def test_a_check_that_fails_spares_the_judges(action: Action) -> None:
    judge = Instant("a", scores(0.9))
    rules = policy(checks("lighthouse", on_fail=action), stage("a"))
    decision = await decide(rules, judge)
    assert judge.asked == []
    assert decision.verdict is VERDICTS[action]
    assert decision.effective_score == 0.0
    assert not decision.stages[0].checks[0].passed


@pytest.mark.parametrize("tie", Tie)
async def test_a_tie_counts_as_the_panel_says(tie: Tie) -> None:
    rules = stage("a", "b", strategy=StrategyName.MAJORITY, tie=tie)
    decision = await decide(rules, Instant("a", scores(0.9)), Instant("b", scores(0.1)))
    expected = {Tie.FAIL: "retry", Tie.PASS: "accept", Tie.ESCALATE: "escalate"}
    assert decision.verdict.value == expected[tie]


async def test_a_missing_seat_leaves_a_unanimous_panel_unsure() -> None:
    rules = stage("a", "b", strategy=StrategyName.UNANIMOUS, on_unsure=Action.ESCALATE)
    decision = await decide(rules, Instant("a", scores(0.9)), Instant("b", BROKEN))
    assert decision.stages[0].gate.answer is GateAnswer.UNSURE
    assert not decision.stages[0].gate.seats_ok
    assert decision.verdict is Verdict.ESCALATE


async def test_a_required_criterion_that_is_not_met_fails_the_gate() -> None:
    about = submission(rubric=(*criteria("C1"), *criteria("C2", required=False)))
    decision = await decide(stage("a"), Instant("a", finds(1.0, C1="met")), about=about)
    assert decision.verdict is Verdict.ACCEPT
    judge = Instant("a", finds(1.0, C1="unmet", C2="unmet"))
    decision = await decide(stage("a"), judge, about=about)
    assert decision.stages[0].gate.answer is GateAnswer.FAIL
    assert not decision.stages[0].gate.criteria_ok
    statuses = [(criterion.criterion_id, criterion.status) for criterion in decision.criteria]
    assert statuses == [("C1", FindingStatus.UNMET), ("C2", FindingStatus.UNMET)]


async def test_a_later_stage_has_the_last_word_on_a_criterion() -> None:
    about = submission(rubric=criteria("C1"))
    rules = policy(stage("a", name="one", on_fail=Action.ADVANCE), stage("b", name="two"))
    judges = Instant("a", finds(C1="unmet")), Instant("b", finds(C1="met"))
    decision = await decide(rules, *judges, about=about)
    assert [criterion.status for criterion in decision.criteria] == [FindingStatus.MET]
