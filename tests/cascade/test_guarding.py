"""Guards around the stages: what they settle, what they make of a verdict, and two judges."""

import pytest
from msgspec.structs import replace

from consensus.cascade import Engine
from consensus.cascade.derivation import Derivation
from consensus.domain.decision import Decision, ReasonCode, Verdict
from consensus.domain.guards import GoalGuards, Guards, TurnGuards, TurnJudge
from consensus.domain.policy import Action, Policy
from consensus.domain.submission import Check, Contains, Criterion, Submission
from consensus.domain.turn import EarlierTurn, GoalStatus
from tests.builders import (
    Instant,
    Script,
    Watcher,
    criteria,
    decide,
    policy,
    quotes,
    scores,
    stage,
    submission,
)
from tests.guards.running import about, before, calls, hive, keys
from tests.virtual_clock import VirtualClock

HIVE = hive()
GOAL = Guards(goal=GoalGuards())
ACCEPTS = Instant("a", scores(0.9))
COMPLETE, NOT_YET = GoalStatus.COMPLETE, GoalStatus.NOT_YET


def codes(decision: Decision) -> list[ReasonCode]:
    return [reason.code for reason in decision.reasons]


async def test_what_a_guard_settles_asks_no_judge() -> None:
    asked = Instant("a", RuntimeError("asked"))
    turn = about(output_keys=keys("plan", "budget"), outputs={"plan": "ready"})
    decision = await decide(policy(stage("a"), guards=HIVE), asked, about=turn)
    assert decision.verdict is Verdict.RETRY
    assert codes(decision) == [ReasonCode.OUTPUTS_MISSING]
    assert "budget" in decision.feedback
    assert (list(decision.stages), decision.effective_score) == ([], None)


async def test_an_acceptance_is_taken_back_while_an_output_is_missing() -> None:
    guards = hive(judge=TurnJudge.STAGES)
    turn = about(output_keys=keys("plan"))
    decision = await decide(policy(stage("a"), guards=guards), ACCEPTS, about=turn)
    assert decision.verdict is Verdict.RETRY
    assert codes(decision)[0] is ReasonCode.OUTPUTS_MISSING
    assert "plan" in decision.feedback
    assert len(decision.stages) == 1


async def test_a_warning_stands_before_the_stages_own_feedback() -> None:
    guards = hive(judge=TurnJudge.STAGES)
    turn = about(
        tool_calls=calls("set_output"), earlier=before("Here you are.", "Else."), outputs={"a": 1}
    )
    harsh = Instant("a", scores(0.1, reasoning="Too short."))
    decision = await decide(policy(stage("a"), guards=guards), harsh, about=turn)
    assert decision.verdict is Verdict.RETRY
    assert decision.feedback.endswith("- a (0.10): Too short.")


async def test_without_guards_a_turn_changes_nothing() -> None:
    turn = about(output_keys=keys("plan"))
    decision = await decide(policy(stage("a")), ACCEPTS, about=turn)
    assert decision.verdict is Verdict.ACCEPT
    assert decision.goal_status is None


def two_judges(**more: object) -> Policy:
    """Return a policy of a fast and a strong judge with the goal's guards."""
    fast = stage("fast", name="fast", on_pass=Action.ADVANCE, on_fail=Action.RETRY)
    return policy(fast, stage("strong", name="strong"), **{"guards": GOAL, **more})


def working(iteration: int = 3, *earlier: EarlierTurn) -> Submission:
    """Return the submission of a turn that has one required criterion."""
    turn = about("The tower opens at nine.", iteration=iteration, earlier=earlier)
    return submission(rubric=criteria("C1"), turn=turn.turn)


def sure(confidence: float, status: str = "met") -> Script:
    """Return an answer whose finding is quoted, with this confidence."""
    found = quotes(status, "The tower opens at nine.").findings
    return scores(1.0 if status == "met" else 0.2, confidence, findings=found)


@pytest.mark.parametrize(
    ("fast", "strong", "iteration", "verdict", "status", "stages"),
    [
        pytest.param(sure(0.9), sure(0.9), 3, Verdict.ACCEPT, COMPLETE, 2, id="both complete"),
        pytest.param(sure(0.9), sure(0.7), 3, Verdict.RETRY, COMPLETE, 2, id="strong below T2"),
        pytest.param(sure(0.6), sure(0.9), 3, Verdict.RETRY, NOT_YET, 1, id="fast below T1"),
        pytest.param(
            sure(0.9, "unmet"), sure(0.9), 3, Verdict.RETRY, NOT_YET, 1, id="fast not complete"
        ),
        pytest.param(
            sure(0.9), sure(0.9, "unmet"), 3, Verdict.RETRY, NOT_YET, 2, id="strong contradicts"
        ),
        pytest.param(
            sure(0.6), sure(0.9), 9, Verdict.ACCEPT, COMPLETE, 2, id="a sure strong at turn 10"
        ),
        pytest.param(
            sure(0.9, "unmet"), sure(0.5), 9, Verdict.RETRY, NOT_YET, 2, id="asked at turn 10"
        ),
    ],
)
async def test_a_fast_judge_asks_for_the_strong_one_and_both_must_agree(
    fast: Script, strong: Script, iteration: int, verdict: Verdict, status: GoalStatus, stages: int
) -> None:
    judges = Instant("fast", fast), Instant("strong", strong)
    decision = await decide(two_judges(), *judges, about=working(iteration))
    assert len(decision.stages) == stages
    assert decision.verdict is verdict
    assert decision.goal_status is status
    assert (ReasonCode.GOAL_COMPLETE in codes(decision)) == (verdict is Verdict.ACCEPT)


async def test_in_the_last_turn_that_the_policy_allows_a_sure_fast_answer_is_confirmed() -> None:
    rules = two_judges(guards=replace(GOAL, max_iterations=4))
    asked = []
    for iteration in (2, 3):
        judges = Instant("fast", sure(0.6)), Instant("strong", sure(0.9))
        decision = await decide(rules, *judges, about=working(iteration))
        asked.append(len(decision.stages))
    assert asked == [1, 2]


async def test_two_sure_fast_answers_running_need_no_strong_one() -> None:
    earlier = EarlierTurn(text="Almost.", goal_status=COMPLETE, goal_confidence=0.9)
    judges = Instant("fast", sure(0.9)), Instant("strong", RuntimeError("asked"))
    decision = await decide(two_judges(), *judges, about=working(4, earlier))
    assert (decision.verdict, len(decision.stages)) == (Verdict.ACCEPT, 1)
    assert decision.goal_confidence is not None
    assert decision.goal_confidence >= 0.85


@pytest.mark.parametrize("with_checks", [True, False])
async def test_a_criterion_whose_own_checks_hold_needs_no_quotation(with_checks: bool) -> None:
    checks = (Check(Contains("nine")),) if with_checks else ()
    rubric = (Criterion(id="C1", text="Says nine", required=True, checks=checks),)
    judge = Instant("a", scores(1.0, findings=quotes("met").findings))
    decision = await decide(policy(stage("a"), guards=GOAL), judge, about=submission(rubric=rubric))
    assert (decision.goal_status is COMPLETE) is with_checks
    assert (decision.verdict is Verdict.ACCEPT) is with_checks


async def test_a_run_ends_in_its_last_turn_whatever_the_judges_say() -> None:
    guards = Guards(max_iterations=5, turns=TurnGuards(judge=TurnJudge.STAGES))
    turn = about(iteration=4, output_keys=keys("plan"), outputs={"plan": "ready"})
    harsh = Instant("a", scores(0.1))
    decision = await decide(policy(stage("a"), guards=guards), harsh, about=turn)
    assert decision.verdict is Verdict.ESCALATE
    assert ReasonCode.TURNS_SPENT in codes(decision)


async def test_a_turn_that_a_guard_settles_derives_no_rubric() -> None:
    turn = about(output_keys=keys("plan"))
    derivation = Derivation(Unasked("llm"), 8, lambda judge, usage: None)  # type: ignore[arg-type]
    decision = await Engine(VirtualClock()).judge(
        turn,
        policy(stage("a"), guards=HIVE),
        {},
        Watcher(),
        budget_seconds=9,
        derivation=derivation,
    )
    assert codes(decision) == [ReasonCode.OUTPUTS_MISSING]
    assert decision.derived_rubric == ()


class Unasked(Instant):
    """A judge that must not be asked to derive anything."""

    async def derive(self, *asked: object) -> None:
        raise AssertionError(asked)
