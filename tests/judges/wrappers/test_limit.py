"""The limit: so many calls at a time, the others in turn, none for long, no place ever lost."""

import asyncio

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from consensus.domain.errors import JudgeFailed
from consensus.domain.gradient import FailureKind
from consensus.domain.judges import LimitHabit
from consensus.judges.wrappers.limit import Limit
from tests.judges.wrappers.scripted import GOOD, Scripted, Told, ask, chance, lasting, now, outcome
from tests.virtual_clock import VirtualClock


def limited(
    judge: Scripted, places: int = 1, share: float = 0.1, told: Told | None = None
) -> Limit:
    habit = LimitHabit(concurrency=places, max_wait_share=share)
    return Limit(judge, habit, VirtualClock(), told or Told())


async def test_no_more_than_so_many_calls_are_under_way() -> None:
    judge = Scripted((1.0, GOOD))
    limit = limited(judge, places=3, share=1.0)
    answers = await asyncio.gather(*(ask(limit) for _ in range(10)))
    assert answers == [GOOD] * 10
    assert judge.most_under_way == 3


async def test_places_are_given_in_the_order_of_asking() -> None:
    judge = Scripted((1.0, GOOD))
    limit = limited(judge, share=1.0)
    ended: list[int] = []

    async def call(number: int) -> None:
        await ask(limit)
        ended.append(number)

    await asyncio.gather(*map(call, range(6)))
    assert ended == list(range(6))


async def test_a_call_that_waits_too_long_fails_as_overloaded() -> None:
    judge, told = Scripted((5.0, GOOD)), Told()
    limit = limited(judge, told=told)
    first = asyncio.create_task(ask(limit))
    await asyncio.sleep(0)
    began = now()
    with pytest.raises(JudgeFailed) as caught:
        await ask(limit, seconds=10.0)
    assert (caught.value.kind, caught.value.passing) == (FailureKind.OVERLOADED, False)
    assert now() - began == pytest.approx(1.0)
    assert await first == GOOD
    assert judge.calls == 1
    assert told.of("limited") == [1]
    assert told.of("waiting") == [0, 1, -1]


async def test_the_wait_is_taken_from_the_time_of_the_call() -> None:
    judge = Scripted((0.7, GOOD))
    limit = limited(judge)
    await asyncio.gather(ask(limit), ask(limit))
    assert judge.timeouts == [10.0, pytest.approx(9.3)]


async def test_without_a_share_nobody_waits() -> None:
    limit = limited(Scripted((1.0, GOOD)), share=0.0)
    kinds = await asyncio.gather(*(outcome(limit) for _ in range(3)))
    assert kinds == [GOOD, FailureKind.OVERLOADED, FailureKind.OVERLOADED]


async def test_a_failure_gives_its_place_back() -> None:
    judge = Scripted((1.0, lasting()))
    limit = limited(judge)
    assert [await outcome(limit) for _ in range(3)] == [FailureKind.ERROR] * 3


@settings(max_examples=60)
@given(st.integers(0, 2**32 - 1), st.integers(1, 4), st.sampled_from((0.0, 0.1, 1.0)))
async def test_no_place_is_lost_in_a_storm_of_cancellations(
    seed: int, places: int, share: float
) -> None:
    dice = chance(seed)
    plays = [(dice.choice((0.0, 0.1, 0.3)), dice.choice((GOOD, lasting()))) for _ in range(40)]
    judge, told = Scripted(*plays), Told()
    limit = limited(judge, places, share, told)

    async def caller() -> None:
        await asyncio.sleep(dice.choice((0.0, 0.1, 0.2)))
        call = asyncio.create_task(outcome(limit, seconds=dice.choice((0.5, 2.0))))
        await asyncio.wait([call], timeout=dice.choice((0.0, 0.1, 0.2, 9.0)))
        call.cancel()
        await asyncio.wait([call])

    await asyncio.gather(*(caller() for _ in range(40)))
    assert judge.under_way == 0
    assert judge.most_under_way <= places
    assert sum(told.of("waiting")) == 0
    judge.then((1.0, GOOD))
    after = asyncio.gather(*(outcome(limit) for _ in range(places)))
    await asyncio.sleep(0.5)
    assert judge.under_way == places
    assert await after == [GOOD] * places
