"""A storm of judgments and cancellations leaves nothing behind."""

import asyncio
import random

import anyio
import pytest

from consensus.domain.errors import AllJudgesUnavailable, JudgeFailed
from consensus.domain.gradient import FailureKind
from consensus.domain.policy import Action, Policy, Seat, Settle
from consensus.domain.ports import Judge
from tests.builders import FOREVER, Instant, Script, Waiting, Watcher, decide, policy, scores, stage


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
