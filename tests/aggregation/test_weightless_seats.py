"""A seat of weight 0 is asked and recorded, but absent from the arithmetic."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from consensus.aggregation.bounds import bounds
from consensus.aggregation.criteria import certainly_met, statuses
from consensus.aggregation.dissent import dissents
from consensus.aggregation.fold import fold
from consensus.domain.fold import Bounds
from consensus.domain.policy import StrategyName
from tests.aggregation.panels import (
    CLOSE,
    Case,
    Cell,
    Row,
    batch_of,
    cases,
    fold_row,
    law,
    outstanding,
    panel_of,
    weightless_cells,
)

every_strategy = pytest.mark.parametrize("strategy", StrategyName)
places = st.integers(0, 6)


def joined(row: Row, at: int, extra: Cell) -> Row:
    """Return `row` with `extra` at a place of it."""
    return (*row[:at], extra, *row[at:])


def ends(found: Bounds) -> list[float]:
    """Return every end of every interval."""
    intervals = (found.final, found.confidence, found.agreement)
    return [end for interval in intervals for end in (interval.low, interval.high)]


@every_strategy
@given(case=cases(), extra=weightless_cells, at=places)
@law
def test_it_is_absent_from_every_number(
    strategy: StrategyName, case: Case, extra: Cell, at: int
) -> None:
    panel = case.under(strategy)
    without, within = fold_row(panel, case.row), fold_row(panel, joined(case.row, at, extra))
    assert within.final == pytest.approx(without.final, abs=CLOSE)
    assert within.confidence == pytest.approx(without.confidence, abs=CLOSE)
    assert within.agreement == pytest.approx(without.agreement, abs=CLOSE)
    assert within.coverage == pytest.approx(without.coverage, abs=CLOSE)
    assert within.tie == without.tie


@every_strategy
@given(case=cases(), extra=weightless_cells, at=places)
@law
def test_it_neither_dissents_nor_flips(
    strategy: StrategyName, case: Case, extra: Cell, at: int
) -> None:
    panel, at = case.under(strategy), min(at, len(case.row))
    final = fold_row(panel, case.row).final
    names = [f"judge {i}" for i in range(len(case.row))]
    named = [*names[:at], "weightless", *names[at:]]
    row = joined(case.row, at, extra)
    assert dissents(batch_of(row), panel, named, final, 0.7) == dissents(
        batch_of(case.row), panel, names, final, 0.7
    )


@every_strategy
@given(case=cases(), extra=weightless_cells, at=places)
@law
def test_its_findings_have_no_vote(
    strategy: StrategyName, case: Case, extra: Cell, at: int
) -> None:
    panel = case.under(strategy)
    votes = tuple(replace(c, score=c.score and float(c.score >= 0.5)) for c in case.row)
    within = joined(votes, at, replace(extra, score=extra.score and round(extra.score)))
    assert statuses(fold(batch_of(within), panel), panel) == statuses(
        fold(batch_of(votes), panel), panel
    )


@every_strategy
@given(case=cases(min_scored=0, wait=True), extra=weightless_cells, at=places)
@law
def test_waiting_for_it_leaves_nothing_open(
    strategy: StrategyName, case: Case, extra: Cell, at: int
) -> None:
    panel = case.under(strategy)
    row = joined(case.row, at, replace(extra, score=None, waiting=True))
    without = bounds(batch_of(case.row), outstanding(case.row), panel)
    within = bounds(batch_of(row), outstanding(row), panel)
    assert ends(within) == pytest.approx(ends(without), abs=CLOSE)
    assert within.agreement_certain == without.agreement_certain
    assert certainly_met(batch_of(row), outstanding(row), panel) == certainly_met(
        batch_of(case.row), outstanding(case.row), panel
    )


@every_strategy
def test_beside_one_vote_it_gives_no_agreement(strategy: StrategyName) -> None:
    panel = panel_of(strategy, 2, n=1 if strategy is StrategyName.BEST_OF_N else None)
    folded = fold_row(panel, (Cell(0.9, 0.8), Cell(0.1, 0.9, 0.0)))
    assert (folded.confidence, folded.agreement, folded.coverage) == (0.8, None, 1.0)
