"""majority: pass or fail by weight of votes; a seat votes pass iff its score reaches the threshold.

final = 1 if the passing weight is greater, 0 if less, 0.5 on a tie, which the panel's `tie` rule
decides. agreement = |pass - fail| / (pass + fail). Forgets how far above or below a judge was.
"""

import numpy as np

from consensus.aggregation.batch import TINY, Batch, Floats, row_sums
from consensus.domain.fold import ROUNDING
from consensus.domain.policy import Panel


def votes(batch: Batch, panel: Panel) -> tuple[Floats, Floats]:
    """Return the weight that votes pass and the weight that votes fail, each [B]."""
    passing = batch.scores >= panel.threshold - ROUNDING
    weights = batch.cell_weights
    return row_sums(weights * passing), row_sums(weights * ~passing)


def final(batch: Batch, panel: Panel) -> Floats:
    """Return 1, 0.5 (tie) or 0 for each row, [B]; 0 where nobody votes."""
    passed, failed = votes(batch, panel)
    lead, total = passed - failed, passed + failed
    tied = (np.abs(lead) <= TINY * total) & (total > 0)
    return np.where(tied, 0.5, (lead > 0).astype(np.float64))
