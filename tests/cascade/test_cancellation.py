"""When the caller goes away every judge stops, and nothing is left behind."""

import asyncio
import contextlib

import anyio
import pytest

from consensus.domain.decision import ReasonCode, SeatStatus, Verdict
from consensus.domain.errors import JudgeFailed
from consensus.domain.evaluation import Evaluation
from consensus.domain.gradient import Answer, Failure, FailureKind
from consensus.domain.policy import Seat, Settle
from tests.builders import FOREVER, Instant, Waiting, Watcher, decide, scores, seats_of, stage


async def test_cancelling_the_caller_stops_every_judge_and_leaves_no_task() -> None:
    before = asyncio.all_tasks()
    judges = [Waiting(name, FOREVER) for name in "abc"]
    watcher = Watcher()
    rules = stage("a", "b", "c", "now")
    judging = decide(rules, *judges, Instant("now", scores(1.0)), watcher=watcher)
    task = asyncio.create_task(judging)
    await anyio.sleep(5)
    assert len(asyncio.all_tasks() - before) == 4
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert asyncio.all_tasks() == before
    assert [judge.cancelled for judge in judges] == [1, 1, 1]
    assert watcher.balanced
    assert watcher.decisions == []
    assert {seat.judge: (seat.status, seat.duration_seconds) for _, seat in watcher.finished} == {
        "now": (SeatStatus.SCORED, 0.0),
        "a": (SeatStatus.SKIPPED, 5.0),
        "b": (SeatStatus.SKIPPED, 5.0),
        "c": (SeatStatus.SKIPPED, 5.0),
    }


async def test_a_scope_of_the_callers_that_ends_stops_every_judge_too() -> None:
    judges, watcher = [Waiting(name, FOREVER) for name in "ab"], Watcher()
    with anyio.move_on_after(3) as scope:
        await decide(stage("a", "b"), *judges, watcher=watcher)
    assert scope.cancelled_caught
    assert [judge.cancelled for judge in judges] == [1, 1]
    assert watcher.balanced


class Stubborn(Waiting):
    """A judge that answers its cancellation with an error of its own."""

    async def evaluate(self, evaluation: Evaluation, timeout_seconds: float) -> Answer:
        try:
            return await super().evaluate(evaluation, timeout_seconds)
        except asyncio.CancelledError:
            raise RuntimeError("not now") from None


class Echo(Waiting):
    """A judge that answers its cancellation with another one, as calls of grpc.aio do."""

    async def evaluate(self, evaluation: Evaluation, timeout_seconds: float) -> Answer:
        with contextlib.suppress(asyncio.CancelledError):
            return await super().evaluate(evaluation, timeout_seconds)
        raise asyncio.CancelledError


@pytest.mark.parametrize("kind", [Stubborn, Echo, Waiting])
async def test_a_late_judge_costs_its_own_seat_however_it_takes_its_cancellation(
    kind: type[Waiting],
) -> None:
    rules, watcher = stage(Seat(judge="late", timeout_seconds=2), "good"), Watcher()
    good = Waiting("good", 3, scores(0.9))
    decision = await decide(rules, kind("late", FOREVER), good, watcher=watcher)
    late = Failure(FailureKind.TIMEOUT, "no answer within 2 s")
    assert seats_of(decision)["late"].answer == late
    assert seats_of(decision)["good"].status is SeatStatus.SCORED
    assert watcher.balanced


@pytest.mark.parametrize("kind", [Stubborn, Echo, Waiting])
async def test_the_budgets_end_is_kept_however_judges_take_it(kind: type[Waiting]) -> None:
    judges = kind("late", FOREVER), Waiting("good", 1, scores(0.9))
    decision = await decide(stage("late", "good"), *judges, seconds=5)
    assert decision.duration_seconds == pytest.approx(4.95)
    assert seats_of(decision)["late"].status is SeatStatus.FAILED
    assert decision.verdict is Verdict.ACCEPT
    assert decision.reasons[-1].code is ReasonCode.DEADLINE


async def test_a_judge_that_answers_cancellation_with_an_error_holds_nobody_up() -> None:
    before, watcher = asyncio.all_tasks(), Watcher()
    with anyio.move_on_after(3) as scope:
        await decide(stage("a"), Stubborn("a", FOREVER), watcher=watcher)
    assert scope.cancelled_caught
    assert watcher.balanced
    rules = stage("a", "b", quorum=2, settle=Settle.EARLY)
    broken = Waiting("b", 1, JudgeFailed(FailureKind.ERROR, "broken"))
    decision = await decide(rules, Stubborn("a", FOREVER), broken, watcher=watcher)
    assert decision.duration_seconds == 1.0
    assert watcher.balanced
    assert asyncio.all_tasks() == before


class Deaf(Waiting):
    """A judge that takes its time after it was cancelled, and answers all the same."""

    async def evaluate(self, evaluation: Evaluation, timeout_seconds: float) -> Answer:
        try:
            return await super().evaluate(evaluation, timeout_seconds)
        except asyncio.CancelledError:
            await asyncio.sleep(60)
            return scores(0.1)


async def test_a_judge_that_ignores_its_cancellation_is_not_waited_for() -> None:
    before, watcher = asyncio.all_tasks(), Watcher()
    only = stage(Seat(judge="a", weight=0), "good", settle=Settle.EARLY)
    good = Waiting("good", 1, scores(0.9))
    decision = await decide(only, Deaf("a", FOREVER), good, watcher=watcher)
    assert decision.verdict is Verdict.ACCEPT
    assert decision.duration_seconds == pytest.approx(1.25)
    assert seats_of(decision)["a"].status is SeatStatus.SKIPPED
    assert watcher.balanced
    await asyncio.sleep(61)  # it has answered in the meantime, and nobody listened
    assert watcher.balanced
    assert asyncio.all_tasks() == before
