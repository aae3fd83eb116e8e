"""unanimous, by hand."""

import pytest

from consensus.aggregation.unanimous import lowest
from consensus.domain.policy import StrategyName
from tests.aggregation.panels import batch_of, fold_row, panel_of, row_of

UNANIMOUS = panel_of(StrategyName.UNANIMOUS)


def test_it_is_the_lowest_score_with_the_lowest_confidence() -> None:
    folded = fold_row(UNANIMOUS, row_of((0.9, 0.6, 1), (0.4, 0.9, 5), (0.8, 0.7, 1)))
    assert (folded.final, folded.confidence) == (0.4, 0.6)


def test_its_agreement_is_that_of_weighted_average() -> None:
    row = row_of((0.9, 0.9, 1), (0.8, 0.8, 2), (0.4, 0.95, 1))
    assert fold_row(UNANIMOUS, row).agreement == pytest.approx(0.8525)


def test_a_missing_seat_costs_its_share_of_the_confidence() -> None:
    folded = fold_row(UNANIMOUS, row_of((0.9, 0.8, 1), (None, 0, 3)))
    assert (folded.final, folded.coverage) == (0.9, 0.25)
    assert folded.confidence == pytest.approx(0.2)


def test_seats_that_do_not_count_are_not_the_lowest() -> None:
    folded = fold_row(UNANIMOUS, row_of((0.9, 0.8, 1), (0.0, 0.0, 0), (None, 0.0, 0)))
    assert (folded.final, folded.confidence) == (0.9, 0.8)


def test_the_lowest_of_nothing_is_zero() -> None:
    batch = batch_of(row_of((None, 0.0, 1), (0.4, 0.9, 0)))
    assert lowest(batch.scores, batch).tolist() == [0.0]
