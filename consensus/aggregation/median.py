"""median: the weighted median of the scores; the midpoint where half the weight is reached exactly.

Robust: less than half of the weight, however wrong, cannot move it past an honest judge.
"""

import numpy as np

from consensus.aggregation.batch import TINY, Batch, Floats
from consensus.domain.policy import Panel


def final(batch: Batch, panel: Panel) -> Floats:
    """Return the weighted median of each row, [B]."""
    order = np.argsort(batch.scores, axis=1, kind="stable")
    scores = np.take_along_axis(batch.scores, order, axis=1)
    reached = np.take_along_axis(batch.cell_weights, order, axis=1).cumsum(axis=1)
    total = reached[:, -1:]
    lower = np.argmax(reached >= total * (0.5 - TINY), axis=1)
    upper = np.argmax(reached > total * (0.5 + TINY), axis=1)
    rows = np.arange(len(scores))
    return np.where(total[:, 0] > 0, (scores[rows, lower] + scores[rows, upper]) / 2, 0.0)
