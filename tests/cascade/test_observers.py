"""Every observer takes whatever happens to a judgment, and changes nothing about it."""

import asyncio
from collections.abc import Callable

import anyio
import pytest
from prometheus_client import CollectorRegistry

from consensus.app import Observers
from consensus.cascade import Engine
from consensus.cli.progress import JudgingProgress
from consensus.domain.decision import Decision
from consensus.domain.errors import AllJudgesUnavailable, JudgeFailed
from consensus.domain.gradient import Abstention, FailureKind
from consensus.domain.policy import Action, Seat, Settle, Stage
from consensus.domain.ports import Judge, Observer
from consensus.telemetry.audit import AuditLog
from consensus.telemetry.logs import DecisionLog, FailedSeatLog
from consensus.telemetry.recorder import Recorder
from tests.builders import (
    FOREVER,
    Instant,
    Waiting,
    Watcher,
    bench,
    criteria,
    policy,
    quotes,
    scores,
    stage,
    submission,
)
from tests.virtual_clock import VirtualClock

OBSERVERS: dict[str, Callable[[], Observer]] = {
    "recorder": lambda: Recorder(CollectorRegistry()),
    "decision log": DecisionLog,
    "failed seats": FailedSeatLog,
    "progress": JudgingProgress,
    "audit": lambda: AuditLog(VirtualClock().now),
    "several": lambda: Observers(
        Recorder(CollectorRegistry()), DecisionLog(), Watcher(), AuditLog(VirtualClock().now)
    ),
}
ABOUT = submission(rubric=criteria("C1", required=False))
BROKEN = JudgeFailed(FailureKind.OVERLOADED, "full")
every_observer = pytest.mark.parametrize("new", OBSERVERS.values(), ids=list(OBSERVERS))


def fates() -> tuple[Stage, list[Judge]]:
    """Return a stage with one judge for each fate that a seat can have."""
    judges: list[Judge] = [
        Instant("scored", scores(0.9)),
        Instant("struck", quotes("met", "not in there")),
        Instant("dissents", scores(0.1)),
        Instant("abstained", Abstention("no")),
        Instant("overloaded", BROKEN),
        Waiting("crashed", 1, ValueError("crash")),
        Waiting("lied", 1, scores(7.0)),
        Waiting("late", FOREVER),
    ]
    return stage(*(Seat(judge=judge.name, timeout_seconds=2) for judge in judges)), judges


async def judged(observer: Observer, rules: Stage, judges: list[Judge]) -> Decision:
    """Judge under an observer."""
    engine = Engine(VirtualClock(), lambda: "d1")
    return await engine.judge(ABOUT, policy(rules), bench(judges), observer, budget_seconds=30)


@every_observer
async def test_every_fate_of_a_seat_is_taken(new: Callable[[], Observer]) -> None:
    watched = await judged(Watcher(), *fates())
    decision = await judged(new(), *fates())
    assert decision.stages[0].consensus == watched.stages[0].consensus
    assert decision.reasons == watched.reasons


@every_observer
async def test_a_settled_stage_a_missed_quorum_and_a_failed_call_are_taken(
    new: Callable[[], Observer],
) -> None:
    observer = new()
    judges: list[Judge] = [Instant("a", BROKEN), Waiting("b", FOREVER)]
    rules = stage("a", "b", quorum=2, settle=Settle.EARLY)
    assert (await judged(observer, rules, judges)).stages[0].settled
    with pytest.raises(AllJudgesUnavailable):
        await judged(observer, stage("a", on_no_quorum=Action.FAIL), judges)


@every_observer
async def test_a_cancelled_judgment_is_taken(new: Callable[[], Observer]) -> None:
    task = asyncio.create_task(judged(new(), stage("b"), [Waiting("b", FOREVER)]))
    await anyio.sleep(1)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_the_recorder_has_nobody_in_flight_after_a_storm() -> None:
    recorder = Recorder(CollectorRegistry())
    for seconds in range(1, 5):
        task = asyncio.create_task(judged(recorder, *fates()))
        asyncio.get_running_loop().call_later(seconds / 2, task.cancel)
        await asyncio.wait([task])
    flights = [
        sample.value
        for family in recorder.registry.collect()
        for sample in family.samples
        if sample.name == "consensus_judge_inflight"
    ]
    assert flights
    assert set(flights) == {0.0}
