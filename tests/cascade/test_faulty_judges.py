"""A judge that fails, crashes or lies costs its own seat, with a reason that gives nothing away."""

import asyncio
import math

import pytest

from consensus.domain.decision import Decision, ReasonCode, SeatResult, SeatStatus, Verdict
from consensus.domain.errors import JudgeFailed
from consensus.domain.evaluation import Evaluation
from consensus.domain.gradient import (
    Abstention,
    Answer,
    Failure,
    FailureKind,
    Finding,
    FindingStatus,
    Signal,
)
from consensus.domain.policy import Seat
from consensus.domain.ports import Pending
from tests.builders import (
    Instant,
    Script,
    Waiting,
    Watcher,
    criteria,
    decide,
    scores,
    seats_of,
    stage,
    submission,
)
from tests.wire.sample import decision_to

SECRET = "Bearer s3cr3t, and the candidate's own words"


class Crash(Exception):
    """A crash whose text and representation give everything away."""

    def __repr__(self) -> str:
        return SECRET


class Unprintable(Exception):
    """A crash that crashes again when it is printed."""

    def __str__(self) -> str:
        raise RuntimeError(SECRET)


CRASHES = [
    Crash(SECRET),
    Unprintable(),
    ValueError(SECRET),
    KeyError(SECRET),
    TimeoutError(SECRET),
    ConnectionError(SECRET),
    RecursionError(SECRET),
    StopIteration(SECRET),
    StopAsyncIteration(SECRET),
    ExceptionGroup(SECRET, [ValueError(SECRET)]),
    asyncio.CancelledError(SECRET),
]


async def beside_a_good_one(script: Script, *, waits: bool = True) -> tuple[Decision, SeatResult]:
    """Return the decision of a bad and a good judge, and the bad one's seat."""
    bad = Waiting("bad", 1, script) if waits else Instant("bad", script)
    watcher = Watcher()
    decision = await decide(
        stage("bad", "good"),
        bad,
        Waiting("good", 2, scores(0.9)),
        about=submission(rubric=criteria("C1", required=False)),
        watcher=watcher,
    )
    assert watcher.balanced
    assert seats_of(decision)["good"].status is SeatStatus.SCORED
    assert decision.verdict is Verdict.ACCEPT
    assert decision.duration_seconds == 2.0
    assert SECRET not in repr(decision)
    decision_to(decision)  # whatever a judge says, the answer can leave the house
    return decision, seats_of(decision)["bad"]


@pytest.mark.parametrize("waits", [True, False], ids=["waiting", "instant"])
@pytest.mark.parametrize("crash", CRASHES, ids=lambda crash: type(crash).__name__)
async def test_a_crash_costs_its_own_seat_and_tells_only_its_type(
    crash: BaseException, waits: bool
) -> None:
    _, seat = await beside_a_good_one(crash, waits=waits)
    assert (seat.status, seat.attempts, seat.struck) == (SeatStatus.FAILED, 1, 0)
    assert seat.duration_seconds == (1.0 if waits else 0.0)
    assert isinstance(seat.answer, Failure)
    assert seat.answer.kind is FailureKind.ERROR
    kinds = (type(crash).__name__, "RuntimeError")  # Python's own word for a stray StopIteration
    assert seat.answer.reason in [f"crashed with {kind}" for kind in kinds]


class HandsOut(Waiting):
    """A judge that hands out what will be its answer, and crashes where it is to do so."""

    def begin(self, evaluation: Evaluation, timeout_seconds: float) -> Pending:
        assert isinstance(self.script, Exception)
        raise self.script


async def test_a_crash_of_a_judge_that_hands_out_its_answer_costs_its_own_seat() -> None:
    watcher = Watcher()
    bad = HandsOut("bad", 1, Crash(SECRET))
    good = Waiting("good", 2, scores(0.9))
    decision = await decide(stage("bad", "good"), bad, good, watcher=watcher)
    assert watcher.balanced
    seat = seats_of(decision)["bad"]
    assert seat.answer == Failure(FailureKind.ERROR, "crashed with Crash")
    assert (seat.attempts, seat.duration_seconds) == (1, 0.0)
    assert seats_of(decision)["good"].status is SeatStatus.SCORED


class HandsOutNothing(Waiting):
    """A judge that hands out what never becomes an answer, and is told that nobody waits."""

    def begin(self, evaluation: Evaluation, timeout_seconds: float) -> Pending:
        self.future: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        return self

    def answer(self) -> Answer:
        raise AssertionError

    def drop(self) -> None:
        self.cancelled += 1


async def test_a_judge_whose_answer_never_comes_costs_its_own_seat_after_its_own_timeout() -> None:
    watcher, bad = Watcher(), HandsOutNothing("bad")
    rules = stage(Seat(judge="bad", timeout_seconds=2), "good")
    decision = await decide(rules, bad, Waiting("good", 3, scores(0.9)), watcher=watcher)
    seat = seats_of(decision)["bad"]
    assert seat.answer == Failure(FailureKind.TIMEOUT, "no answer within 2 s")
    assert (seat.duration_seconds, bad.cancelled) == (2.0, 1)
    assert ReasonCode.DEADLINE not in [reason.code for reason in decision.reasons]
    assert watcher.balanced


LIES: dict[str, tuple[Script, str]] = {
    "a score that is not a number": (scores(math.nan), "score is nan; must be in [0, 1]"),
    "a score of 7": (scores(7.0), "score is 7; must be in [0, 1]"),
    "a negative score": (scores(-1e-9), "score is -1e-09; must be in [0, 1]"),
    "an endless confidence": (scores(0.5, math.inf), "confidence is inf; must be in [0, 1]"),
    "a signal out of range": (
        scores(0.5, signals=(Signal("a", 1.5),)),
        "a signal's score is 1.5; must be in [0, 1]",
    ),
    "two findings for one criterion": (
        scores(
            0.5,
            findings=(
                Finding(criterion_id="C1", status=FindingStatus.MET),
                Finding(criterion_id="C1", status=FindingStatus.UNMET),
            ),
        ),
        "answers a criterion twice",
    ),
    "nothing": (None, "answered with a NoneType"),
    "a bare number": (0.7, "answered with a float"),
    "a class": (dict, "answered with a type"),
    "a score in words": (scores("high"), "a field is of the wrong type"),  # type: ignore[arg-type]
    "no reasoning": (scores(0.5, reasoning=None), "a field is of the wrong type"),
    "no reason to abstain": (Abstention(None), "a field is of the wrong type"),  # type: ignore[arg-type]
    "a status of its own": (
        scores(0.5, findings=(Finding(criterion_id="C1", status="maybe"),)),  # type: ignore[arg-type]
        "a field is of the wrong type",
    ),
    "findings in words": (scores(0.5, findings="all good"), "a field is of the wrong type"),
    "metadata in numbers": (scores(0.5, metadata={"cost": 1}), "a field is of the wrong type"),
}


@pytest.mark.parametrize("waits", [True, False], ids=["waiting", "instant"])
@pytest.mark.parametrize("lie", LIES)
async def test_an_answer_that_breaks_the_contract_is_unreadable(lie: str, waits: bool) -> None:
    script, reason = LIES[lie]
    _, seat = await beside_a_good_one(script, waits=waits)
    assert seat.status is SeatStatus.FAILED
    assert seat.answer == Failure(FailureKind.UNREADABLE, reason)


async def test_a_failures_reason_is_cut_and_cleaned() -> None:
    failed = JudgeFailed(FailureKind.ERROR, "\x1b[31mred\x07" + "x" * 5_000)
    _, seat = await beside_a_good_one(failed)
    assert isinstance(seat.answer, Failure)
    assert seat.answer.reason.startswith("[31mredx")
    assert len(seat.answer.reason) <= 300


async def test_an_abstention_is_neither_a_failure_nor_a_zero() -> None:
    decision, seat = await beside_a_good_one(Abstention("Not my field."))
    assert (seat.status, seat.answer) == (SeatStatus.ABSTAINED, Abstention("Not my field."))
    assert decision.effective_score == 0.9
