"""Dissent: the seats on the other side of the threshold, and what it would take to flip."""

import numpy as np

from consensus.aggregation.batch import Batch
from consensus.aggregation.fold import final_scores
from consensus.domain.decision import Dissent, Flip
from consensus.domain.fold import ROUNDING, reaches
from consensus.domain.policy import Panel

STEPS = np.arange(101) / 100
"""The scores that are tried, 0 to 1 by 0.01."""


def dissents(
    batch: Batch, panel: Panel, judges: list[str], final: float, bar: float
) -> tuple[Dissent, ...]:
    """Return one entry for each dissenting seat of a batch's first row, in panel order.

    The consensus passes iff `final` reaches `bar`; a seat passes iff its score reaches the panel's
    threshold. Seats of weight 0 have no side.
    """
    passed = reaches(final, bar)
    scores, weights = batch.scores[0].tolist(), batch.cell_weights[0].tolist()
    against = {
        i: scores[i]
        for i, weight in enumerate(weights)
        if weight > 0 and reaches(scores[i], panel.threshold) != passed
    }
    if not against:
        return ()
    flips = _flips(batch.rows(0, 1), panel, judges, passed, bar)
    nearest = min(flips.values(), key=lambda found: found[0], default=(0.0, None))[1]
    return tuple(
        Dissent(judges[i], score, flips[i][1] if i in flips else nearest)
        for i, score in against.items()
    )


def _flips(
    batch: Batch, panel: Panel, judges: list[str], passed: bool, bar: float
) -> dict[int, tuple[float, Flip]]:
    """Return, for each seat that can flip the consensus alone, the least change and its flip."""
    seats = np.flatnonzero(batch.cell_weights[0] > 0)
    table = np.repeat(batch.scores, len(seats) * len(STEPS), axis=0)
    columns = np.repeat(seats, len(STEPS))
    table[np.arange(len(table)), columns] = np.tile(STEPS, len(seats))
    finals = final_scores(batch.with_scores(table), panel)
    flipped = ((finals >= bar - ROUNDING) != passed).reshape(len(seats), len(STEPS))
    found: dict[int, tuple[float, Flip]] = {}
    for row, seat in zip(flipped, seats.tolist(), strict=True):
        if row.any():
            score = float(batch.scores[0, seat])
            target = min(STEPS[row].tolist(), key=lambda step: abs(step - score))
            found[seat] = (abs(target - score), Flip(judges[seat], target, target > score))
    return found
