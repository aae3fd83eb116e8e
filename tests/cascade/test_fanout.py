"""Every seat is asked at once, each under its own time-out and what is left of the budget."""

import pytest

from consensus.domain.decision import ReasonCode, SeatStatus, Verdict
from consensus.domain.errors import JudgeFailed
from consensus.domain.gradient import Failure, FailureKind
from consensus.domain.policy import Action, Seat
from tests.builders import (
    FOREVER,
    Instant,
    Waiting,
    Watcher,
    decide,
    policy,
    scores,
    seats_of,
    stage,
)
from tests.virtual_clock import BEGAN

GOOD = scores(0.9)


async def test_all_seats_are_asked_at_once_and_the_slowest_sets_the_time() -> None:
    judges = [Waiting(f"judge {seconds}", seconds, GOOD) for seconds in (1.0, 4.0, 2.0, 3.0)]
    decision = await decide(stage(*(judge.name for judge in judges)), *judges)
    assert [judge.asked_at for judge in judges] == [[BEGAN]] * 4
    assert decision.duration_seconds == decision.stages[0].duration_seconds == 4.0
    assert [seat.duration_seconds for seat in seats_of(decision).values()] == [1.0, 4.0, 2.0, 3.0]


async def test_seats_stand_in_panel_order_whatever_the_order_of_answers() -> None:
    judges = Waiting("slow", 3, GOOD), Instant("at once", GOOD), Waiting("quick", 1, GOOD)
    decision = await decide(stage("quick", "slow", "at once"), *judges)
    assert list(seats_of(decision)) == ["quick", "slow", "at once"]


async def test_every_seat_is_given_the_same_submission_and_memo() -> None:
    judges = Waiting("a", 1, GOOD), Waiting("b", 1, GOOD), Instant("c", GOOD)
    await decide(stage("a", "b", "c"), *judges)
    first = judges[0].asked[0]
    assert all(judge.asked == [first] for judge in judges)
    assert all(judge.asked[0].memo is first.memo for judge in judges)


async def test_a_hanging_judge_costs_its_own_seat_after_its_own_timeout() -> None:
    hanging = Waiting("hanging", FOREVER)
    rules = stage(Seat(judge="hanging", timeout_seconds=2.5), "good")
    decision = await decide(rules, hanging, Waiting("good", 1, GOOD))
    seat = seats_of(decision)["hanging"]
    assert decision.duration_seconds == 2.5
    assert (seat.status, seat.duration_seconds, seat.attempts) == (SeatStatus.FAILED, 2.5, 1)
    assert seat.answer == Failure(FailureKind.TIMEOUT, "no answer within 2.5 s")
    assert hanging.cancelled == 1
    assert seats_of(decision)["good"].status is SeatStatus.SCORED
    assert decision.verdict is Verdict.ACCEPT


async def test_a_seat_is_told_the_smaller_of_its_timeout_and_the_budget() -> None:
    quick, slow = Waiting("quick", 1, GOOD), Waiting("slow", 1, GOOD)
    rules = stage(Seat(judge="quick", timeout_seconds=3), Seat(judge="slow", timeout_seconds=60))
    await decide(rules, quick, slow, seconds=20)
    assert quick.timeouts == [3]
    assert slow.timeouts == [pytest.approx(19.95)]


async def test_the_callers_budget_gives_the_answer_of_the_seats_that_have_answered() -> None:
    slow, watcher = Waiting("slow", 9, GOOD), Watcher()
    rules = stage("quick", "slow", quorum=1)
    decision = await decide(rules, Waiting("quick", 1, GOOD), slow, seconds=2, watcher=watcher)
    seats = seats_of(decision)
    assert decision.verdict is Verdict.ACCEPT
    assert decision.duration_seconds == pytest.approx(1.95)
    assert seats["quick"].status is SeatStatus.SCORED
    assert seats["slow"].answer == Failure(FailureKind.TIMEOUT, "no answer before the budget ended")
    assert slow.cancelled == 1
    assert watcher.balanced
    assert [reason.code for reason in decision.reasons] == [
        ReasonCode.GATES_PASSED,
        ReasonCode.DEADLINE,
    ]


async def test_an_answer_in_time_gives_no_deadline_reason() -> None:
    decision = await decide(stage("a"), Waiting("a", 1.94, GOOD), seconds=2)
    assert [reason.code for reason in decision.reasons] == [ReasonCode.GATES_PASSED]


async def test_a_seats_own_timeout_is_not_the_budgets_end() -> None:
    rules = stage(Seat(judge="a", timeout_seconds=1), "b")
    decision = await decide(rules, Waiting("a", 5, GOOD), Waiting("b", 1, GOOD))
    assert ReasonCode.DEADLINE not in [reason.code for reason in decision.reasons]


async def test_the_policys_deadline_is_kept_where_it_is_nearer_than_the_callers() -> None:
    rules = policy(stage("a", "b"), deadline_seconds=3.0)
    decision = await decide(rules, Waiting("a", 1, GOOD), Waiting("b", 9, GOOD), seconds=60)
    assert decision.duration_seconds == pytest.approx(2.95)
    assert decision.reasons[-1].code is ReasonCode.DEADLINE


async def test_a_short_budget_leaves_half_of_itself_to_the_judges() -> None:
    hanging = Waiting("a", FOREVER)
    decision = await decide(stage("a"), hanging, seconds=0.04)
    assert hanging.timeouts == [pytest.approx(0.02)]
    assert decision.duration_seconds == pytest.approx(0.02)


async def test_a_spent_budget_is_answered_at_once_by_the_judges_that_never_wait() -> None:
    rules, watcher = stage("instant", "waiting", quorum=1), Watcher()
    judges = Instant("instant", GOOD), Waiting("waiting", 1, GOOD)
    decision = await decide(rules, *judges, seconds=0, watcher=watcher)
    assert decision.duration_seconds == 0.0
    assert seats_of(decision)["instant"].status is SeatStatus.SCORED
    assert seats_of(decision)["waiting"].status is SeatStatus.FAILED
    assert decision.reasons[-1].code is ReasonCode.DEADLINE
    assert watcher.balanced


async def test_the_second_stage_has_what_the_first_one_left_of_the_budget() -> None:
    second = Waiting("second", FOREVER)
    rules = policy(stage("first", name="one", on_pass=Action.ADVANCE), stage("second", name="two"))
    decision = await decide(rules, Waiting("first", 3, GOOD), second, seconds=10)
    assert second.asked_at == [BEGAN + 3]
    assert second.timeouts == [pytest.approx(6.95)]
    assert decision.duration_seconds == pytest.approx(9.95)


async def test_an_overloaded_judge_keeps_its_kind_of_failure() -> None:
    failed = JudgeFailed(FailureKind.OVERLOADED, "the backend answered RESOURCE_EXHAUSTED")
    decision = await decide(stage("a", "b"), Waiting("a", 1, failed), Instant("b", GOOD))
    seat = seats_of(decision)["a"]
    assert seat.answer == Failure(failed.kind, failed.reason)
    assert (seat.duration_seconds, seat.attempts) == (1.0, 1)
