"""All habits together, in their order."""

import asyncio

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from consensus.domain.decision import SeatStatus
from consensus.domain.gradient import FailureKind, GradientResult
from consensus.domain.habits import bare
from consensus.domain.judges import (
    BreakerHabit,
    CacheHabit,
    Habits,
    HedgeHabit,
    LimitHabit,
    RetryHabit,
)
from consensus.domain.policy import Seat
from consensus.domain.ports import WaitingJudge
from consensus.judges.wrappers import UNOBSERVED, compose
from tests.builders import FOREVER, decide, seats_of, stage, submission
from tests.judges.wrappers.scripted import (
    GOOD,
    Scripted,
    Told,
    ask,
    chance,
    evaluation,
    lasting,
    outcome,
    passing,
)
from tests.virtual_clock import VirtualClock

ALL = Habits(
    limit=LimitHabit(concurrency=4),
    retry=RetryHabit(),
    hedge=HedgeHabit(),
    breaker=BreakerHabit(),
    cache=CacheHabit(ttl_seconds=60),
)
NOT_KEPT = Habits(limit=ALL.limit, retry=ALL.retry, hedge=ALL.hedge, breaker=ALL.breaker)


def composed(judge: WaitingJudge, habits: Habits = ALL, told: Told | None = None) -> WaitingJudge:
    return compose(judge, habits, VirtualClock(), told or UNOBSERVED, chance(0))


def test_without_habits_there_is_no_wrapper() -> None:
    judge = Scripted()
    assert composed(judge, Habits()) is judge


@pytest.mark.parametrize(
    ("habits", "most"),
    [
        (Habits(), 1),
        (Habits(limit=ALL.limit, breaker=ALL.breaker, cache=ALL.cache), 1),
        (Habits(retry=ALL.retry), 2),
        (Habits(hedge=ALL.hedge), 2),
        (ALL, 4),
    ],
)
def test_the_most_calls_of_one_answer_are_those_of_every_habit(habits: Habits, most: int) -> None:
    judge = Scripted()
    assert bare(composed(judge, habits)) == (judge, most)


async def test_a_judge_with_habits_is_still_that_judge() -> None:
    judge = Scripted()
    wrapped = composed(judge)
    assert (wrapped.name, wrapped.kind, wrapped.waits) == ("judge", "scripted", True)
    assert wrapped.description == judge.description
    await wrapped.close(2.5)
    assert judge.closed == [2.5]


async def test_what_is_kept_is_answered_behind_an_open_breaker() -> None:
    judge = Scripted((0.1, GOOD), (0.1, lasting()))
    wrapped = composed(judge)
    await ask(wrapped, evaluation("kept"))
    for number in range(19):
        await outcome(wrapped, evaluation(f"{number}"))
    assert await outcome(wrapped, evaluation("new")) is FailureKind.BREAKER_OPEN
    assert isinstance(await outcome(wrapped, evaluation("kept")), GradientResult)


async def test_the_breaker_sees_a_failure_that_a_retry_mended_as_none() -> None:
    judge = Scripted(*[(0.1, passing()), (0.1, GOOD), (0.1, GOOD), (0.1, GOOD)] * 10)
    told = Told()
    wrapped = composed(judge, NOT_KEPT, told)
    kinds = [await outcome(wrapped) for _ in range(12)]
    assert kinds == [GOOD] * 12
    assert told.of("breaker") == ["closed"]


async def test_the_limit_holds_for_retries_and_hedges_too_and_not_while_a_retry_waits() -> None:
    judge = Scripted((1.0, GOOD))
    one = Habits(
        limit=LimitHabit(concurrency=1, max_wait_share=1.0), retry=ALL.retry, hedge=ALL.hedge
    )
    wrapped = composed(judge, one)
    for _ in range(10):
        await ask(wrapped)
    judge.then((5.0, GOOD))
    await asyncio.gather(*(outcome(wrapped, seconds=30.0) for _ in range(3)))
    assert judge.most_under_way == 1
    judge.then((1.0, passing(FailureKind.RATE_LIMITED, 3.0)), (1.0, GOOD))
    slow = asyncio.create_task(ask(wrapped, seconds=30.0))
    await asyncio.sleep(1.5)
    assert await ask(wrapped, seconds=2.0) == GOOD
    assert await slow == GOOD


async def test_a_panel_records_every_attempt() -> None:
    judge = composed(Scripted((0.1, passing()), (0.1, GOOD)))
    seat = seats_of(await decide(stage("judge"), judge))["judge"]
    assert (seat.status, seat.attempts) == (SeatStatus.SCORED, 2)


async def test_a_breaker_that_is_open_is_a_missing_judge_and_no_low_score() -> None:
    judge = composed(Scripted((0.1, lasting())))
    for number in range(11):
        decision = await decide(stage("judge"), judge, about=submission(f"{number}"))
    seat = seats_of(decision)["judge"]
    assert seat.status is SeatStatus.FAILED
    assert getattr(seat.answer, "kind", None) is FailureKind.BREAKER_OPEN
    assert decision.stages[-1].consensus is None or decision.effective_score is None


async def test_a_hanging_backend_opens_the_breaker_through_the_panels_own_time_out() -> None:
    scripted, told = Scripted((FOREVER, GOOD)), Told()
    judge = composed(scripted, told=told)
    rules = stage(Seat(judge="judge", timeout_seconds=2.5))
    for number in range(10):
        await decide(rules, judge, about=submission(f"{number}"))
    assert told.of("breaker") == ["closed", "open"]
    assert scripted.under_way == 0


@settings(max_examples=30)
@given(st.integers(0, 2**32 - 1))
async def test_a_storm_of_cancellations_leaves_nothing_behind(seed: int) -> None:
    dice, before = chance(seed), asyncio.all_tasks()
    scripts = (GOOD, GOOD, passing(), lasting(), passing(FailureKind.RATE_LIMITED, 0.2))
    plays = [(dice.choice((0.1, 0.1, 0.3, 3.0)), dice.choice(scripts)) for _ in range(100)]
    judge, told = Scripted(*plays), Told()
    habits = replace(ALL, hedge=HedgeHabit(max_share=0.5), breaker=BreakerHabit(failure_share=0.9))
    wrapped = composed(judge, habits, told)

    async def caller() -> None:
        await asyncio.sleep(dice.random() * 10)
        about = evaluation(dice.choice("abcdefghijklmnop"))
        call = asyncio.create_task(outcome(wrapped, about, seconds=dice.choice((0.2, 1.0, 5.0))))
        await asyncio.wait([call], timeout=dice.choice((0.05, 0.5, 9.0)))
        call.cancel()
        await asyncio.wait([call])

    await asyncio.gather(*(caller() for _ in range(100)))
    assert asyncio.all_tasks() == before
    assert judge.under_way == 0
    assert judge.most_under_way <= 4
    assert sum(told.of("waiting")) == 0
    await asyncio.sleep(200)
    judge.then((1.0, GOOD))
    await outcome(wrapped, evaluation("a probe, if the breaker is open"))
    after = asyncio.gather(*(outcome(wrapped, evaluation(f"{n}")) for n in range(4)))
    await asyncio.sleep(0.5)
    assert judge.under_way == 4
    assert [type(answer) for answer in await after] == [GradientResult] * 4
