"""When the caller goes away every judge stops, and nothing is left behind."""

import asyncio
import random

import anyio
import pytest

from consensus.domain.decision import SeatStatus
from consensus.domain.errors import AllJudgesUnavailable, JudgeFailed
from consensus.domain.gradient import Answer, FailureKind
from consensus.domain.policy import Action, Policy, Seat, Settle
from consensus.domain.ports import Evaluation, Judge
from tests.builders import FOREVER, Instant, Script, Waiting, Watcher, decide, policy, scores, stage


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


def a_policy(dice: random.Random) -> tuple[Policy, list[Judge]]:
    """Return two stages of random judges: instant, waiting, hanging, failing, cancelling."""
    scripts: list[Script] = [
        scores(0.9),
        scores(0.1),
        scores(7.0),
        JudgeFailed(FailureKind.ERROR, "broken"),
        ValueError("crash"),
        asyncio.CancelledError(),
    ]
    names = [f"j{i}" for i in range(8)]
    judges: list[Judge] = [
        Instant(name, dice.choice(scripts))
        if dice.random() < 0.2
        else Waiting(name, dice.choice([0.0, 0.5, 1.0, 2.0, 3.0, FOREVER]), dice.choice(scripts))
        for name in names
    ]
    seats = [Seat(judge=name, timeout_seconds=dice.choice([0.7, 2.5, 60.0])) for name in names]
    settle = dice.choice(list(Settle))
    first = stage(*seats[:4], name="one", settle=settle, on_pass=Action.ADVANCE)
    second = stage(*seats[4:], name="two", settle=settle, quorum=3, on_no_quorum=Action.FAIL)
    return policy(first, second, deadline_seconds=dice.choice([1.5, 8.0])), judges


@pytest.mark.parametrize("seed", range(20))
async def test_a_storm_of_cancellations_leaves_nothing_behind(seed: int) -> None:
    dice, before, watcher = random.Random(seed), asyncio.all_tasks(), Watcher()  # noqa: S311
    ends: list[str] = []
    benches: list[list[Judge]] = []

    async def one() -> None:
        rules, judges = a_policy(dice)
        benches.append(judges)
        seconds = dice.choice([0.4, 0.9, 1.0, 2.0, 30.0])
        task = asyncio.create_task(decide(rules, *judges, watcher=watcher, seconds=seconds))
        if dice.random() < 0.7:
            asyncio.get_running_loop().call_later(dice.choice([0.0, 0.5, 1.0, 1.7]), task.cancel)
        try:
            await task
        except asyncio.CancelledError:
            ends.append("cancelled")
        except AllJudgesUnavailable:
            ends.append("unavailable")
        else:
            ends.append("decided")

    async with anyio.create_task_group() as group:
        for _ in range(30):
            group.start_soon(one)
    assert asyncio.all_tasks() == before
    assert len(ends) == 30
    assert {"cancelled", "decided"} <= set(ends)
    assert watcher.balanced
    assert len(watcher.decisions) == ends.count("decided")
