"""Working out what judges may cost takes time and may fail: it holds up nobody, keeps to a part of
the budget, and no decision takes money that another has taken meanwhile.
"""

import asyncio
import random
from typing import Any

import anyio
import pytest

from consensus.cascade import Engine
from consensus.cascade.derivation import Derivation
from consensus.domain.decision import Decision, Hierarchy, SeatStatus
from consensus.domain.errors import CriteriaNotDerived, JudgeFailed, SpendLimitReached
from consensus.domain.evaluation import Evaluation, Ledger
from consensus.domain.gradient import Answer, Failure, FailureKind, Usage
from consensus.domain.policy import Policy, SpendLimits
from consensus.domain.submission import Criterion
from tests.builders import (
    FOREVER,
    Instant,
    Waiting,
    Watcher,
    bench,
    policy,
    scores,
    seats_of,
    stage,
    submission,
)
from tests.virtual_clock import BEGAN, VirtualClock

GOOD = scores(0.9)
LATE = Failure(FailureKind.TIMEOUT, "its cost was not worked out in time, and there is a limit")
HOUR = SpendLimits(per_hour_usd=1)


class Slow(Waiting):
    """A judge that takes `costing` seconds to tell that it may cost `worst`, and uses 4/10 of it.
    Where `costing` is an exception it is raised.
    """

    def __init__(self, name: str, costing: float | BaseException = 0.0, **more: Any) -> None:
        self.worst: float = more.pop("worst", 0.01)
        super().__init__(name, **{"seconds": 1.0, "script": GOOD, **more})
        self.costing = costing

    async def worst_cost(self, evaluation: Evaluation) -> float | None:
        if isinstance(self.costing, BaseException):
            raise self.costing
        await anyio.sleep(self.costing)
        return self.worst

    async def worst_cost_of_deriving(self, task: str, max_criteria: int) -> float | None:
        return await self.worst_cost(Evaluation(submission(task=task), Hierarchy()))

    async def evaluate(self, evaluation: Evaluation, timeout_seconds: float) -> Answer:
        evaluation.ledger(self.name).add(Usage(cost_usd=0.4 * self.worst))
        return await super().evaluate(evaluation, timeout_seconds)

    async def derive(
        self, task: str, max_criteria: int, timeout_seconds: float, ledger: Ledger
    ) -> tuple[Criterion, ...]:
        self.timeouts.append(timeout_seconds)
        return (Criterion(id="C1", text="Is short."),)


class Stand:
    """One engine, so that the hour's spending is kept from call to call."""

    def __init__(self) -> None:
        self.engine = Engine(VirtualClock())
        self.watcher = Watcher()

    async def judge(self, *judges: Any, limits: SpendLimits = HOUR, **more: Any) -> Decision:
        rules: Policy = policy(stage(*[judge.name for judge in judges]), spend=limits)
        return await self.engine.judge(
            submission(), rules, bench(judges), self.watcher, **{"budget_seconds": 30, **more}
        )

    async def has_left(self, usd: float) -> bool:
        """Tell whether so much of the hour is left, and no more."""
        more = Slow("more", worst=usd + 1e-9)
        with pytest.raises(SpendLimitReached):
            await self.judge(more)
        return (await self.judge(Slow("all", worst=usd))).stages[0].consensus is not None


def answer_of(decision: Decision, judge: str) -> object:
    return seats_of(decision)[judge].answer


async def test_costs_that_come_in_time_are_waited_for() -> None:
    judges = Slow("a", 2), Slow("b", 3)
    decision = await Stand().judge(*judges)
    assert {seat.status for seat in seats_of(decision).values()} == {SeatStatus.SCORED}
    assert judges[0].asked_at == judges[1].asked_at == [BEGAN + 5]


async def test_what_is_not_known_after_half_of_the_budget_is_not_asked() -> None:
    stand = Stand()
    judges = [
        *(Slow("in time", 2), Slow("hangs", FOREVER), Slow("behind it")),
        *(Waiting("remote", 1, GOOD), Instant("free", GOOD)),
    ]
    decision = await stand.judge(*judges)
    assert answer_of(decision, "hangs") == answer_of(decision, "behind it") == LATE
    for name in ("in time", "remote", "free"):
        assert seats_of(decision)[name].status is SeatStatus.SCORED
    assert judges[0].asked_at == judges[3].asked_at == [BEGAN + 15]
    assert seats_of(decision)["hangs"].attempts == 0
    assert stand.watcher.balanced
    assert await stand.has_left(1 - 0.004)


async def test_without_any_budget_what_is_known_at_once_is_still_known() -> None:
    decision = await Stand().judge(Slow("a", 1), Instant("free", GOOD), budget_seconds=0)
    assert answer_of(decision, "a") == LATE
    assert seats_of(decision)["free"].status is SeatStatus.SCORED


@pytest.mark.parametrize(
    ("raised", "failure"),
    [
        (
            JudgeFailed(FailureKind.OVERLOADED, "no room"),
            Failure(FailureKind.OVERLOADED, "no room"),
        ),
        (ValueError("judged words"), Failure(FailureKind.ERROR, "crashed with ValueError")),
        (asyncio.CancelledError(), Failure(FailureKind.ERROR, "crashed with CancelledError")),
    ],
)
async def test_a_judge_that_cannot_tell_its_cost_loses_its_seat_alone(
    raised: BaseException, failure: Failure
) -> None:
    judges = Slow("fails", raised), Slow("sound")
    decision = await Stand().judge(*judges)
    assert answer_of(decision, "fails") == failure
    assert judges[0].asked == []
    assert seats_of(decision)["sound"].status is SeatStatus.SCORED


@pytest.mark.parametrize("by_scope", [True, False])
async def test_a_caller_who_goes_away_meanwhile_leaves_nothing_reserved(*, by_scope: bool) -> None:
    stand, judges = Stand(), (Slow("a"), Slow("b", 5))
    before = asyncio.all_tasks()
    if by_scope:
        with anyio.move_on_after(2):
            await stand.judge(*judges)
    else:
        task = asyncio.create_task(stand.judge(*judges))
        await anyio.sleep(2)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    assert asyncio.all_tasks() == before
    assert judges[0].asked == judges[1].asked == []
    assert stand.watcher.started == []
    assert await stand.has_left(1)


async def test_money_that_went_meanwhile_is_not_there_any_more() -> None:
    stand, hour = Stand(), SpendLimits(per_hour_usd=0.012)
    late = asyncio.create_task(stand.judge(Slow("late", 3), limits=hour))
    await anyio.sleep(1)
    await stand.judge(Slow("quick"), limits=hour)
    with pytest.raises(SpendLimitReached):
        await late


@pytest.mark.parametrize("seed", range(20))
async def test_a_storm_of_decisions_never_spends_more_than_the_hour_has(seed: int) -> None:
    dice, stand, before = random.Random(seed), Stand(), asyncio.all_tasks()  # noqa: S311
    ends: list[str] = []
    taken = 0.0
    """Worst cases of judges under way, and what the others have used."""

    class Counted(Slow):
        async def evaluate(self, evaluation: Evaluation, timeout_seconds: float) -> Answer:
            nonlocal taken
            taken += self.worst
            assert taken <= 1 + 1e-9
            try:
                return await super().evaluate(evaluation, timeout_seconds)
            finally:
                taken -= 0.6 * self.worst

    async def one(number: int) -> None:
        judges = [
            Counted(
                f"{number}.{index}",
                dice.choice([0.0, 0.0, 1.0, 2.0, FOREVER, ValueError()]),
                worst=dice.choice([0.01, 0.05, 0.2]),
                seconds=dice.choice([0.0, 1.0, 3.0, FOREVER]),
            )
            for index in range(3)
        ]
        most = dice.choice([None, 0.06, 0.3])
        task = asyncio.create_task(stand.judge(*judges, max_cost_usd=most, budget_seconds=6))
        if dice.random() < 0.5:
            seconds = dice.choice([0.0, 1.0, 1.5, 3.0])
            asyncio.get_running_loop().call_later(seconds, task.cancel)
        try:
            await task
        except (asyncio.CancelledError, SpendLimitReached) as end:
            ends.append(type(end).__name__)
        else:
            ends.append("decided")

    async with anyio.create_task_group() as group:
        for number in range(40):
            group.start_soon(one, number)
    assert asyncio.all_tasks() == before
    assert set(ends) == {"CancelledError", "SpendLimitReached", "decided"}
    assert stand.watcher.balanced
    assert await stand.has_left(round(1 - taken, 9))


def deriving(judge: Slow) -> Derivation:
    return Derivation(judge, 8, lambda name, usage: None)


async def test_costing_takes_its_time_from_the_deriving() -> None:
    judge = Slow("a", 3)
    decision = await Stand().judge(judge, derivation=deriving(judge))
    assert [criterion.id for criterion in decision.derived_rubric] == ["C1"]
    assert judge.timeouts[0] == 15 - 3


class Endless(Slow):
    """A judge that never has a rubric."""

    async def derive(self, *given: object) -> tuple[Criterion, ...]:  # type: ignore[override]
        await anyio.sleep_forever()
        raise AssertionError


async def test_a_caller_that_leaves_while_criteria_are_derived_is_told_of_no_failure() -> None:
    stand, judge = Stand(), Endless("a")
    task = asyncio.create_task(stand.judge(judge, derivation=deriving(judge)))
    await asyncio.sleep(1)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert judge.asked == []
    assert await stand.has_left(0.99)


async def test_where_the_cost_comes_too_late_no_criteria_are_derived() -> None:
    stand, judge = Stand(), Slow("a", FOREVER)
    with pytest.raises(CriteriaNotDerived) as refused:
        await stand.judge(judge, derivation=deriving(judge))
    assert str(refused.value) == f"judge 'a' derived no rubric: {LATE.reason}"
    assert await stand.has_left(1)


class DearDeriver(Slow):
    """A judge whose deriving may cost ten times as much as its judging."""

    async def worst_cost_of_deriving(self, task: str, max_criteria: int) -> float | None:
        return 10 * self.worst


async def test_deriving_is_refused_by_what_it_may_cost_itself() -> None:
    judge = DearDeriver("a", worst=0.2)
    with pytest.raises(SpendLimitReached) as refused:
        await Stand().judge(judge, derivation=deriving(judge))
    assert "could cost $2, and $1 of its $1 an hour are left" in str(refused.value)
    assert not judge.timeouts
