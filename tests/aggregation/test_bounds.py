"""The intervals of early settlement hold every way in which the waiting seats could still end."""

import pytest
from hypothesis import given

from consensus.aggregation.bounds import SLACK, bounds
from consensus.aggregation.fold import FoldedBatch
from consensus.domain.fold import Bounds, Interval
from consensus.domain.policy import Panel, StrategyName
from tests.aggregation.panels import (
    EXTREMES,
    Case,
    Cell,
    Row,
    batch_of,
    cases,
    completions,
    fold_rows,
    law,
    outstanding,
    panel_of,
    row_of,
    scored_cells,
)

every_strategy = pytest.mark.parametrize("strategy", StrategyName)
WAITING = Cell(None, waiting=True)


def bounds_of(panel: Panel, row: Row) -> Bounds:
    """Return the bounds of one row."""
    return bounds(batch_of(row), outstanding(row), panel)


def every_end(panel: Panel, row: Row, *others: Cell) -> FoldedBatch:
    """Fold every completion by silence, by an extreme answer and by the `others`."""
    return fold_rows(panel, *completions(row, (*EXTREMES, Cell(0.5, 0.5), *others)))


def close(interval: Interval, low: float, high: float) -> bool:
    """Tell whether the interval is [low, high], less its slack."""
    return (interval.low, interval.high) == pytest.approx((low, high), abs=2 * SLACK)


@every_strategy
@given(case=cases(min_scored=0, wait=True), other=scored_cells)
@law
def test_every_completion_lies_within_the_bounds(
    strategy: StrategyName, case: Case, other: Cell
) -> None:
    panel = case.under(strategy)
    found, folded = bounds_of(panel, case.row), every_end(panel, case.row, other)
    answered = folded.voters >= 1
    for interval, values in (
        (found.final, folded.final[answered]),
        (found.confidence, folded.confidence[answered]),
        (found.agreement, folded.agreement[folded.voters >= 2]),
    ):
        assert interval.low <= values.min(initial=1.0)
        assert values.max(initial=0.0) <= interval.high


@every_strategy
@given(case=cases(min_scored=0, wait=True))
@law
def test_agreement_is_certain_iff_no_completion_lacks_one(
    strategy: StrategyName, case: Case
) -> None:
    panel = case.under(strategy)
    folded = every_end(panel, case.row)
    assert bounds_of(panel, case.row).agreement_certain == (folded.voters.min() >= 2)


@every_strategy
@given(case=cases(min_scored=2))
@law
def test_with_nothing_outstanding_the_bounds_are_the_fold(
    strategy: StrategyName, case: Case
) -> None:
    panel = case.under(strategy)
    found, folded = bounds_of(panel, case.row), fold_rows(panel, case.row).row(0)
    assert close(found.final, folded.final, folded.final)
    assert close(found.confidence, folded.confidence, folded.confidence)
    assert folded.agreement is not None
    assert close(found.agreement, folded.agreement, folded.agreement)


@pytest.mark.parametrize("strategy", [s for s in StrategyName if s is not StrategyName.BEST_OF_N])
@given(case=cases(min_scored=0, wait=True))
@law
def test_both_ends_of_the_final_score_can_be_reached(strategy: StrategyName, case: Case) -> None:
    panel = case.under(strategy)
    folded = every_end(panel, case.row)
    finals = folded.final[folded.voters >= 1]
    assert close(bounds_of(panel, case.row).final, finals.min(), finals.max())


def test_weighted_average_of_two_known_and_one_waiting() -> None:
    """Known mean .7 and SS .02; .9 at 0 and .1 at 1 bring the mean to .5 and SS to .1 + .25."""
    row = (*row_of((0.8, 0.9, 1), (0.6, 0.7, 1)), WAITING)
    found = bounds_of(panel_of(StrategyName.WEIGHTED_AVERAGE), row)
    assert close(found.final, 1.4 / 3, 2.4 / 3)
    least, most = 1 - 0.35 / 3 / 0.25, 1 - 0.02 / 3 / 0.25
    assert close(found.agreement, least, most)
    assert close(found.confidence, 0.7 * least + 0.3 * 1.6 / 3, 0.7 * most + 0.3 * 2.6 / 3)
    assert found.agreement_certain


def test_majority_of_two_passing_and_one_waiting() -> None:
    row = (*row_of((0.8, 1, 1), (0.9, 1, 1)), WAITING)
    found = bounds_of(panel_of(StrategyName.MAJORITY), row)
    assert close(found.final, 1.0, 1.0)
    assert close(found.agreement, 1 / 3, 1.0)
    assert close(found.confidence, (0.7 * 1 + 0.3 * 2) / 3, 1.0)


def test_unanimous_takes_the_lowest_confidence_times_the_widest_coverage() -> None:
    row = (*row_of((0.8, 0.9, 1), (0.6, 0.5, 1)), WAITING)
    found = bounds_of(panel_of(StrategyName.UNANIMOUS), row)
    assert close(found.final, 0.0, 0.6)
    assert close(found.confidence, 0.0, 0.5)


def test_best_of_n_keeps_a_waiting_seat_from_displacing_a_better_product() -> None:
    """With n = 1 and a known product of .72, whoever displaces it scores at least .72."""
    row = (*row_of((0.8, 0.9, 1), (0.1, 0.9, 1)), WAITING)
    found = bounds_of(panel_of(StrategyName.BEST_OF_N, n=1), row)
    assert close(found.final, 0.72, 1.0)


def test_one_voter_may_stay_alone_and_then_earns_only_its_own_confidence() -> None:
    row = (*row_of((0.8, 0.5, 1)), WAITING)
    found = bounds_of(panel_of(StrategyName.WEIGHTED_AVERAGE, 2, factors=(1.0, 0.0)), row)
    assert close(found.confidence, 0.25, 1.0)
    assert not found.agreement_certain
