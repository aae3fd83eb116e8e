"""A stage that settles early stops waiting, and never decides other than waiting would have."""

from asyncio import CancelledError

import pytest

from consensus.domain.decision import GateAnswer, SeatStatus, Verdict
from consensus.domain.errors import AllJudgesUnavailable, JudgeFailed
from consensus.domain.gradient import Abstention, FailureKind
from consensus.domain.policy import Action, Seat, Settle, StrategyName, Tie
from tests.builders import (
    FOREVER,
    Instant,
    Waiting,
    Watcher,
    criteria,
    decide,
    finds,
    scores,
    seats_of,
    stage,
    submission,
)

EARLY = {"settle": Settle.EARLY, "strategy": StrategyName.MAJORITY}
BROKEN = JudgeFailed(FailureKind.ERROR, "broken")


async def test_a_settled_stage_cancels_the_judges_that_are_not_needed_any_more() -> None:
    watcher = Watcher()
    quick = [Waiting(name, 1, scores(0.9)) for name in "ab"]
    slow = Waiting("slow", FOREVER)
    decision = await decide(stage("a", "slow", "b", **EARLY), *quick, slow, watcher=watcher)
    seat = seats_of(decision)["slow"]
    assert decision.verdict is Verdict.ACCEPT
    assert decision.stages[0].settled
    assert decision.duration_seconds == 1.0
    assert slow.cancelled == 1
    assert (seat.status, seat.answer, seat.attempts) == (SeatStatus.SKIPPED, None, 1)
    assert seat.duration_seconds == 1.0
    assert watcher.balanced


async def test_a_stage_settled_by_judges_that_never_wait_asks_no_other() -> None:
    watcher, slow = Watcher(), Waiting("slow", 1, scores(0.0))
    quick = [Instant(name, scores(0.9)) for name in "ab"]
    decision = await decide(stage("a", "b", "slow", **EARLY), *quick, slow, watcher=watcher)
    seat = seats_of(decision)["slow"]
    assert decision.verdict is Verdict.ACCEPT
    assert slow.asked == []
    assert (seat.status, seat.attempts, seat.duration_seconds) == (SeatStatus.SKIPPED, 0, 0.0)
    assert "slow" not in [judge for _, judge in watcher.started]
    assert watcher.balanced


async def test_a_stage_that_waits_for_all_is_never_settled() -> None:
    judges = [Waiting(name, seconds, scores(0.9)) for name, seconds in (("a", 1), ("b", 2))]
    decision = await decide(stage("a", "b"), *judges, Waiting("c", 7, scores(0.9)))
    assert not decision.stages[0].settled


async def test_a_stage_whose_last_answer_decides_is_not_called_settled() -> None:
    judges = [Waiting(name, index, scores(0.9)) for index, name in enumerate("abc")]
    rules = stage("a", "b", "c", settle=Settle.EARLY, strategy=StrategyName.UNANIMOUS)
    decision = await decide(rules, *judges)
    assert not decision.stages[0].settled
    assert decision.duration_seconds == 2.0


async def test_a_lost_unanimous_vote_settles_at_once() -> None:
    rules = stage("no", "slow", settle=Settle.EARLY, strategy=StrategyName.UNANIMOUS)
    decision = await decide(rules, Waiting("no", 1, scores(0.1)), Waiting("slow", 9, scores(1.0)))
    assert decision.verdict is Verdict.RETRY
    assert decision.duration_seconds == 1.0


async def test_a_quorum_out_of_reach_settles() -> None:
    rules = stage("a", "b", "slow", quorum=3, settle=Settle.EARLY)
    judges = Waiting("a", 1, Abstention("no")), Waiting("b", 2, scores(1.0))
    decision = await decide(rules, *judges, Waiting("slow", 9, scores(1.0)))
    assert decision.stages[0].gate.answer is GateAnswer.NO_QUORUM
    assert decision.verdict is Verdict.ESCALATE
    assert decision.duration_seconds == 1.0


async def test_a_required_criterion_that_may_still_fail_keeps_the_stage_open() -> None:
    rules = stage("a", "b", "c", **EARLY)
    about = submission(rubric=criteria("C1"))
    judges = [Waiting("a", 1, finds(C1="met")), Waiting("b", 2, scores(1.0))]
    decision = await decide(rules, *judges, Waiting("c", 3, finds(C1="unmet")), about=about)
    assert decision.duration_seconds == 3.0
    assert decision.verdict is Verdict.RETRY


async def test_a_tie_that_would_escalate_keeps_the_stage_open() -> None:
    rules = stage("a", Seat(judge="b", weight=2.0), "c", tie=Tie.ESCALATE, **EARLY)
    judges = [Waiting("a", 1, scores(0.0)), Waiting("b", 2, scores(1.0))]
    decision = await decide(rules, *judges, Waiting("c", 3, scores(0.0)))
    assert decision.duration_seconds == 3.0
    assert decision.verdict is Verdict.ESCALATE


async def test_a_quorum_out_of_reach_waits_while_every_judge_may_still_fail() -> None:
    rules = stage("a", "b", quorum=2, settle=Settle.EARLY, on_no_quorum=Action.FAIL)
    with pytest.raises(AllJudgesUnavailable):
        await decide(rules, Waiting("a", 1, BROKEN), Waiting("b", 2, BROKEN))
    decision = await decide(rules, Waiting("a", 1, BROKEN), Waiting("b", 2, scores(1.0)))
    assert decision.verdict is Verdict.ESCALATE


async def test_it_waits_no_longer_once_one_judge_has_answered() -> None:
    rules = stage("a", "b", "c", quorum=3, settle=Settle.EARLY, on_no_quorum=Action.FAIL)
    judges = [Waiting("a", 1, BROKEN), Waiting("b", 2, scores(1.0)), Waiting("c", 9, BROKEN)]
    decision = await decide(rules, *judges)
    assert decision.verdict is Verdict.ESCALATE
    assert decision.duration_seconds == 2.0
    assert seats_of(decision)["c"].status is SeatStatus.SKIPPED


async def test_a_stray_cancellation_by_a_judge_settles_like_any_other_crash() -> None:
    rules = stage("a", "b", "slow", quorum=3, settle=Settle.EARLY)
    judges = [Waiting("a", 1, scores(1.0)), Waiting("b", 2, CancelledError())]
    decision = await decide(rules, *judges, Waiting("slow", 9, scores(1.0)))
    assert seats_of(decision)["b"].status is SeatStatus.FAILED
    assert decision.duration_seconds == 2.0


async def test_an_optional_criterion_that_cannot_be_met_any_more_settles_nothing() -> None:
    """Only required criteria can fail a gate; were others counted, this would settle as FAIL."""
    quick = [Waiting(name, 1, finds(0.6, C1="unmet", C2="met")) for name in "ab"]
    decision = await decide(
        stage("a", "b", "slow", settle=Settle.EARLY),
        *quick,
        Waiting("slow", 2, finds(1.0, C2="met")),
        about=submission(rubric=(*criteria("C1", required=False), *criteria("C2"))),
    )
    assert decision.verdict is Verdict.ACCEPT
    assert not decision.stages[0].settled
