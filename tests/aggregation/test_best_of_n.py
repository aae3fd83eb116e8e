"""best_of_n, by hand."""

import pytest

from consensus.domain.policy import StrategyName
from tests.aggregation.panels import Cell, Row, fold_row, panel_of, row_of


def final(n: int, row: Row) -> float:
    """Return the final score of the best n."""
    return fold_row(panel_of(StrategyName.BEST_OF_N, n=n), row).final


def test_it_takes_the_highest_score_times_confidence() -> None:
    """Products .45, .64 and .6: the highest score is the least sure and stays out."""
    row = row_of((0.9, 0.5, 1), (0.8, 0.8, 1), (0.6, 1.0, 1))
    assert final(1, row) == 0.8
    assert final(2, row) == pytest.approx(0.7)
    assert final(3, row) == pytest.approx(2.3 / 3)


def test_the_mean_of_the_best_is_weighted() -> None:
    row = row_of((0.9, 1.0, 1), (0.6, 1.0, 2), (0.1, 1.0, 5))
    assert final(2, row) == pytest.approx((0.9 + 2 * 0.6) / 3)


@pytest.mark.parametrize("order", [1, -1])
def test_of_equal_products_the_lower_score_comes_first(order: int) -> None:
    """Each product is .4."""
    row = row_of((0.8, 0.5, 1), (0.4, 1.0, 1), (0.5, 0.8, 1))[::order]
    assert final(1, row) == 0.4
    assert final(2, row) == pytest.approx(0.45)


@pytest.mark.parametrize("order", [1, -1])
def test_products_that_differ_by_rounding_are_equal(order: int) -> None:
    """0.9 * 0.8 is 0.7200000000000001 in doubles."""
    row = row_of((0.9, 0.8, 1), (0.72, 1.0, 1))[::order]
    assert final(1, row) == 0.72


@pytest.mark.parametrize("order", [1, -1])
def test_of_equal_products_and_scores_the_heavier_comes_first(order: int) -> None:
    """With .9 first, .5 joins with a weight of 3 rather than 1."""
    row = row_of((0.9, 1.0, 1), (0.5, 0.8, 1), (0.5, 0.8, 3))
    assert final(2, row[::order]) == pytest.approx((0.9 + 3 * 0.5) / 4)


def test_seats_that_do_not_count_are_never_among_the_best() -> None:
    row = row_of((1.0, 1.0, 0), (None, 0.0, 9), (0.3, 0.0, 1))
    assert final(1, row) == 0.3
    assert final(2, row) == 0.3


def test_all_are_taken_where_fewer_than_n_scored() -> None:
    assert final(3, row_of((0.9, 1.0, 1), (None, 0.0, 1), (0.5, 1.0, 1))) == pytest.approx(0.7)


def test_it_is_not_monotone() -> None:
    """Raising the sure judge's score from .4 to .5 pushes the better, less sure one out."""
    unsure = Cell(0.9, 0.5)
    assert final(1, (unsure, Cell(0.4))) == 0.9
    assert final(1, (unsure, Cell(0.5))) == 0.5


def test_the_variance_penalty_stays_over_all_seats() -> None:
    row = row_of((0.95, 0.9, 1), (0.9, 0.85, 1), (0.1, 1.0, 1))
    best = fold_row(panel_of(StrategyName.BEST_OF_N, n=2), row)
    mean = fold_row(panel_of(StrategyName.WEIGHTED_AVERAGE), row)
    assert (best.agreement, best.confidence) == (mean.agreement, mean.confidence)
