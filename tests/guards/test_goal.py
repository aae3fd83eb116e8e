"""The goal blueprint: status from findings, and its stop rule vector by vector."""

import pytest

from consensus.domain.guards import GoalGuards
from consensus.domain.turn import EarlierTurn, GoalStatus, Turn
from consensus.guards import Claim, Step, after_fast, after_strong, goal_status, validated
from consensus.guards.goal import banded
from tests.guards.running import criterion

RULES = GoalGuards()
COMPLETE, NOT_YET = GoalStatus.COMPLETE, GoalStatus.NOT_YET
MET, UNMET, OPEN = criterion("C1"), criterion("C2", "unmet"), criterion("C3", "inconclusive")


@pytest.mark.parametrize(
    ("criteria", "status"),
    [
        ([MET], COMPLETE),
        ([MET, UNMET], GoalStatus.PARTIAL),
        ([MET, OPEN], GoalStatus.PARTIAL),
        ([MET, criterion("C2", "unmet", required=False)], COMPLETE),
        ([criterion("C1", required=False), criterion("C2", "unmet", required=False)],
         GoalStatus.PARTIAL),
        ([criterion("C1", required=False)], COMPLETE),
        ([criterion("C1", quoted=False)], NOT_YET),
        ([MET, criterion("C2", quoted=False)], GoalStatus.PARTIAL),
        ([UNMET], NOT_YET),
        ([UNMET, OPEN], NOT_YET),
        ([OPEN], GoalStatus.UNKNOWN),
        ([], GoalStatus.UNKNOWN),
    ],
    ids=[
        "all met", "one unmet", "one open", "an optional one unmet", "none is required",
        "the only one is optional", "met without evidence", "one of two without evidence",
        "unmet", "unmet and open", "nobody can tell", "no criteria",
    ],
)  # fmt: skip
def test_the_status_comes_from_findings(criteria: list, status: GoalStatus) -> None:  # type: ignore[type-arg]
    assert goal_status(criteria) is status


def test_a_criterion_whose_own_checks_hold_needs_no_quotation() -> None:
    unquoted = [criterion("C1", quoted=False)]
    assert goal_status(unquoted, checked={"C1"}) is COMPLETE
    assert goal_status([criterion("C1", "unmet")], checked={"C1"}) is NOT_YET


@pytest.mark.parametrize(
    ("confidence", "status"),
    [(0.75, COMPLETE), (0.74, NOT_YET), (0.5, NOT_YET), (0.4, GoalStatus.UNKNOWN)],
)
def test_the_abstain_band(confidence: float, status: GoalStatus) -> None:
    assert banded(Claim(COMPLETE, confidence), RULES).status is status
    assert banded(Claim(GoalStatus.PARTIAL, confidence), RULES).status is GoalStatus.PARTIAL


def fast_run(*confidences: float | None, rules: GoalGuards = RULES) -> Step:
    """Return what follows from the last of these fast `complete`s; None: not judged."""
    *earlier, last = confidences
    turns = tuple(
        EarlierTurn(goal_status=None if c is None else COMPLETE, goal_confidence=c or 0.0)
        for c in earlier
    )
    assert last is not None
    turn = Turn(iteration=len(turns), earlier=turns)
    return after_fast(Claim(COMPLETE, last), turn, rules).step


@pytest.mark.parametrize(
    ("confidences", "step"),
    [
        ((0.86,), Step.CONFIRM),
        ((0.86, 0.87), Step.STOP),
        ((0.86, 0.60, 0.87), Step.CONFIRM),
        ((0.86, None, 0.87), Step.STOP),
        ((0.86, None, None, 0.87), Step.CONFIRM),
        ((0.85, 0.85), Step.STOP),
        ((0.86, 0.84), Step.CONFIRM),
        ((0.50,), Step.GO_ON),
        ((0.75,), Step.CONFIRM),
    ],
)
def test_two_fast_completes_running_within_three_turns(
    confidences: tuple[float | None, ...], step: Step
) -> None:
    assert fast_run(*confidences) is step


@pytest.mark.parametrize("turns", [0, 1])
def test_a_policy_may_always_want_the_strong_judge(turns: int) -> None:
    assert fast_run(0.99, 0.99, rules=GoalGuards(pair_turns=turns)) is Step.CONFIRM


def test_a_pair_that_was_contradicted_is_none() -> None:
    contradicted = Turn(earlier=(EarlierTurn(goal_status=NOT_YET, goal_confidence=0.9),))
    assert after_fast(Claim(COMPLETE, 0.9), contradicted, RULES).step is Step.CONFIRM


@pytest.mark.parametrize(
    ("fast", "strong", "step", "status"),
    [
        ((COMPLETE, 0.80), (COMPLETE, 0.90), Step.STOP, COMPLETE),
        ((COMPLETE, 0.80), (COMPLETE, 0.85), Step.STOP, COMPLETE),
        ((COMPLETE, 0.80), (COMPLETE, 0.80), Step.GO_ON, COMPLETE),
        ((COMPLETE, 0.90), (NOT_YET, 0.90), Step.GO_ON, NOT_YET),
        ((NOT_YET, 0.90), (COMPLETE, 0.90), Step.GO_ON, NOT_YET),
        ((COMPLETE, 0.50), (COMPLETE, 0.90), Step.GO_ON, NOT_YET),
        ((NOT_YET, 0.90), (GoalStatus.PARTIAL, 0.9), Step.GO_ON, GoalStatus.PARTIAL),
    ],
)
def test_fast_and_strong_together(
    fast: tuple[GoalStatus, float],
    strong: tuple[GoalStatus, float],
    step: Step,
    status: GoalStatus,
) -> None:
    answer = after_strong(Claim(*fast), Claim(*strong), Turn(), RULES)
    assert (answer.step, answer.claim.status) == (step, status)


@pytest.mark.parametrize(("iteration", "last"), [(9, False), (19, False), (24, False), (3, True)])
def test_at_a_checkpoint_the_strong_judge_is_asked_and_may_suffice(
    iteration: int, last: bool
) -> None:
    turn, unsure = Turn(iteration=iteration), Claim(COMPLETE, 0.5)
    assert after_fast(unsure, turn, RULES, last=last).step is Step.CONFIRM
    sure = Claim(COMPLETE, 0.9)
    assert after_strong(unsure, sure, turn, RULES, last=last).step is Step.STOP
    against = Claim(GoalStatus.PARTIAL, 0.9)
    assert after_strong(against, sure, turn, RULES, last=last).step is Step.GO_ON


def test_other_turns_do_not_ask_the_strong_judge() -> None:
    answer = after_fast(Claim(GoalStatus.PARTIAL, 0.9), Turn(iteration=10), RULES)
    assert (answer.step, answer.claim.status) == (Step.GO_ON, GoalStatus.PARTIAL)


@pytest.mark.parametrize(
    ("criteria", "decided", "answer"),
    [
        ([MET], {"C1"}, (Step.STOP, Claim(COMPLETE, 0.98))),
        ([MET, UNMET], {"C1", "C2"}, (Step.GO_ON, Claim(NOT_YET, 0.95))),
        ([MET, criterion("C2", "unmet", required=False)], {"C1", "C2"},
         (Step.STOP, Claim(COMPLETE, 0.98))),
        ([OPEN, criterion("C1", "unmet")], {"C1"}, (Step.GO_ON, Claim(NOT_YET, 0.95))),
        ([MET, OPEN], {"C1"}, None),
        ([MET, UNMET], {"C1"}, None),
        ([criterion("C1", required=False)], {"C1"}, (Step.STOP, Claim(COMPLETE, 0.98))),
        ([], set(), None),
    ],
    ids=[
        "all that is required is checked and met", "one fails", "an optional one fails",
        "one fails and another is open", "one is open", "an unmet one carries no check",
        "none is required", "no criteria",
    ],
)  # fmt: skip
def test_hard_validators_settle_what_they_decide(
    criteria: list,
    decided: set[str],
    answer: tuple[Step, Claim] | None,  # type: ignore[type-arg]
) -> None:
    found = validated(criteria, decided, RULES)
    assert (None if found is None else (found.step, found.claim)) == answer
