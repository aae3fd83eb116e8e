"""Money is reserved before a panel is asked and settled after, within the limits of the request and
of the policy.
"""

import asyncio
from typing import Any

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st

from consensus.cascade import Engine
from consensus.cascade.spend import HourlyPurse, Purse, nanos
from consensus.domain.decision import Decision, ReasonCode, SeatStatus
from consensus.domain.errors import JudgeFailed, SpendLimitReached
from consensus.domain.evaluation import Evaluation
from consensus.domain.gradient import Answer, Failure, FailureKind, Usage
from consensus.domain.policy import Action, Policy, Settle, SpendLimits
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
from tests.virtual_clock import VirtualClock

GOOD = scores(0.9)
AMOUNTS = st.integers(0, 2_000)


class Priced(Waiting):
    """A judge that may cost `worst` and writes down `uses` before it waits."""

    def __init__(
        self, name: str, worst: float | None = 0.01, uses: float | None = 0.004, **more: Any
    ) -> None:
        super().__init__(name, **{"seconds": 1.0, "script": GOOD, **more})
        self.worst = worst
        self.uses = uses
        self.tells = True
        """Whether it writes down anything at all."""

    async def worst_cost(self, evaluation: Evaluation) -> float | None:
        return self.worst

    async def evaluate(self, evaluation: Evaluation, timeout_seconds: float) -> Answer:
        if self.tells:
            evaluation.ledger(self.name).add(Usage(input_tokens=10, cost_usd=self.uses))
        return await super().evaluate(evaluation, timeout_seconds)


class Stand:
    """One engine, so that the hour's spending is kept from call to call."""

    def __init__(self) -> None:
        self.engine = Engine(VirtualClock())
        self.watcher = Watcher()

    async def judge(self, rules: Policy, *judges: Any, most: float | None = None) -> Decision:
        return await self.engine.judge(
            submission(), rules, bench(judges), self.watcher, budget_seconds=30, max_cost_usd=most
        )


def limited(*judges: str, request: float | None = None, hour: float | None = None) -> Policy:
    limits = SpendLimits(per_request_usd=request, per_hour_usd=hour)
    return policy(stage(*judges), spend=limits)


def failure_of(decision: Decision, judge: str) -> Failure:
    seat = seats_of(decision)[judge]
    assert seat.status is SeatStatus.FAILED
    assert isinstance(seat.answer, Failure)
    return seat.answer


@given(limit=AMOUNTS, steps=st.lists(st.tuples(AMOUNTS, st.booleans(), AMOUNTS)))
def test_a_purse_never_reserves_beyond_its_limit(
    limit: int, steps: list[tuple[int, bool, int]]
) -> None:
    purse, reserved, spent = Purse(limit), 0, 0
    for amount, ends, used in steps:
        fits = purse.reserve(amount)
        assert fits is (amount <= max(limit - reserved - spent, 0))
        reserved += amount if fits else 0
        assert reserved + spent <= limit or not fits or amount == 0
        if fits and ends:
            purse.settle(amount, min(used, amount))
            reserved, spent = reserved - amount, spent + min(used, amount)
        assert purse.left == max(limit - reserved - spent, 0)


@given(amounts=st.lists(st.tuples(AMOUNTS, AMOUNTS)))
def test_everything_reserved_is_settled_and_what_was_used_stays(
    amounts: list[tuple[int, int]],
) -> None:
    purse = Purse(1_000_000)
    assert all(purse.reserve(reserved) for reserved, _ in amounts)
    for reserved, used in amounts:
        purse.settle(reserved, used)
    assert purse.left == 1_000_000 - sum(used for _, used in amounts)


class Hand:
    """A clock that a test moves."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def monotonic(self) -> float:
        return self.seconds

    now = VirtualClock.now


@given(
    limit=AMOUNTS,
    steps=st.lists(st.tuples(st.floats(0, 2_000), AMOUNTS), max_size=60),
)
def test_no_hour_holds_more_than_its_limit(limit: int, steps: list[tuple[float, int]]) -> None:
    clock = Hand()
    purse = HourlyPurse(clock, limit)
    spent: list[tuple[float, int]] = []
    for pause, amount in steps:
        clock.seconds += pause
        if purse.reserve(amount):
            purse.settle(amount, amount)
            spent.append((clock.seconds, amount))
        last_hour = [used for when, used in spent if when > clock.seconds - 3_600]
        assert sum(last_hour) <= limit


def test_an_hour_later_the_purse_is_full_again() -> None:
    clock = Hand()
    purse = HourlyPurse(clock, 100)
    assert purse.reserve(100)
    purse.settle(100, 100)
    clock.seconds = 3_599
    assert not purse.reserve(1)
    clock.seconds = 3_660
    assert purse.left == 100


async def test_without_a_limit_nobody_is_asked_for_a_price() -> None:
    class Silent(Priced):
        async def worst_cost(self, evaluation: Evaluation) -> float | None:
            raise AssertionError

    decision = await Stand().judge(policy(stage("a")), Silent("a"))
    assert seats_of(decision)["a"].status is SeatStatus.SCORED


async def test_a_seat_that_could_cost_more_than_is_left_is_not_asked() -> None:
    judges = Priced("cheap"), Priced("dear"), Instant("free", GOOD)
    stand = Stand()
    decision = await stand.judge(limited("cheap", "dear", "free", request=0.015), *judges)
    failure = failure_of(decision, "dear")
    assert failure.kind is FailureKind.SPEND_LIMIT
    assert failure.reason == "could cost $0.01, and $0.005 of the request's $0.015 are left"
    assert judges[1].asked == []
    seats = seats_of(decision)
    assert (seats["dear"].attempts, seats["dear"].usage) == (0, None)
    assert seats["cheap"].status is seats["free"].status is SeatStatus.SCORED
    assert [judge for _, judge in stand.watcher.started] == ["free", "cheap"]
    assert stand.watcher.balanced


async def test_the_requests_own_limit_counts_where_it_is_lower() -> None:
    rules = limited("a", request=0.02)
    assert failure_of(await Stand().judge(rules, Priced("a"), most=0.005), "a").reason.endswith(
        "$0.005 of the request's $0.005 are left"
    )
    lower = limited("a", request=0.005)
    failure = failure_of(await Stand().judge(lower, Priced("a"), most=0.02), "a")
    assert failure.kind is FailureKind.SPEND_LIMIT


async def test_an_unknown_price_is_not_nothing() -> None:
    rules = limited("unknown", "free", hour=10)
    decision = await Stand().judge(rules, Priced("unknown", worst=None), Instant("free", GOOD))
    failure = failure_of(decision, "unknown")
    assert failure.kind is FailureKind.SPEND_LIMIT
    assert failure.reason == "its cost is unknown, and there is a limit"


async def test_what_one_stage_did_not_use_is_there_for_the_next() -> None:
    first = stage("one", on_pass=Action.ADVANCE, name="first")
    rules = policy(first, stage("two"), spend=SpendLimits(per_request_usd=0.014))
    decision = await Stand().judge(rules, Priced("one"), Priced("two"))
    assert seats_of(decision)["two"].status is SeatStatus.SCORED
    decision = await Stand().judge(rules, Priced("one", uses=0.005), Priced("two"))
    assert failure_of(decision, "two").kind is FailureKind.SPEND_LIMIT


async def test_all_seats_together_are_in_the_decisions_usage() -> None:
    first = stage("one", on_pass=Action.ADVANCE, name="first")
    rules = policy(first, stage("two", "free"))
    decision = await Stand().judge(rules, Priced("one"), Priced("two"), Instant("free", GOOD))
    assert decision.usage == Usage(input_tokens=20, cost_usd=0.008)
    unknown = await Stand().judge(policy(stage("a", "b")), Priced("a"), Priced("b", uses=None))
    assert unknown.usage == Usage(input_tokens=20, cost_usd=None)
    assert (await Stand().judge(policy(stage("a")), Waiting("a", 1, GOOD))).usage is None


async def test_a_policy_whose_hour_is_spent_refuses_until_it_is_over() -> None:
    stand, rules = Stand(), limited("a", hour=0.015)
    await stand.judge(rules, Priced("a"))
    await stand.judge(rules, Priced("a"))
    judge = Priced("a")
    with pytest.raises(SpendLimitReached) as refused:
        await stand.judge(rules, judge)
    assert str(refused.value) == (
        "policy 'rules' could cost $0.01, and $0.007 of its $0.015 an hour are left"
    )
    assert judge.asked == []
    await anyio.sleep(3_660)
    assert (await stand.judge(rules, Priced("a"))).verdict


async def test_requests_at_the_same_time_cannot_go_beyond_the_hour_together() -> None:
    stand, rules = Stand(), limited("a", hour=0.035)
    calls = [stand.judge(rules, Priced("a")) for _ in range(10)]
    done = await asyncio.gather(*calls, return_exceptions=True)
    assert sum(isinstance(result, SpendLimitReached) for result in done) == 7


async def test_a_request_that_the_hour_refused_leaves_nothing_reserved() -> None:
    stand, rules = Stand(), limited("a", "b", request=0.02, hour=0.015)
    with pytest.raises(SpendLimitReached):
        await stand.judge(rules, Priced("a"), Priced("b"))
    assert await stand.judge(limited("a", hour=0.015), Priced("a", uses=0.01))


async def test_free_stages_still_answer_when_the_hour_is_spent() -> None:
    stand = Stand()
    await stand.judge(limited("a", hour=0.01), Priced("a", uses=0.01))
    free = stage("free", name="cheap", on_fail=Action.RETRY, on_pass=Action.ADVANCE)
    rules = policy(free, stage("a"), spend=SpendLimits(per_hour_usd=0.01))
    decision = await stand.judge(rules, Instant("free", scores(0.1)), Priced("a"))
    assert decision.reasons[0].code is ReasonCode.SCORE_BELOW_MIN
    with pytest.raises(SpendLimitReached):
        await stand.judge(rules, Instant("free", GOOD), Priced("a"))


def left_after(stand: Stand, hour: float) -> int:
    """Return what is left of the hour, in nano-dollars."""
    opened = stand.engine._purses.open(limited("a", hour=hour), None)
    assert opened is not None
    assert opened._hour is not None
    return opened._hour.left


async def test_a_cancelled_request_settles_what_its_ledgers_tell() -> None:
    stand, rules = Stand(), limited("a", "b", hour=1)
    judges = Priced("a", seconds=FOREVER), Priced("b", seconds=FOREVER, uses=0.002)
    with anyio.move_on_after(2):
        await stand.judge(rules, *judges)
    assert left_after(stand, 1) == nanos(1 - 0.006)
    assert {seat.usage for _, seat in stand.watcher.finished} == {
        Usage(input_tokens=10, cost_usd=0.004),
        Usage(input_tokens=10, cost_usd=0.002),
    }


@pytest.mark.parametrize("seconds", [FOREVER, 1.0])
async def test_a_call_that_was_cut_off_without_a_word_counts_as_its_worst(seconds: float) -> None:
    stand, rules = Stand(), limited("a", hour=1)
    judge = Priced("a", seconds=seconds)
    judge.tells = False
    with anyio.move_on_after(2):
        await stand.judge(rules, judge)
    used = 0.01 if seconds == FOREVER else 0.0
    assert left_after(stand, 1) == nanos(1 - used)


async def test_a_seat_that_was_not_needed_any_more_is_settled_too() -> None:
    stand = Stand()
    panel = stage("quick", "slow", settle=Settle.EARLY, min_score=0.1)
    rules = policy(panel, spend=SpendLimits(per_hour_usd=1))
    judges = Priced("quick"), Priced("slow", seconds=20, uses=0.001)
    decision = await stand.judge(rules, *judges)
    assert seats_of(decision)["slow"].status is SeatStatus.SKIPPED
    assert left_after(stand, 1) == nanos(1 - 0.005)


async def test_a_failed_call_costs_what_it_tells_and_an_unknown_one_its_worst() -> None:
    stand = Stand()
    down = JudgeFailed(FailureKind.ERROR, "the backend answered 500")
    judges = Priced("told", script=down), Priced("unknown", uses=None), Priced("none", script=down)
    judges[2].tells = False
    await stand.judge(limited("told", "unknown", "none", hour=1), *judges)
    assert left_after(stand, 1) == nanos(1 - 0.014)


async def test_a_judge_that_tells_its_cost_only_afterwards_is_asked_while_anything_is_left() -> (
    None
):
    class Afterwards(Waiting):
        async def evaluate(self, evaluation: Evaluation, timeout_seconds: float) -> Answer:
            evaluation.ledger(self.name).add(Usage(cost_usd=0.02))
            return await super().evaluate(evaluation, timeout_seconds)

    stand, rules = Stand(), limited("far", hour=0.03)
    for _ in range(2):
        await stand.judge(rules, Afterwards("far", 1, GOOD))
    with pytest.raises(SpendLimitReached):
        await stand.judge(rules, Afterwards("far", 1, GOOD))


class Twice(Waiting):
    """A habit that may ask the judge within once more."""

    most_calls = 2

    def __init__(self, within: Waiting) -> None:
        super().__init__(within.name)
        self.within = within

    async def evaluate(self, evaluation: Evaluation, timeout_seconds: float) -> Answer:
        return await self.within.evaluate(evaluation, timeout_seconds)


async def test_habits_that_may_call_again_count_towards_the_worst_case() -> None:
    decision = await Stand().judge(limited("a", request=0.019), Twice(Priced("a")))
    assert failure_of(decision, "a").reason.startswith("could cost $0.02, and")
    decision = await Stand().judge(limited("a", request=0.02), Twice(Priced("a")))
    assert seats_of(decision)["a"].status is SeatStatus.SCORED
    unknown = Twice(Twice(Priced("a", worst=None)))
    failure = failure_of(await Stand().judge(limited("a", request=9), unknown), "a")
    assert failure.kind is FailureKind.SPEND_LIMIT
    remote = Twice(Waiting("a", 1, GOOD))
    decision = await Stand().judge(limited("a", request=0.001), remote)
    assert seats_of(decision)["a"].status is SeatStatus.SCORED
