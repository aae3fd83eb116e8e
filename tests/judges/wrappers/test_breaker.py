"""The breaker: opens on a backend that keeps failing, probes, closes; nothing else opens it."""

import asyncio
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from consensus.domain.errors import JudgeFailed
from consensus.domain.gradient import FailureKind
from consensus.domain.judges import BreakerHabit
from consensus.judges.wrappers.breaker import JITTER, Breaker
from consensus.judges.wrappers.limit import NoPlace
from consensus.judges.wrappers.window import Window
from tests.builders import FOREVER, Script
from tests.judges.wrappers.scripted import (
    GOOD,
    Scripted,
    Told,
    ask,
    chance,
    lasting,
    now,
    outcome,
)
from tests.virtual_clock import VirtualClock

OPEN = FailureKind.BREAKER_OPEN


class Prompt(Random):
    """Without any jitter."""

    def uniform(self, a: float, b: float) -> float:
        return a


def breaking(
    *plays: tuple[float, Script], told: Told | None = None, **habit: Any
) -> tuple[Scripted, Breaker]:
    judge = Scripted(*plays)
    breaker = Breaker(judge, BreakerHabit(**habit), VirtualClock(), told or Told(), Prompt(0))
    return judge, breaker


async def calls(breaker: Breaker, count: int, seconds: float = 10.0) -> list[object]:
    return [await outcome(breaker, seconds=seconds) for _ in range(count)]


async def test_it_opens_at_ten_calls_of_which_half_failed() -> None:
    plays = [(0.1, GOOD), (0.1, lasting())] * 5
    judge, breaker = breaking(*plays)
    await calls(breaker, 10)
    began = now()
    with pytest.raises(JudgeFailed) as caught:
        await ask(breaker)
    assert (caught.value.kind, caught.value.passing) == (OPEN, False)
    assert (now(), judge.calls) == (began, 10)


async def test_what_opened_it_does_not_count_once_it_is_closed_again() -> None:
    judge, breaker = breaking((0.1, lasting()), window_seconds=600.0, open_seconds=5.0)
    await calls(breaker, 10)
    await asyncio.sleep(6)
    judge.then((0.1, GOOD), (0.1, lasting()))
    assert await calls(breaker, 10) == [GOOD, *[FailureKind.ERROR] * 9]


async def test_nine_failures_leave_it_closed() -> None:
    judge, breaker = breaking((0.1, lasting()))
    assert OPEN not in await calls(breaker, 10)
    assert await calls(breaker, 1) == [OPEN]
    assert judge.calls == 10


async def test_fewer_failures_than_half_leave_it_closed() -> None:
    _, breaker = breaking(*[(0.1, GOOD), (0.1, lasting()), (0.1, GOOD)] * 20)
    assert OPEN not in await calls(breaker, 60)


async def test_failures_that_are_long_past_are_forgotten() -> None:
    _, breaker = breaking((0.1, lasting()))
    await calls(breaker, 9)
    await asyncio.sleep(31)
    assert OPEN not in await calls(breaker, 9)


@pytest.mark.parametrize(
    "kind",
    [FailureKind.RATE_LIMITED, FailureKind.SPEND_LIMIT, FailureKind.REFUSED, FailureKind.FILTERED],
)
async def test_failures_that_say_nothing_of_its_health_leave_it_closed(kind: FailureKind) -> None:
    _, breaker = breaking((0.1, lasting(kind)))
    assert await calls(breaker, 40) == [kind] * 40


@pytest.mark.parametrize(
    "kind",
    [FailureKind.ERROR, FailureKind.TIMEOUT, FailureKind.OVERLOADED, FailureKind.UNREADABLE],
)
async def test_every_other_failure_counts(kind: FailureKind) -> None:
    _, breaker = breaking((0.1, lasting(kind)))
    assert await calls(breaker, 12) == [kind] * 10 + [OPEN] * 2


async def test_a_crash_counts() -> None:
    _, breaker = breaking((0.1, ZeroDivisionError()))
    for _ in range(10):
        with pytest.raises(ZeroDivisionError):
            await ask(breaker)
    assert await calls(breaker, 1) == [OPEN]


async def test_a_cancellation_that_nobody_asked_for_counts_as_a_crash() -> None:
    _, breaker = breaking((0.1, asyncio.CancelledError()))
    for _ in range(10):
        with pytest.raises(asyncio.CancelledError):
            await ask(breaker)
    assert await calls(breaker, 1) == [OPEN]


async def test_want_of_a_place_does_not_count() -> None:
    _, breaker = breaking((0.1, NoPlace(1, 1.0)))
    assert await calls(breaker, 40) == [FailureKind.OVERLOADED] * 40


async def test_one_callers_submissions_do_not_take_the_judge_away_from_all() -> None:
    too_long = JudgeFailed(FailureKind.ERROR, "too long", about_submission=True)
    judge, breaker = breaking(*[(0.1, too_long)] * 40, (0.1, GOOD))
    assert await calls(breaker, 41) == [FailureKind.ERROR] * 40 + [GOOD]
    assert judge.calls == 41


async def test_calls_that_are_cancelled_because_nobody_needs_them_do_not_count() -> None:
    judge, breaker = breaking((FOREVER, GOOD))
    for _ in range(40):
        task = asyncio.create_task(ask(breaker))
        await asyncio.sleep(1)
        task.cancel()
        await asyncio.wait([task])
    assert judge.calls == 40


async def test_calls_that_the_panel_cancels_at_their_time_out_count_as_late() -> None:
    judge, breaker = breaking((FOREVER, GOOD))
    assert await calls(breaker, 12, seconds=2.0) == [FailureKind.TIMEOUT] * 10 + [OPEN] * 2
    assert judge.calls == 10


async def test_one_callers_haste_does_not_take_the_judge_away_from_all() -> None:
    judge, breaker = breaking((2.0, GOOD))
    await calls(breaker, 1, seconds=10.0)
    assert await calls(breaker, 40, seconds=0.5) == [FailureKind.TIMEOUT] * 40
    assert await calls(breaker, 1) == [GOOD]
    assert judge.calls == 42


async def test_the_hangs_of_all_count_again_once_the_most_patient_caller_is_long_gone() -> None:
    judge, breaker = breaking((FOREVER, GOOD))
    await calls(breaker, 1, seconds=120.0)
    hung = await asyncio.gather(*(outcome(breaker, seconds=30.0) for _ in range(10)))
    assert hung == [FailureKind.TIMEOUT] * 10
    assert await calls(breaker, 1, seconds=30.0) == [OPEN]
    assert judge.calls == 11


async def test_a_hasty_probe_decides_nothing_where_others_were_turned_away() -> None:
    judge, breaker = breaking((0.0, lasting()), open_seconds=60.0)
    await calls(breaker, 10)
    judge.then((2.0, GOOD))
    await asyncio.sleep(50)
    assert await calls(breaker, 1, seconds=10.0) == [OPEN]
    await asyncio.sleep(10)
    assert await calls(breaker, 1, seconds=0.5) == [FailureKind.TIMEOUT]
    assert await calls(breaker, 1, seconds=10.0) == [GOOD]


async def test_a_hasty_probe_decides_nothing_soon_after_the_calls_of_others() -> None:
    judge, breaker = breaking((0.0, lasting()))
    await calls(breaker, 10)
    judge.then((2.0, GOOD))
    await asyncio.sleep(10)
    assert await calls(breaker, 2, seconds=0.5) == [FailureKind.TIMEOUT] * 2
    assert await calls(breaker, 1) == [GOOD]


async def test_a_probe_that_succeeds_closes_it() -> None:
    told = Told()
    judge, breaker = breaking((0.1, lasting()), told=told)
    await calls(breaker, 10)
    judge.then((0.1, GOOD))
    await asyncio.sleep(9.8)
    assert await calls(breaker, 1) == [OPEN]
    await asyncio.sleep(0.3)
    assert await calls(breaker, 20) == [GOOD] * 20
    assert told.of("breaker") == ["closed", "open", "half_open", "closed"]


async def test_one_call_probes_and_the_others_are_not_made() -> None:
    judge, breaker = breaking((0.1, lasting()))
    await calls(breaker, 10)
    judge.then((1.0, GOOD))
    await asyncio.sleep(10)
    kinds = await asyncio.gather(*(outcome(breaker) for _ in range(5)))
    assert kinds == [GOOD, OPEN, OPEN, OPEN, OPEN]
    assert judge.calls == 11


async def test_the_wait_doubles_up_to_two_minutes_and_starts_afresh_once_closed() -> None:
    judge, breaker = breaking((0.0, lasting()))
    await calls(breaker, 10)
    assert [await until_probed(judge, breaker) for _ in range(6)] == [10, 20, 40, 80, 120, 120]
    judge.then((0.0, GOOD))
    await until_probed(judge, breaker)
    judge.then((0.0, lasting()))
    await calls(breaker, 10)
    assert await until_probed(judge, breaker) == 10


async def until_probed(judge: Scripted, breaker: Breaker) -> int:
    """Call every second until a call is made; returns the seconds."""
    began, before = now(), judge.calls
    while True:
        await asyncio.sleep(1)
        await outcome(breaker)
        if judge.calls > before:
            return round(now() - began)


async def test_replicas_do_not_probe_at_once() -> None:
    waits = set()
    for seed in range(5):
        judge = Scripted((0.0, lasting()))
        breaker = Breaker(judge, BreakerHabit(), VirtualClock(), Told(), chance(seed))
        await calls(breaker, 10)
        began = now()
        while judge.calls == 10:
            await asyncio.sleep(0.01)
            await outcome(breaker)
        waits.add(round(now() - began, 2))
    assert len(waits) > 1
    assert all(10 <= wait <= 10 * (1 + JITTER) + 0.02 for wait in waits)


async def test_a_probe_that_nobody_needs_any_more_leaves_its_turn_to_the_next_call() -> None:
    judge, breaker = breaking((0.0, lasting()))
    await calls(breaker, 10)
    judge.then((FOREVER, GOOD), (0.1, GOOD))
    await asyncio.sleep(10)
    task = asyncio.create_task(ask(breaker))
    await asyncio.sleep(1)
    task.cancel()
    await asyncio.wait([task])
    assert await calls(breaker, 2) == [GOOD, GOOD]


async def test_a_rate_limited_probe_decides_nothing() -> None:
    judge, breaker = breaking((0.0, lasting()))
    await calls(breaker, 10)
    judge.then((0.1, lasting(FailureKind.RATE_LIMITED)), (0.1, GOOD))
    await asyncio.sleep(10)
    assert await calls(breaker, 2) == [FailureKind.RATE_LIMITED, GOOD]


async def test_what_began_before_it_opened_is_not_held_against_the_judge_afterwards() -> None:
    _, breaker = breaking(*[(30.0, lasting())] * 10, *[(0.1, lasting())] * 10, (0.1, GOOD))
    old = [asyncio.create_task(outcome(breaker, seconds=60.0)) for _ in range(10)]
    await asyncio.sleep(0)
    await calls(breaker, 10, seconds=60.0)
    await asyncio.sleep(15)
    assert await calls(breaker, 1, seconds=60.0) == [GOOD]
    assert await asyncio.gather(*old) == [FailureKind.ERROR] * 10
    assert await calls(breaker, 1) == [GOOD]


@given(
    st.lists(st.tuples(st.floats(0, 5), st.booleans()), max_size=80),
)
def test_the_window_forgets_by_the_tenth_and_never_counts_more_than_there_was(
    steps: list[tuple[float, bool]],
) -> None:
    window, at = Window(30.0), 0.0
    seen: list[tuple[float, bool]] = []
    for pause, failed in steps:
        at += pause
        window.add(at, failed)
        seen.append((at, failed))
        counted, failures = window.counted(at)
        inside = [bad for when, bad in seen if at - when < 27.0]
        around = [bad for when, bad in seen if at - when < 30.0]
        assert len(inside) <= counted <= len(around)
        assert sum(inside) <= failures <= sum(around)
