"""The hedge: a second call where the first is late, rarely, and never a mess left behind."""

import asyncio

import anyio
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from consensus.domain.errors import JudgeFailed
from consensus.domain.evaluation import Evaluation
from consensus.domain.gradient import Abstention, Answer, FailureKind
from consensus.domain.judges import HedgeHabit
from consensus.judges.wrappers.hedge import (
    FLOOR,
    GRACE_SECONDS,
    MOST_LATE,
    WATCHED_CALLS,
    Hedge,
)
from tests.builders import FOREVER, Script, scores
from tests.judges.wrappers.scripted import (
    GOOD,
    Scripted,
    Told,
    ask,
    chance,
    evaluation,
    lasting,
    now,
    outcome,
    passing,
)
from tests.virtual_clock import VirtualClock

OTHER = scores(0.2)


async def hedging(
    judge: Scripted, *plays: tuple[float, Script], told: Told | None = None, share: float = 0.05
) -> Hedge:
    """Return a hedge that knows that a call takes one second, and then the judge's next plays."""
    judge.plays = ((1.0, GOOD),)
    hedge = Hedge(judge, HedgeHabit(max_share=share), VirtualClock(), told or Told())
    for _ in range(10):
        await ask(hedge)
    judge.then(*plays)
    return hedge


async def test_the_hedges_answer_counts_where_it_is_first_and_the_loser_is_cancelled(
    caplog: pytest.LogCaptureFixture,
) -> None:
    judge, told, before = Scripted(), Told(), asyncio.all_tasks()
    hedge = await hedging(judge, (8.0, OTHER), (0.5, GOOD), told=told)
    began, about = now(), evaluation()
    assert await ask(hedge, about) == GOOD
    assert now() - began == pytest.approx(1.5)
    assert (judge.calls, judge.cancelled, judge.under_way) == (12, 1, 0)
    assert about.ledger("judge").attempts == 2
    assert judge.timeouts[-2:] == [10.0, pytest.approx(9.0)]
    assert told.of("hedged") == ["won"]
    assert told.of("hedging_delay") == [1.0]
    assert asyncio.all_tasks() == before
    assert caplog.records == []


async def test_the_first_call_may_still_win() -> None:
    judge, told = Scripted(), Told()
    hedge = await hedging(judge, (1.2, OTHER), (0.5, GOOD), told=told)
    assert await ask(hedge) == OTHER
    assert (judge.calls, judge.cancelled) == (12, 1)
    assert told.of("hedged") == ["lost"]


async def test_what_both_calls_used_is_on_the_ledger() -> None:
    judge = Scripted(bills=True)
    hedge = await hedging(judge, (8.0, OTHER), (0.5, GOOD))
    about = evaluation()
    await ask(hedge, about)
    ledger = about.ledger("judge")
    assert ledger.attempts == 2
    assert ledger.usage is not None
    assert ledger.usage.input_tokens == 14


async def test_a_call_in_time_is_not_hedged() -> None:
    judge, told = Scripted(), Told()
    hedge = await hedging(judge, (0.9, OTHER), told=told)
    assert await ask(hedge) == OTHER
    assert (judge.calls, told.of("hedged")) == (11, [])


async def test_before_ten_answers_nobody_knows_what_late_is() -> None:
    judge = Scripted((1.0, GOOD))
    hedge = Hedge(judge, HedgeHabit(), VirtualClock(), Told())
    for _ in range(9):
        await ask(hedge)
    judge.then((9.0, OTHER))
    assert await ask(hedge) == OTHER
    assert judge.calls == 10


async def test_a_failure_of_the_first_waits_for_the_hedge() -> None:
    judge, told = Scripted(), Told()
    hedge = await hedging(judge, (1.5, passing()), (2.0, GOOD), told=told)
    began = now()
    assert await ask(hedge) == GOOD
    assert now() - began == pytest.approx(3.0)
    assert told.of("hedged") == ["won"]


async def test_a_failure_of_the_hedge_waits_for_the_first() -> None:
    judge, told = Scripted(), Told()
    hedge = await hedging(judge, (4.0, OTHER), (0.5, passing()), told=told)
    assert await ask(hedge) == OTHER
    assert told.of("hedged") == ["lost"]


async def test_where_both_fail_the_failure_is_the_firsts() -> None:
    judge, told = Scripted(), Told()
    plays = (2.0, lasting(FailureKind.REFUSED)), (0.5, passing())
    hedge = await hedging(judge, *plays, told=told)
    assert await outcome(hedge) is FailureKind.REFUSED
    assert told.of("hedged") == ["failed"]


async def test_an_early_failure_is_not_hedged() -> None:
    judge = Scripted()
    hedge = await hedging(judge, (0.5, passing()))
    assert await outcome(hedge) is FailureKind.ERROR
    assert judge.calls == 11


async def test_an_abstention_is_a_good_answer() -> None:
    judge = Scripted()
    hedge = await hedging(judge, (8.0, OTHER), (0.5, Abstention("cannot tell")))
    assert await ask(hedge) == Abstention("cannot tell")


async def test_a_crash_stays_a_crash() -> None:
    judge = Scripted()
    hedge = await hedging(judge, (1.5, ZeroDivisionError()), (0.1, ZeroDivisionError()))
    with pytest.raises(ZeroDivisionError):
        await ask(hedge)


async def test_a_call_cancelled_from_within_is_a_failure_and_not_our_cancellation() -> None:
    judge = Scripted()
    hedge = await hedging(judge, (0.5, asyncio.CancelledError()))
    with pytest.raises(JudgeFailed) as caught:
        await ask(hedge)
    assert caught.value.kind is FailureKind.ERROR


@pytest.mark.parametrize("seconds", [0.5, 3.0])
async def test_cancelling_the_caller_cancels_both_calls(seconds: float) -> None:
    judge, told, before = Scripted(), Told(), asyncio.all_tasks()
    hedge = await hedging(judge, (FOREVER, GOOD), (FOREVER, GOOD), told=told)
    about = evaluation()
    with anyio.move_on_after(seconds) as scope:
        await ask(hedge, about)
    assert scope.cancelled_caught
    both = seconds > 1
    assert judge.cancelled == judge.calls - 10 == about.ledger("judge").attempts == 1 + both
    assert told.of("hedged") == ["cancelled"] * both
    assert asyncio.all_tasks() == before


class Deaf(Scripted):
    """A judge whose second last call does not obey its cancellation."""

    async def evaluate(self, evaluation: Evaluation, timeout_seconds: float) -> Answer:
        try:
            return await super().evaluate(evaluation, timeout_seconds)
        except asyncio.CancelledError:
            await asyncio.sleep(60)
            raise ZeroDivisionError from None


async def test_a_loser_that_does_not_obey_is_not_waited_for() -> None:
    judge, before = Deaf(), asyncio.all_tasks()
    hedge = await hedging(judge, (8.0, OTHER), (0.5, GOOD))
    began = now()
    assert await ask(hedge) == GOOD
    assert now() - began == pytest.approx(1.5 + GRACE_SECONDS)
    await asyncio.sleep(100)
    assert asyncio.all_tasks() == before


async def test_a_backend_that_is_slow_as_a_whole_gets_no_hedges() -> None:
    judge, told = Scripted(), Told()
    hedge = await hedging(judge, (FOREVER, GOOD), told=told, share=0.5)
    for _ in range(MOST_LATE + 20):
        await outcome(hedge, seconds=2.0)
    calls = judge.calls - 10 - (MOST_LATE + 20)
    assert 0 < calls <= MOST_LATE + 1


async def test_a_backend_that_is_itself_again_gets_its_hedges_back() -> None:
    judge = Scripted()
    hedge = await hedging(judge, (FOREVER, GOOD), share=0.5)
    for _ in range(MOST_LATE + 20):
        await outcome(hedge, seconds=2.0)
    judge.then((0.9, GOOD))
    for _ in range(WATCHED_CALLS):
        await ask(hedge)
    judge.then((8.0, OTHER), (0.5, GOOD))
    assert await ask(hedge) == GOOD


async def test_calls_that_are_late_while_nobody_hedges_count_as_late_too() -> None:
    judge = Scripted()
    hedge = await hedging(judge, (FOREVER, GOOD), share=0.5)
    for _ in range(WATCHED_CALLS + MOST_LATE):
        await outcome(hedge, seconds=2.0)
    judge.then((8.0, OTHER), (0.5, GOOD))
    assert await ask(hedge) == OTHER


async def test_once_slow_is_usual_it_is_not_late() -> None:
    judge, told, dice = Scripted(), Told(), chance(1)
    slow = [(dice.uniform(3.0, 4.0), GOOD) for _ in range(400)]
    hedge = await hedging(judge, *slow, told=told, share=0.5)
    for _ in range(300):
        await ask(hedge)
    judge.then((9.0, OTHER), (1.0, GOOD))
    assert await ask(hedge) == GOOD
    assert told.of("hedging_delay")[-1] == pytest.approx(4.0, abs=0.2)


async def test_hedges_do_not_shorten_what_counts_as_late() -> None:
    dice, told = chance(3), Told()
    judge = Scripted(*((dice.lognormvariate(0, 0.5), GOOD) for _ in range(3_000)))
    hedge = Hedge(judge, HedgeHabit(), VirtualClock(), told)
    for _ in range(2_000):
        await ask(hedge, seconds=60.0)
    assert 1.5 < told.of("hedging_delay")[-1] < 3.0  # the 95th percentile is 2.28
    assert 40 <= judge.calls - 2_000 <= 101


@settings(max_examples=40)
@given(
    st.lists(st.tuples(st.floats(0, 4), st.booleans()), min_size=12, max_size=90),
    st.floats(0.01, 0.5),
)
async def test_hedges_never_exceed_their_share(
    calls: list[tuple[float, bool]], share: float
) -> None:
    judge, told = Scripted(*((s, passing() if bad else GOOD) for s, bad in calls)), Told()
    hedge = Hedge(judge, HedgeHabit(max_share=share), VirtualClock(), told)

    async def caller(number: int) -> None:
        await asyncio.sleep(number * 0.7)
        await outcome(hedge, seconds=3.0)

    await asyncio.gather(*(caller(number) for number in range(len(calls))))
    assert judge.calls - len(calls) == len(told.of("hedged"))
    assert judge.calls - len(calls) <= share * len(calls) + FLOOR + 1e-6
    assert judge.under_way == 0
