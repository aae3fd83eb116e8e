"""weighted_average: the weighted mean of the scores.

final = sum_S w s / sum_S w. The general-purpose strategy; unbiased when the judges are.
"""

from consensus.aggregation.batch import Batch, Floats
from consensus.domain.policy import Panel


def final(batch: Batch, panel: Panel) -> Floats:
    """Return the folded score of each row, [B], 0 to 1."""
    return batch.mean(batch.scores)
