"""Criteria: the panel's own strategy folds the findings, and what cannot be told has no vote."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from consensus.aggregation.criteria import certainly_met, statuses
from consensus.aggregation.fold import fold
from consensus.domain.gradient import FindingStatus
from consensus.domain.policy import Panel, StrategyName, Tie
from tests.aggregation.panels import (
    Case,
    Cell,
    Row,
    batch_of,
    cases,
    completions,
    law,
    outstanding,
    panel_of,
)

MET, UNMET, INCONCLUSIVE = FindingStatus.MET, FindingStatus.UNMET, FindingStatus.INCONCLUSIVE
YES, NO, SILENT = Cell(1.0), Cell(0.0), Cell(None)
WAITING = Cell(None, waiting=True)

every_strategy = pytest.mark.parametrize("strategy", StrategyName)


def status(panel: Panel, *votes: Cell) -> FindingStatus:
    """Return the status of one criterion."""
    return statuses(fold(batch_of(votes), panel), panel)[0]


def certain(panel: Panel, *votes: Cell) -> bool | None:
    """Tell whether one criterion is certain to be MET."""
    return certainly_met(batch_of(votes), outstanding(votes), panel)[0]


@every_strategy
def test_a_criterion_that_all_find_met_is_met(strategy: StrategyName) -> None:
    panel = panel_of(strategy, n=2)
    assert status(panel, YES, YES, YES) is MET
    assert status(panel, NO, NO, NO) is UNMET


@every_strategy
def test_a_criterion_without_a_vote_is_inconclusive(strategy: StrategyName) -> None:
    panel = panel_of(strategy, n=2, tie=Tie.PASS)
    weightless = Cell(1.0, weight=0.0)
    assert status(panel, SILENT, SILENT, weightless) is INCONCLUSIVE


@every_strategy
def test_who_cannot_tell_has_no_vote(strategy: StrategyName) -> None:
    panel = panel_of(strategy, n=2)
    assert status(panel, YES, SILENT, SILENT) is MET
    assert status(panel, SILENT, NO, SILENT) is UNMET


@pytest.mark.parametrize(
    ("panel", "votes", "expected"),
    [
        (panel_of(StrategyName.WEIGHTED_AVERAGE), (YES, YES, NO), UNMET),
        (panel_of(StrategyName.WEIGHTED_AVERAGE, threshold=2 / 3), (YES, YES, NO), MET),
        (panel_of(StrategyName.MAJORITY), (YES, YES, NO), MET),
        (panel_of(StrategyName.MAJORITY), (YES, Cell(0.0, weight=3.0), YES), UNMET),
        (panel_of(StrategyName.UNANIMOUS), (YES, YES, NO), UNMET),
        (panel_of(StrategyName.UNANIMOUS), (YES, YES, SILENT), MET),
        (panel_of(StrategyName.BEST_OF_N, n=2), (YES, YES, NO), MET),
        (panel_of(StrategyName.BEST_OF_N, n=2), (YES, NO, NO), UNMET),
        (panel_of(StrategyName.BEST_OF_N, n=2), (YES, SILENT, SILENT), MET),
        (panel_of(StrategyName.MEDIAN), (YES, YES, NO), MET),
        (panel_of(StrategyName.MEDIAN), (YES, NO, SILENT), UNMET),
        (panel_of(StrategyName.TRIMMED_MEAN), (YES, YES, NO), MET),
        (panel_of(StrategyName.TRIMMED_MEAN, trim=0.0), (YES, YES, NO), UNMET),
    ],
)
def test_the_strategy_of_the_panel_folds_the_votes(
    panel: Panel, votes: Row, expected: FindingStatus
) -> None:
    """With a threshold of .7: two of three are .667, but .778 once a fifth goes at each end."""
    assert status(panel, *votes) is expected


@pytest.mark.parametrize(
    ("tie", "expected"), [(Tie.PASS, MET), (Tie.FAIL, UNMET), (Tie.ESCALATE, INCONCLUSIVE)]
)
def test_a_tied_vote_goes_by_the_rule(tie: Tie, expected: FindingStatus) -> None:
    assert status(panel_of(StrategyName.MAJORITY, tie=tie), YES, NO, SILENT) is expected


def test_each_row_is_a_criterion_of_its_own() -> None:
    panel = panel_of(StrategyName.MAJORITY)
    votes = batch_of((YES, YES, NO), (NO, NO, YES), (SILENT, SILENT, SILENT))
    assert statuses(fold(votes, panel), panel) == [MET, UNMET, INCONCLUSIVE]
    waiting = np.zeros((3, 3), bool)
    assert certainly_met(votes, waiting, panel) == [True, False, False]


@pytest.mark.parametrize(
    ("panel", "votes", "expected"),
    [
        (panel_of(StrategyName.MAJORITY), (YES, YES, WAITING), True),
        (panel_of(StrategyName.MAJORITY), (NO, NO, WAITING), False),
        (panel_of(StrategyName.MAJORITY), (YES, NO, WAITING), None),
        (panel_of(StrategyName.MAJORITY, tie=Tie.FAIL), (NO, SILENT, WAITING), False),
        (panel_of(StrategyName.MAJORITY, tie=Tie.ESCALATE), (NO, SILENT, WAITING), False),
        (panel_of(StrategyName.MAJORITY, tie=Tie.PASS), (NO, SILENT, WAITING), None),
        (panel_of(StrategyName.MAJORITY, tie=Tie.PASS), (NO, NO, WAITING), False),
        (panel_of(StrategyName.UNANIMOUS), (YES, NO, WAITING), False),
        (panel_of(StrategyName.UNANIMOUS), (YES, YES, WAITING), None),
        (panel_of(StrategyName.BEST_OF_N, n=1), (YES, NO, WAITING), True),
        (panel_of(StrategyName.BEST_OF_N, n=1), (Cell(1.0, 0.5), NO, WAITING), None),
        (panel_of(StrategyName.BEST_OF_N, n=3), (NO, NO, WAITING), False),
        (panel_of(StrategyName.WEIGHTED_AVERAGE, threshold=0.6), (YES, YES, WAITING), True),
        (panel_of(StrategyName.WEIGHTED_AVERAGE), (YES, YES, WAITING), None),
        (panel_of(StrategyName.WEIGHTED_AVERAGE), (SILENT, SILENT, WAITING), None),
        (panel_of(StrategyName.WEIGHTED_AVERAGE), (SILENT, SILENT, SILENT), False),
        # 0 reaches this threshold, but nobody may come to vote
        (panel_of(StrategyName.WEIGHTED_AVERAGE, threshold=1e-9), (SILENT, SILENT, WAITING), None),
    ],
)
def test_what_is_certain_while_a_seat_is_waiting(
    panel: Panel, votes: Row, expected: bool | None
) -> None:
    assert certain(panel, *votes) is expected


@every_strategy
@given(case=cases(min_scored=0, wait=True), votes=st.lists(st.booleans(), min_size=10, max_size=10))
@law
def test_what_is_certain_holds_in_every_completion(
    strategy: StrategyName, case: Case, votes: list[bool]
) -> None:
    panel = case.under(strategy)
    row = tuple(
        cell if cell.score is None else Cell(float(vote), cell.confidence, cell.weight)
        for cell, vote in zip(case.row, votes, strict=False)
    )
    expected = certain(panel, *row)
    ends = completions(row, [YES, NO, Cell(1.0, 0.5), Cell(1.0, 0.0), Cell(0.0, 0.0)])
    found = {end is MET for end in statuses(fold(batch_of(*ends), panel), panel)}
    assert expected is None or found == {expected}
