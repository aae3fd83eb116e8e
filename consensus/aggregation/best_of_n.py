"""best_of_n: the weighted mean of the n seats with the highest score times confidence.

Equal products: lower score first, then higher weight. Biased upward (the lenient win the ranking:
with five judges of noise 0.15 around a quality of 0.60, the best three pass a gate of 0.70 in
about a third of cases, the mean of five in 7 %), and not monotone: raising one judge's score can
push a better one out. Here for compatibility; `median` and `trimmed_mean` are the robust choices.
"""

import numpy as np

from consensus.aggregation.batch import Batch, Floats, row_sums, weighted_mean
from consensus.domain.fold import Interval
from consensus.domain.policy import Panel


def ranked(batch: Batch) -> tuple[Floats, Floats, Floats]:
    """Return scores, weights and products of each row, best first, each [B, N].

    Cells that weigh nothing come last, with product -1.
    """
    weights, scores = batch.cell_weights, batch.scores
    products = np.where(weights > 0, np.round(scores * batch.confidences, 12), -1.0)
    order = np.lexsort((-weights, scores, -products), axis=-1)
    return (
        np.take_along_axis(scores, order, axis=1),
        np.take_along_axis(weights, order, axis=1),
        np.take_along_axis(products, order, axis=1),
    )


def final(batch: Batch, panel: Panel) -> Floats:
    """Return the mean of the best n of each row, [B]; of all when fewer scored."""
    scores, weights, _ = ranked(batch)
    kept = weights[:, : panel.n]
    return weighted_mean(scores[:, : panel.n], kept, row_sums(kept))


def final_interval(batch: Batch, outstanding: Floats, panel: Panel) -> Interval:
    """Return an interval that holds the final score of every completion of a batch of one.

    `outstanding` are the weights of the seats that may still answer, [M]. With k of them in the
    best n, the other n - k places go to the best known seats. Each of the k scores at most 1 and
    at least the product of the known seat that it displaced, since confidence is at most 1.
    """
    rows = [row[0] for row in ranked(batch)]
    known = int((rows[1] > 0).sum())
    scores, weights, products = (row[:known] for row in rows)
    heavy, n = np.sort(outstanding)[::-1], panel.n or 1
    low, high = 1.0, 0.0
    for k in range(min(n, len(heavy)) + 1):
        kept = slice(0, n - k)
        mass, total = float(scores[kept] @ weights[kept]), float(weights[kept].sum())
        least = float(products[n - k]) if known > n - k else 0.0
        for share in {float(heavy[:k].sum()), float(heavy[len(heavy) - k :].sum())}:
            if total + share > 0:
                low = min(low, (mass + least * share) / (total + share))
                high = max(high, (mass + share) / (total + share))
    return Interval(low, high)
