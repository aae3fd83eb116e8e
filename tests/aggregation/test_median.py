"""The weighted median, by hand."""

import pytest
from hypothesis import given

from consensus.domain.policy import StrategyName
from tests.aggregation.panels import Case, Cell, Row, cases, fold_row, law, panel_of, row_of

MEDIAN = panel_of(StrategyName.MEDIAN)


def final(row: Row) -> float:
    """Return the median of a row."""
    return fold_row(MEDIAN, row).final


@pytest.mark.parametrize(
    ("answers", "median"),
    [
        (((0.9, 1), (0.1, 1), (0.6, 1)), 0.6),
        (((0.4, 1), (0.8, 1)), 0.6),
        (((0.1, 1), (0.4, 1), (0.8, 1), (0.9, 1)), 0.6),
        (((0.1, 1), (0.5, 3), (0.9, 1)), 0.5),
        # 2 of 4 reached at .3 exactly: the midpoint to the next seat
        (((0.3, 2), (0.7, 1), (0.9, 1)), 0.5),
        # half in decimals; in doubles a bit less, then a bit more, of the heaviest seat
        (((0.2, 0.1), (0.4, 0.3), (0.8, 0.4)), 0.6),
        (((0.2, 1.4), (0.4, 2.7), (0.8, 4.1)), 0.6),
        (((0.3, 2.1), (0.7, 1), (0.9, 1)), 0.3),
        (((0.3, 1.9), (0.7, 1), (0.9, 1)), 0.7),
        (((0.5, 1),), 0.5),
    ],
)
def test_it_is_the_score_at_half_of_the_weight(
    answers: tuple[tuple[float, float], ...], median: float
) -> None:
    row = row_of(*((score, 1.0, weight) for score, weight in answers))
    assert final(row) == pytest.approx(median)
    assert final(row[::-1]) == pytest.approx(median)


def test_the_midpoint_skips_seats_that_do_not_count() -> None:
    row = row_of((0.2, 1, 1), (0.3, 1, 0), (None, 0, 5), (0.8, 1, 1))
    assert final(row) == pytest.approx(0.5)


def test_a_lone_outlier_does_not_move_it() -> None:
    honest = row_of((0.6, 1, 1), (0.65, 1, 1), (0.7, 1, 1), (0.75, 1, 1))
    for wrong in (0.0, 1.0):
        assert 0.6 <= final((*honest, Cell(wrong))) <= 0.75


@given(case=cases())
@law
def test_at_most_half_of_the_weight_lies_on_either_side(case: Case) -> None:
    panel = case.under(StrategyName.MEDIAN)
    median = fold_row(panel, case.row).final
    counted = [(cell.score, cell.weight) for cell in case.row if cell.votes]
    half = sum(weight for _, weight in counted) / 2 * (1 + 1e-9)
    assert sum(weight for score, weight in counted if score and score < median) <= half
    assert sum(weight for score, weight in counted if score and score > median) <= half
