"""Builders and strategies: cells in a row, the panel that they sit on, and their completions."""

import itertools
from collections.abc import Sequence

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st
from msgspec import Struct
from msgspec.structs import replace

from consensus.aggregation.batch import Batch, Bools
from consensus.aggregation.fold import FoldedBatch, fold
from consensus.domain.fold import Folded
from consensus.domain.policy import ConfidenceFactors, Panel, Seat, StrategyName, Tie

law = settings(max_examples=100)
CLOSE = 1e-9
"""What rounding may come to in a sum of a few doubles in [0, 1], with room to spare."""


class Cell(Struct, frozen=True):
    """What one seat answered; a score of None means that it did not, or not yet."""

    score: float | None
    confidence: float = 1.0
    weight: float = 1.0
    waiting: bool = False

    @property
    def votes(self) -> bool:
        """Whether the cell counts in the arithmetic."""
        return self.score is not None and self.weight > 0


Row = tuple[Cell, ...]


class Case(Struct, frozen=True):
    """A row of cells and the rules of its panel, for any strategy."""

    row: Row
    panel: Panel
    n: int

    def under(self, strategy: StrategyName) -> Panel:
        """Return the panel with this strategy."""
        n = self.n if strategy is StrategyName.BEST_OF_N else None
        return replace(self.panel, strategy=strategy, n=n)


def row_of(*answers: tuple[float | None, float, float]) -> Row:
    """Return cells of (score, confidence, weight)."""
    return tuple(Cell(score, confidence, weight) for score, confidence, weight in answers)


def panel_of(
    strategy: StrategyName,
    seats: int = 3,
    *,
    threshold: float = 0.7,
    n: int | None = None,
    trim: float = 0.2,
    tie: Tie = Tie.FAIL,
    quorum: int = 1,
    factors: tuple[float, float] = (0.7, 0.3),
) -> Panel:
    """Return a panel of equal seats."""
    return Panel(
        seats=tuple(Seat(judge=f"judge {i}") for i in range(seats)),
        strategy=strategy,
        threshold=threshold,
        quorum=quorum,
        n=n,
        trim=trim,
        tie=tie,
        factors=ConfidenceFactors(agreement=factors[0], self_confidence=factors[1]),
    )


def batch_of(*rows: Row) -> Batch:
    """Return the batch of rows that share the weights of the first."""
    return Batch.of(
        [[cell.score or 0.0 for cell in row] for row in rows],
        [[cell.confidence for cell in row] for row in rows],
        [cell.weight for cell in rows[0]],
        [[cell.score is not None for cell in row] for row in rows],
    )


def fold_rows(panel: Panel, *rows: Row) -> FoldedBatch:
    """Fold rows that share the weights of the first."""
    return fold(batch_of(*rows), panel)


def fold_row(panel: Panel, row: Row) -> Folded:
    """Fold one row."""
    return fold_rows(panel, row).row(0)


def outstanding(row: Row) -> Bools:
    """Return the mask of the cells that may still answer, [1, N]."""
    return np.array([[cell.waiting for cell in row]])


def completions(row: Row, answers: Sequence[Cell]) -> list[Row]:
    """Return every row in which each waiting cell stays silent or answers as one of `answers`."""
    choices = [
        [
            replace(cell, waiting=False),
            *(Cell(given.score, given.confidence, cell.weight) for given in answers),
        ]
        if cell.waiting
        else [cell]
        for cell in row
    ]
    return list(itertools.product(*choices))


EXTREMES = (Cell(0.0, 0.0), Cell(0.0, 1.0), Cell(1.0, 0.0), Cell(1.0, 1.0))
ODD = [1e-300, 0.1 + 0.2, 1 / 3, 2 / 3, 0.6999999999999998, 0.7 + 1e-12, 1 - 2**-53]
"""Doubles that make rounding show; the grid beside them makes ties, which free floats do not."""

UNITS = (0.7, *(i / 20 for i in range(21)), *ODD)
WEIGHTS = (1.0, 0.5, 2.0, 3.0, 0.1, 1 / 3, 7.3, 0.01, 100.0)
RULES = [
    Panel(
        seats=(),
        threshold=threshold,
        trim=trim,
        tie=tie,
        factors=ConfidenceFactors(agreement=share, self_confidence=1 - share),
    )
    for threshold in (0.7, 0.5, 1.0, 0.05, 1 / 3)
    for trim in (0.2, 0.0, 0.25, 0.45)
    for tie in Tie
    for share in (0.7, 0.3, 0.0, 1.0)
]

# Whole cells and rules are drawn at once, by strategies built once: a draw costs more than a fold.
units = st.sampled_from(UNITS)
scored_cells = st.sampled_from([Cell(*found) for found in itertools.product(UNITS, UNITS, WEIGHTS)])
weightless_cells = st.sampled_from([Cell(score, 0.8, 0.0) for score in (None, *UNITS)])
silent_cells = st.sampled_from([Cell(None, weight=weight) for weight in (*WEIGHTS, 0.0)])
waiting_cells = st.sampled_from([Cell(None, weight=weight, waiting=True) for weight in WEIGHTS])
_scored = [st.lists(scored_cells, min_size=least, max_size=4) for least in range(3)]
_others = st.lists(silent_cells | weightless_cells, max_size=1)
_waiting = st.lists(waiting_cells, min_size=1, max_size=3)
_rules = st.sampled_from(RULES)
_choices = st.integers(0, 23)


@st.composite
def cases(draw: st.DrawFn, *, min_scored: int = 1, wait: bool = False) -> Case:
    """Draw 1 to 8 cells, some of them waiting if asked, and sound rules for their panel."""
    cells = draw(_scored[min_scored]) + draw(_others) + (draw(_waiting) if wait else [])
    start = draw(_choices) % len(cells)
    row = tuple(cells[start:] + cells[:start])
    voters = sum(cell.weight > 0 for cell in row)
    panel = replace(
        draw(_rules),
        seats=tuple(Seat(judge=f"judge {i}", weight=cell.weight) for i, cell in enumerate(row)),
        quorum=1 + draw(_choices) % min(voters, 3),
    )
    return Case(row, panel, 1 + draw(_choices) % voters)
