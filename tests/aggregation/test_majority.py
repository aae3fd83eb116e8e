"""majority, by hand."""

import pytest

from consensus.domain.policy import StrategyName, Tie
from tests.aggregation.panels import fold_row, panel_of, row_of

MAJORITY = panel_of(StrategyName.MAJORITY)


def test_a_score_at_the_threshold_votes_pass() -> None:
    assert fold_row(MAJORITY, row_of((0.7, 1, 1))).final == 1.0
    assert fold_row(MAJORITY, row_of((0.6999999999999998, 1, 1))).final == 1.0
    assert fold_row(MAJORITY, row_of((0.6999, 1, 1))).final == 0.0


def test_votes_count_by_weight() -> None:
    row = row_of((0.9, 1, 1), (0.9, 1, 1), (0.1, 1, 3))
    folded = fold_row(MAJORITY, row)
    assert (folded.final, folded.tie) == (0.0, False)
    assert folded.agreement == pytest.approx(0.2)
    assert folded.confidence == pytest.approx(0.7 * 0.2 + 0.3)


@pytest.mark.parametrize("tie", Tie)
def test_a_tie_is_one_half_whatever_the_rule(tie: Tie) -> None:
    folded = fold_row(panel_of(StrategyName.MAJORITY, tie=tie), row_of((1, 1, 2), (0, 1, 2)))
    assert (folded.final, folded.tie, folded.agreement) == (0.5, True, 0.0)


def test_a_tie_of_weights_that_are_equal_only_in_decimals_is_a_tie() -> None:
    """In parts of the heaviest seat .1 and .3 are 0.9999999999999999 of .4."""
    folded = fold_row(MAJORITY, row_of((1, 1, 0.1), (1, 1, 0.3), (0, 1, 0.4)))
    assert (folded.final, folded.tie) == (0.5, True)


def test_missing_seats_cost_coverage_and_not_the_vote() -> None:
    folded = fold_row(MAJORITY, row_of((0.9, 1, 1), (None, 0, 1), (None, 0, 2)))
    assert (folded.final, folded.coverage, folded.agreement) == (1.0, 0.25, None)
    assert folded.confidence == pytest.approx(0.25)


@pytest.mark.parametrize("strategy", [s for s in StrategyName if s is not StrategyName.MAJORITY])
def test_only_votes_can_tie(strategy: StrategyName) -> None:
    folded = fold_row(panel_of(strategy, 2, n=2), row_of((0.5, 1, 1), (0.5, 1, 1)))
    assert (folded.final, folded.tie) == (0.5, False)
