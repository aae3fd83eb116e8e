"""The cache: the same question is asked once, for a while; a failure is never kept."""

import asyncio
import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from consensus.domain.errors import JudgeFailed
from consensus.domain.gradient import Abstention, FailureKind, GradientResult, Usage
from consensus.domain.judges import CacheHabit
from consensus.judges.wrappers.cache import ENTRY_BYTES, Cache
from tests.builders import FOREVER, Script, finds, scores
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
)
from tests.virtual_clock import VirtualClock


def caching(
    *plays: tuple[float, Script], told: Told | None = None, **habit: Any
) -> tuple[Scripted, Cache]:
    judge = Scripted(*plays, bills=True)
    settings = CacheHabit(**{"ttl_seconds": 60.0, **habit})
    return judge, Cache(judge, settings, VirtualClock(), told or Told())


def marks(answers: list[Any]) -> list[str | None]:
    return [answer.metadata.get("cache") for answer in answers]


async def test_the_same_submission_is_judged_once_and_uses_no_more_tokens() -> None:
    told = Told()
    judge, cache = caching((1.0, finds(0.9, C1="met")), told=told)
    first, again = evaluation(), evaluation()
    answers = [await ask(cache, first), await ask(cache, again)]
    assert marks(answers) == [None, "hit"]
    assert isinstance(answers[1], GradientResult)
    assert (answers[1].score, answers[1].findings) == (0.9, finds(C1="met").findings)
    assert judge.calls == 1
    assert first.ledger("judge").usage == Usage(input_tokens=7)
    assert again.ledger("judge").usage is None
    assert told.of("cached") == ["miss", "hit"]


async def test_another_submission_or_another_depth_is_another_question() -> None:
    judge, cache = caching()
    for about in (evaluation("a"), evaluation("b"), evaluation("a", depth=1), evaluation("a")):
        await ask(cache, about)
    assert judge.calls == 3


async def test_an_answer_is_good_for_its_time() -> None:
    judge, cache = caching()
    await ask(cache)
    await asyncio.sleep(59.9)
    await ask(cache)
    assert judge.calls == 1
    await asyncio.sleep(0.1)
    await ask(cache)
    assert judge.calls == 2


async def test_an_abstention_is_an_answer() -> None:
    judge, cache = caching((1.0, Abstention("cannot tell")))
    assert [await ask(cache) for _ in range(2)] == [Abstention("cannot tell")] * 2
    assert judge.calls == 1


@pytest.mark.parametrize("kind", FailureKind)
async def test_a_failure_is_never_kept(kind: FailureKind) -> None:
    judge, cache = caching((1.0, lasting(kind)), (1.0, GOOD))
    assert [await outcome(cache) for _ in range(2)] == [kind, GOOD]
    assert judge.calls == 2


@pytest.mark.parametrize(
    "bad",
    [
        scores(7.0),
        scores(math.nan),
        scores(0.5, -1.0),
        scores("high"),  # type: ignore[arg-type]
        scores(0.5, reasoning="\ud800"),
        GradientResult(score=1, confidence=1, findings=finds(C1="met").findings * 2),
        "yes",
    ],
    ids=repr,
)
async def test_an_answer_that_the_panel_will_refuse_is_not_kept(bad: object) -> None:
    judge, cache = caching((1.0, bad), (1.0, GOOD))
    assert await ask(cache) == bad or bad != bad
    assert await ask(cache) == GOOD
    assert judge.calls == 2


async def test_the_answer_used_longest_ago_makes_room() -> None:
    judge, cache = caching((0.0, scores(0.5, reasoning="r" * 600)), max_bytes=3 * 1_100)
    for name in ("a", "b", "c", "a", "d"):
        await ask(cache, evaluation(name))
    assert judge.calls == 4
    for name in ("a", "c", "d"):
        await ask(cache, evaluation(name))
    assert judge.calls == 4
    await ask(cache, evaluation("b"))
    assert judge.calls == 5


async def test_an_answer_larger_than_the_cache_is_not_kept() -> None:
    judge, cache = caching((0.0, scores(0.5, reasoning="r" * 2_000)), max_bytes=1_024)
    for _ in range(2):
        await ask(cache)
    assert judge.calls == 2


async def test_many_that_ask_at_once_share_one_call() -> None:
    told = Told()
    judge, cache = caching((1.0, GOOD), told=told)
    answers = await asyncio.gather(*(ask(cache) for _ in range(20)))
    assert judge.calls == 1
    assert marks(list(answers)) == [None] + ["shared"] * 19
    assert told.of("cached") == ["miss"] + ["shared"] * 19


async def test_many_that_ask_at_once_share_a_failure() -> None:
    judge, cache = caching((1.0, lasting()))
    kinds = await asyncio.gather(*(outcome(cache) for _ in range(5)))
    assert (kinds, judge.calls) == ([FailureKind.ERROR] * 5, 1)


@pytest.mark.parametrize("kind", [FailureKind.TIMEOUT, FailureKind.SPEND_LIMIT])
async def test_want_of_the_leaders_own_time_or_money_is_not_shared(kind: FailureKind) -> None:
    judge, cache = caching((1.0, lasting(kind)), (1.0, GOOD))
    answers = await asyncio.gather(*(outcome(cache) for _ in range(3)))
    assert answers[0] is kind
    assert marks(answers[1:]) == [None, "shared"]
    assert judge.calls == 2


async def test_when_the_leader_is_cancelled_a_follower_takes_over() -> None:
    judge, cache = caching((FOREVER, GOOD), (1.0, GOOD))
    leader = asyncio.create_task(ask(cache))
    await asyncio.sleep(0)
    followers = [asyncio.create_task(ask(cache)) for _ in range(3)]
    await asyncio.sleep(2)
    leader.cancel()
    answers = await asyncio.gather(*followers)
    assert marks(list(answers)) == [None, "shared", "shared"]
    assert judge.calls == 2
    assert judge.timeouts[1] == pytest.approx(8.0)


async def test_a_leader_that_crashes_takes_nobody_along() -> None:
    _, cache = caching((1.0, ZeroDivisionError()), (1.0, GOOD))
    crash, answer = await asyncio.gather(ask(cache), ask(cache), return_exceptions=True)
    assert isinstance(crash, ZeroDivisionError)
    assert answer == GOOD


async def test_each_follower_keeps_its_own_deadline() -> None:
    judge, cache = caching((5.0, GOOD))
    leader = asyncio.create_task(ask(cache))
    await asyncio.sleep(0)
    began = now()
    with pytest.raises(JudgeFailed) as caught:
        await ask(cache, seconds=2.0)
    assert caught.value.kind is FailureKind.TIMEOUT
    assert now() - began == pytest.approx(2.0)
    assert await leader == GOOD
    assert judge.calls == 1


async def test_a_follower_that_is_cancelled_leaves_the_others_alone() -> None:
    _, cache = caching((2.0, GOOD))
    leader, follower, other = (asyncio.create_task(ask(cache)) for _ in range(3))
    await asyncio.sleep(1)
    follower.cancel()
    assert await leader == GOOD
    assert marks([await other]) == ["shared"]
    assert follower.cancelled()


@settings(max_examples=40)
@given(st.integers(0, 2**32 - 1))
async def test_in_a_storm_no_question_is_under_way_twice_and_nothing_is_left(seed: int) -> None:
    dice = chance(seed)
    plays = [(dice.choice((0.1, 0.5)), dice.choice((GOOD, lasting()))) for _ in range(60)]
    judge, cache = caching(*plays, ttl_seconds=0.3, max_bytes=4 * (ENTRY_BYTES + 50))

    async def caller() -> None:
        await asyncio.sleep(dice.random())
        call = asyncio.create_task(outcome(cache, evaluation(dice.choice("ab")), seconds=2.0))
        await asyncio.wait([call], timeout=dice.choice((0.05, 0.2, 9.0)))
        call.cancel()
        await asyncio.wait([call])

    await asyncio.gather(*(caller() for _ in range(60)))
    assert judge.most_under_way <= 2
    assert judge.under_way == 0
    assert not cache._flights
