"""The retry: once, after a passing failure, where time and budget allow."""

import asyncio
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from consensus.domain.errors import JudgeFailed
from consensus.domain.gradient import FailureKind, GradientResult
from consensus.domain.judges import RetryHabit
from consensus.judges.wrappers.retry import FLOOR, Retry
from tests.judges.wrappers.scripted import (
    GOOD,
    Scripted,
    Told,
    ask,
    evaluation,
    lasting,
    now,
    outcome,
    passing,
)
from tests.virtual_clock import VirtualClock


class Loaded(Random):
    """Always rolls the same share of what is possible."""

    def __init__(self, share: float) -> None:
        super().__init__(0)
        self.share = share

    def uniform(self, a: float, b: float) -> float:
        return a + (b - a) * self.share


def retrying(
    judge: Scripted, habit: RetryHabit | None = None, told: Told | None = None, roll: float = 1.0
) -> Retry:
    return Retry(judge, habit or RetryHabit(), VirtualClock(), told or Told(), Loaded(roll))


async def test_a_passing_failure_is_tried_again_once() -> None:
    judge, told = Scripted((1.0, passing()), (1.0, GOOD)), Told()
    about = evaluation()
    assert await ask(retrying(judge, told=told), about) == GOOD
    assert judge.calls == 2
    assert about.ledger("judge").attempts == 2
    assert told.of("retried") == ["error"]


async def test_a_second_failure_is_the_last() -> None:
    judge = Scripted((1.0, passing()), (1.0, passing(FailureKind.OVERLOADED)))
    assert await outcome(retrying(judge)) is FailureKind.OVERLOADED
    assert judge.calls == 2


@pytest.mark.parametrize("kind", FailureKind)
async def test_a_failure_that_would_be_the_same_again_is_not_tried_again(
    kind: FailureKind,
) -> None:
    judge = Scripted((1.0, lasting(kind)))
    assert await outcome(retrying(judge)) is kind
    assert judge.calls == 1


@pytest.mark.parametrize(
    "kind",
    [
        FailureKind.REFUSED,
        FailureKind.FILTERED,
        FailureKind.UNREADABLE,
        FailureKind.TRUNCATED,
        FailureKind.SPEND_LIMIT,
        FailureKind.BREAKER_OPEN,
    ],
)
async def test_a_word_about_the_submission_is_final_whatever_the_judge_calls_it(
    kind: FailureKind,
) -> None:
    judge = Scripted((1.0, passing(kind)))
    assert await outcome(retrying(judge)) is kind
    assert judge.calls == 1


@pytest.mark.parametrize(
    ("base", "cap", "roll", "wait"),
    [(0.2, 2.0, 1.0, 0.4), (0.2, 2.0, 0.5, 0.2), (0.2, 2.0, 0.0, 0.0), (1.5, 2.0, 1.0, 2.0)],
)
async def test_the_wait_is_jitter_from_zero_to_twice_the_base_or_the_cap(
    base: float, cap: float, roll: float, wait: float
) -> None:
    judge = Scripted((1.0, passing()), (0.0, GOOD))
    habit = RetryHabit(base_seconds=base, cap_seconds=cap)
    began = now()
    await ask(retrying(judge, habit, roll=roll))
    assert now() - began == pytest.approx(1.0 + wait)
    assert judge.timeouts == [10.0, pytest.approx(9.0 - wait)]


async def test_the_backends_wish_for_rest_is_honoured() -> None:
    judge = Scripted((1.0, passing(FailureKind.RATE_LIMITED, 3.0)), (0.0, GOOD))
    began = now()
    assert await ask(retrying(judge)) == GOOD
    assert now() - began == pytest.approx(1.0 + 3.0 + 0.4)


async def test_a_wish_for_more_rest_than_there_is_time_gives_up_at_once() -> None:
    judge, told = Scripted((1.0, passing(FailureKind.ERROR, 9.5))), Told()
    began = now()
    with pytest.raises(JudgeFailed) as caught:
        await ask(retrying(judge, told=told))
    assert caught.value.kind is FailureKind.RATE_LIMITED
    assert "9.5 s" in caught.value.reason
    assert now() - began == pytest.approx(1.0)
    assert (judge.calls, told.of("retried")) == (1, [])


async def test_no_retry_where_a_usual_call_would_not_fit_any_more() -> None:
    judge = Scripted((2.0, GOOD))
    retry = retrying(judge)
    for _ in range(10):
        await ask(retry)
    judge.then((2.5, passing()), (2.0, GOOD))
    assert await outcome(retry, seconds=4.8) is FailureKind.ERROR  # 2.5 + 0.4 + 2.0 > 4.8
    assert judge.calls == 11
    judge.then((2.5, passing()), (2.0, GOOD))
    assert await outcome(retry, seconds=5.0) == GOOD
    assert judge.calls == 13


async def test_what_a_usual_call_takes_is_the_median_not_what_the_slowest_took() -> None:
    judge = Scripted(*[(1.0, GOOD)] * 7, *[(6.0, GOOD)] * 3)
    retry = retrying(judge)
    for _ in range(10):
        await ask(retry)
    judge.then((2.5, passing()), (1.0, GOOD))
    assert await outcome(retry, seconds=4.0) == GOOD  # 2.5 + 0.4 + 1.0 < 4.0


async def test_before_any_call_was_answered_a_retry_needs_time_for_its_wait_alone() -> None:
    judge = Scripted((2.5, passing()), (0.01, GOOD))
    assert await outcome(retrying(judge), seconds=3.0) == GOOD  # 2.5 + 0.4 < 3.0


async def test_a_call_that_fails_after_its_time_fails_as_it_did() -> None:
    judge, told = Scripted((10.5, passing(FailureKind.TIMEOUT))), Told()
    with pytest.raises(JudgeFailed) as caught:
        await ask(retrying(judge, told=told), seconds=10.0)
    assert caught.value.kind is FailureKind.TIMEOUT
    assert (judge.calls, told.of("retried")) == (1, [])


async def test_a_wish_for_rest_after_the_time_is_told_with_no_time_left() -> None:
    judge = Scripted((10.5, passing(FailureKind.ERROR, 3.0)))
    with pytest.raises(JudgeFailed) as caught:
        await ask(retrying(judge), seconds=10.0)
    assert caught.value.kind is FailureKind.RATE_LIMITED
    assert caught.value.reason == "the backend wants 3 s of rest; 0 s are left"


async def test_in_an_outage_retries_are_a_share_of_the_calls() -> None:
    judge = Scripted((0.0, passing()))
    retry = retrying(judge)
    for _ in range(200):
        await outcome(retry)
    assert judge.calls - 200 == pytest.approx(200 * 0.2 + FLOOR, abs=1)


@settings(max_examples=50)
@given(
    st.lists(st.tuples(st.booleans(), st.floats(0, 0.3)), min_size=1, max_size=80),
    st.floats(0.01, 1.0),
)
async def test_retries_never_exceed_the_budget(
    calls: list[tuple[bool, float]], share: float
) -> None:
    judge, told = Scripted(*((0.1, passing() if bad else GOOD) for bad, _ in calls)), Told()
    retry = retrying(judge, RetryHabit(budget_share=share), told)

    async def caller(pause: float) -> None:
        await asyncio.sleep(pause)
        await outcome(retry)

    await asyncio.gather(*(caller(pause) for _, pause in calls))
    assert judge.calls - len(calls) == len(told.of("retried"))
    assert judge.calls - len(calls) <= share * len(calls) + FLOOR + 1e-6


async def test_cancelling_during_the_wait_ends_it() -> None:
    judge = Scripted((1.0, passing()), (1.0, GOOD))
    about = evaluation()
    task = asyncio.create_task(ask(retrying(judge), about))
    await asyncio.sleep(1.2)
    task.cancel()
    await asyncio.wait([task])
    assert task.cancelled()
    assert (judge.calls, about.ledger("judge").attempts) == (1, 1)


async def test_a_judge_that_counts_for_itself_is_not_counted_twice() -> None:
    judge = Scripted((1.0, passing()), (1.0, GOOD), bills=True)
    about = evaluation()
    assert isinstance(await ask(retrying(judge), about), GradientResult)
    ledger = about.ledger("judge")
    assert ledger.attempts == 2
    assert ledger.usage is not None
    assert ledger.usage.input_tokens == 14
