"""trimmed_mean: the mean of the weight left after dropping the share `trim` at each end.

A seat that straddles the cut counts with the part of its weight that is left. Robust up to `trim`
of outlying weight, and smoother than the median.
"""

import numpy as np

from consensus.aggregation.batch import Batch, Floats, row_sums, weighted_mean
from consensus.domain.policy import Panel


def final(batch: Batch, panel: Panel) -> Floats:
    """Return the trimmed mean of each row, [B]."""
    order = np.argsort(batch.scores, axis=1, kind="stable")
    scores = np.take_along_axis(batch.scores, order, axis=1)
    weights = np.take_along_axis(batch.cell_weights, order, axis=1)
    end = weights.cumsum(axis=1)
    total = end[:, -1:]
    kept_end = np.minimum(end, total * (1 - panel.trim))
    kept_start = np.maximum(end - weights, total * panel.trim)
    kept = np.maximum(kept_end - kept_start, 0.0)
    return weighted_mean(scores, kept, row_sums(kept))
