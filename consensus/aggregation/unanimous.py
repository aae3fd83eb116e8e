"""unanimous: the lowest score; passes iff every configured seat scores and reaches the threshold.

final = min_S s. confidence = min_S c times coverage. A missing seat is not a yes. Biased downward:
the more judges, the lower the minimum of honest noise.
"""

import numpy as np

from consensus.aggregation.batch import Batch, Floats
from consensus.domain.policy import Panel


def lowest(values: Floats, batch: Batch) -> Floats:
    """Return the least value among the cells that weigh, [B]; 0 where none does."""
    weighs = batch.cell_weights > 0
    least = np.where(weighs, values, 2.0).min(axis=1)
    return np.where(least > 1.0, 0.0, least)


def final(batch: Batch, panel: Panel) -> Floats:
    """Return the lowest score of each row, [B]."""
    return lowest(batch.scores, batch)
