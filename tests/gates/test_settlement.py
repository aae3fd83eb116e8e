"""Early settlement settles what is plain to see, and leaves open what is not."""

import pytest

from consensus.domain.decision import GateAnswer
from consensus.domain.policy import Gate, StrategyName, Tie
from tests.aggregation.panels import Cell, Row, panel_of, row_of
from tests.gates.settling import settled

WAITING = Cell(None, waiting=True)
SILENT = Cell(None)
PASSING, FAILING = Cell(0.9, 0.9), Cell(0.2, 0.9)
MAJORITY = panel_of(StrategyName.MAJORITY, 5)
AVERAGE = panel_of(StrategyName.WEIGHTED_AVERAGE, 3)
UNANIMOUS = panel_of(StrategyName.UNANIMOUS, 3)


def split(passing: int, failing: int, waiting: int) -> Row:
    """Return a row of that many passing, failing and waiting seats."""
    return (PASSING,) * passing + (FAILING,) * failing + (WAITING,) * waiting


@pytest.mark.parametrize(
    ("row", "answer"),
    [
        (split(3, 0, 2), GateAnswer.PASS),
        (split(3, 1, 1), GateAnswer.PASS),
        (split(0, 3, 2), GateAnswer.FAIL),
        (split(2, 0, 3), None),
        (split(2, 1, 2), None),
    ],
)
def test_majority_is_settled_once_three_of_five_are_of_one_mind(
    row: Row, answer: GateAnswer | None
) -> None:
    assert settled(MAJORITY, Gate(), row) is answer


def test_majority_waits_for_the_confidence_that_the_gate_asks_for() -> None:
    """Three of five give 0.42 + 0.162 of confidence at least; the rest may still bring more."""
    assert settled(MAJORITY, Gate(min_confidence=0.9), split(3, 0, 2)) is None
    assert settled(MAJORITY, Gate(min_confidence=0.3), split(3, 0, 2)) is GateAnswer.PASS


@pytest.mark.parametrize(
    ("tie", "answer"),
    [(Tie.FAIL, GateAnswer.FAIL), (Tie.PASS, None), (Tie.ESCALATE, None)],
)
def test_a_tie_still_possible_is_open_unless_it_counts_as_what_is_certain(
    tie: Tie, answer: GateAnswer | None
) -> None:
    panel = panel_of(StrategyName.MAJORITY, 4, tie=tie)
    assert settled(panel, Gate(), split(0, 2, 2)) is answer


@pytest.mark.parametrize(
    ("tie", "answer"),
    [(Tie.FAIL, None), (Tie.PASS, GateAnswer.PASS), (Tie.ESCALATE, None)],
)
def test_a_tie_that_passes_settles_a_half_that_passed(tie: Tie, answer: GateAnswer | None) -> None:
    panel = panel_of(StrategyName.MAJORITY, 4, tie=tie)
    assert settled(panel, Gate(), split(2, 0, 2)) is answer


def test_a_tie_out_of_reach_does_not_hold_up_a_panel_that_would_escalate_it() -> None:
    panel = panel_of(StrategyName.MAJORITY, 5, tie=Tie.ESCALATE)
    assert settled(panel, Gate(), split(3, 0, 2)) is GateAnswer.PASS


def test_one_fail_settles_unanimous() -> None:
    assert settled(UNANIMOUS, Gate(), split(1, 1, 1)) is GateAnswer.FAIL
    assert settled(UNANIMOUS, Gate(), split(0, 1, 2)) is GateAnswer.FAIL


def test_unanimous_is_open_while_a_seat_could_still_say_no() -> None:
    assert settled(UNANIMOUS, Gate(), split(2, 0, 1)) is None
    assert settled(UNANIMOUS, Gate(), split(3, 0, 0)) is GateAnswer.PASS


def test_unanimous_waits_for_a_seat_that_may_stay_silent_even_if_any_score_would_do() -> None:
    panel = panel_of(StrategyName.UNANIMOUS, 3, threshold=1e-9)
    assert settled(panel, Gate(min_score=0.0), split(2, 0, 1)) is None


def test_a_missing_seat_leaves_unanimous_between_fail_and_unsure() -> None:
    assert settled(UNANIMOUS, Gate(), (PASSING, SILENT, WAITING)) is None
    assert settled(UNANIMOUS, Gate(), (PASSING, PASSING, SILENT)) is GateAnswer.UNSURE
    assert settled(UNANIMOUS, Gate(), (FAILING, SILENT, WAITING)) is GateAnswer.FAIL


def test_a_weighted_average_that_cannot_reach_the_score_has_failed() -> None:
    """(.2 + .2 + 1) / 3 is .466667."""
    assert settled(AVERAGE, Gate(), split(0, 2, 1)) is GateAnswer.FAIL
    assert settled(AVERAGE, Gate(min_score=0.46), split(0, 2, 1)) is None


def test_a_weighted_average_that_cannot_fall_below_the_score_has_passed() -> None:
    """(.9 + .9 + 0) / 3 is .6."""
    assert settled(AVERAGE, Gate(min_score=0.6), split(2, 0, 1)) is GateAnswer.PASS
    assert settled(AVERAGE, Gate(min_score=0.7), split(2, 0, 1)) is None


def test_agreement_out_of_reach_makes_a_certain_score_unsure() -> None:
    """0 and 1 known: SS .5 of a weight of 3 leaves an agreement of 1/3 at most."""
    row = (*row_of((0, 1, 1), (1, 1, 1)), WAITING)
    gate = Gate(min_score=0.0, min_agreement=0.5)
    assert settled(AVERAGE, gate, row) is GateAnswer.UNSURE
    assert settled(AVERAGE, Gate(min_score=0.0, min_agreement=0.3), row) is None


def test_agreement_that_a_light_seat_cannot_spoil_is_settled() -> None:
    """200 of 201 at .9 keep an agreement of .98 at least."""
    row = (*row_of((0.9, 0.9, 100), (0.9, 0.9, 100)), WAITING)
    gate = Gate(min_score=0.5, min_agreement=0.9)
    assert settled(AVERAGE, gate, row) is GateAnswer.PASS


def test_one_vote_may_stay_without_agreement() -> None:
    panel = panel_of(StrategyName.WEIGHTED_AVERAGE, 2)
    row = (*row_of((1, 1, 100)), WAITING)
    assert settled(panel, Gate(min_agreement=0.5), row) is None
    assert settled(panel, Gate(), row) is GateAnswer.PASS


def test_a_quorum_out_of_reach_is_settled_whatever_was_scored() -> None:
    panel = panel_of(StrategyName.WEIGHTED_AVERAGE, 3, quorum=3)
    assert settled(panel, Gate(), (PASSING, SILENT, WAITING)) is GateAnswer.NO_QUORUM
    assert settled(panel, Gate(), (SILENT, SILENT, SILENT)) is GateAnswer.NO_QUORUM


@pytest.mark.parametrize("strategy", StrategyName)
def test_nothing_is_settled_before_the_quorum_is_reached(strategy: StrategyName) -> None:
    panel = panel_of(strategy, 3, quorum=2, n=1)
    assert settled(panel, Gate(min_score=0.0), (FAILING, WAITING, WAITING)) is None
    assert settled(panel, Gate(min_score=0.0), (WAITING, WAITING, WAITING)) is None


def test_a_weightless_seat_neither_counts_for_the_quorum_nor_is_waited_for() -> None:
    panel = panel_of(StrategyName.WEIGHTED_AVERAGE, 3, quorum=2)
    weightless = Cell(None, weight=0.0, waiting=True)
    assert settled(panel, Gate(), (PASSING, SILENT, weightless)) is GateAnswer.NO_QUORUM
    assert settled(panel, Gate(), (PASSING, PASSING, weightless)) is GateAnswer.PASS


def test_a_required_criterion_that_cannot_be_met_has_failed() -> None:
    unmet = (Cell(0.0), Cell(0.0), WAITING)
    row = split(2, 0, 1)
    assert settled(AVERAGE, Gate(min_score=0.5), row, unmet) is GateAnswer.FAIL


def test_a_required_criterion_that_is_open_holds_up_a_pass() -> None:
    half, met = (Cell(1.0), SILENT, WAITING), (Cell(1.0), Cell(1.0), WAITING)
    row, gate = split(2, 0, 1), Gate(min_score=0.5)
    panel = panel_of(StrategyName.WEIGHTED_AVERAGE, 3, threshold=0.6)
    assert settled(panel, gate, row, half) is None
    assert settled(panel, gate, row, met) is GateAnswer.PASS
    assert settled(panel, gate, row, met, half) is None
