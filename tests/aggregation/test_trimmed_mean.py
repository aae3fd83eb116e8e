"""The trimmed mean, by hand."""

import pytest
from hypothesis import given

from consensus.domain.policy import StrategyName
from tests.aggregation.panels import CLOSE, Case, cases, fold_row, law, panel_of, row_of

FIVE = row_of((0.0, 1, 1), (0.5, 1, 1), (0.6, 1, 1), (0.7, 1, 1), (1.0, 1, 1))


@pytest.mark.parametrize(
    ("trim", "mean"),
    [
        (0.0, 2.8 / 5),
        # a whole seat at each end
        (0.2, 1.8 / 3),
        # half a seat at each end
        (0.1, (0.0 / 2 + 1.8 + 1.0 / 2) / 4),
        # one and a half seats at each end
        (0.3, (0.5 / 2 + 0.6 + 0.7 / 2) / 2),
        # all but the middle fifth, which is the median
        (0.4, 0.6),
        (0.49, 0.6),
    ],
)
def test_a_seat_that_straddles_the_cut_counts_with_what_is_left(trim: float, mean: float) -> None:
    panel = panel_of(StrategyName.TRIMMED_MEAN, 5, trim=trim)
    assert fold_row(panel, FIVE).final == pytest.approx(mean)
    assert fold_row(panel, FIVE[::-1]).final == pytest.approx(mean)


def test_the_cut_is_by_weight() -> None:
    """Of a weight of 10, 2 go at each end: 2 of the 3 at 0, and 2 of the 5 at 1."""
    row = row_of((0.0, 1, 3), (0.5, 1, 2), (1.0, 1, 5))
    panel = panel_of(StrategyName.TRIMMED_MEAN, trim=0.2)
    assert fold_row(panel, row).final == pytest.approx((1 * 0.0 + 2 * 0.5 + 3 * 1.0) / 6)


def test_a_seat_that_straddles_both_cuts_is_all_that_is_left() -> None:
    row = row_of((0.0, 1, 1), (0.4, 1, 8), (1.0, 1, 1))
    panel = panel_of(StrategyName.TRIMMED_MEAN, trim=0.2)
    assert fold_row(panel, row).final == pytest.approx(0.4)


def test_the_share_is_of_the_scored_weight() -> None:
    """Four scored of five seats: .8 of a seat goes at each end."""
    row = (*FIVE[1:], *row_of((None, 0, 1)))
    panel = panel_of(StrategyName.TRIMMED_MEAN, 5, trim=0.2)
    expected = (0.2 * 0.5 + 0.6 + 0.7 + 0.2 * 1.0) / 2.4
    assert fold_row(panel, row).final == pytest.approx(expected)


def test_the_variance_penalty_stays_over_all_seats() -> None:
    trimmed = fold_row(panel_of(StrategyName.TRIMMED_MEAN, 5), FIVE)
    mean = fold_row(panel_of(StrategyName.WEIGHTED_AVERAGE, 5), FIVE)
    assert (trimmed.agreement, trimmed.confidence) == (mean.agreement, mean.confidence)


@given(case=cases())
@law
def test_without_a_trim_it_is_the_weighted_average(case: Case) -> None:
    trimmed, average = StrategyName.TRIMMED_MEAN, StrategyName.WEIGHTED_AVERAGE
    panel = panel_of(trimmed, len(case.row), trim=0.0)
    mean = fold_row(case.under(average), case.row).final
    assert fold_row(panel, case.row).final == pytest.approx(mean, abs=CLOSE)
