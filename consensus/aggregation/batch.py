"""The table that every strategy folds: rows of seats with scores, confidences and weights."""

import functools
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from msgspec import Struct

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]
Ints = npt.NDArray[np.intp]

SMALLEST = 1e-300
"""Stands in for a total of 0, where every product is 0 too."""
TINY = 1e-12
"""Relative slack where weights are compared with each other."""


class Batch(Struct, frozen=True):
    """B rows of N seats. No NaN anywhere: a cell that is unscored or weighs nothing holds 0."""

    scores: Floats
    """[B, N], 0 to 1."""
    confidences: Floats
    """[B, N], 0 to 1."""
    weights: Floats
    """[N], as configured, scaled so that the heaviest seat weighs 1."""
    whole: float
    """The weight of all seats, scored or not."""
    cell_weights: Floats
    """[B, N], the seat's weight where the cell is scored, else 0."""
    totals: Floats
    """[B], the sum of each row's cell weights."""
    divisors: Floats
    """[B], the totals, and something where they are 0."""

    @classmethod
    def of(
        cls,
        scores: Sequence[Sequence[float]] | Floats,
        confidences: Sequence[Sequence[float]] | Floats,
        weights: Sequence[float] | Floats,
        scored: Sequence[Sequence[bool]] | Bools | None = None,
    ) -> "Batch":
        """Check and build a batch; `scored` marks the cells that count (default: all).

        Raises ValueError on shapes that do not fit, on NaN, infinities or values outside [0, 1]
        in scored cells, and on weights that are negative, not finite or all 0.
        """
        s, c = np.asarray(scores, np.float64), np.asarray(confidences, np.float64)
        w = np.asarray(weights, np.float64)
        mask = np.ones(s.shape, bool) if scored is None else np.asarray(scored, bool)
        if not (s.ndim == 2 and s.shape == c.shape == mask.shape and w.shape == s.shape[1:]):
            raise ValueError(f"shapes do not fit: {s.shape}, {c.shape}, {mask.shape}, {w.shape}")
        for name, values in (("scores", s), ("confidences", c)):
            if not ((values >= 0) & (values <= 1) | ~mask).all():
                raise ValueError(f"{name} must be finite and in [0, 1]")
        if not ((w >= 0) & np.isfinite(w)).all() or not w.any():
            raise ValueError(f"weights must be finite, >= 0 and not all 0, not {w.tolist()}")
        mask = mask & (w > 0)
        return cls.build(np.where(mask, s, 0.0), np.where(mask, c, 0.0), tuple(w), mask)

    @classmethod
    def build(
        cls,
        scores: Sequence[Sequence[float]] | Floats,
        confidences: Sequence[Sequence[float]] | Floats,
        weights: tuple[float, ...],
        scored: Sequence[Sequence[bool]] | Bools,
    ) -> "Batch":
        """Build a batch out of values that have been checked where they came in; what is not
        scored or weighs nothing must hold 0.
        """
        scaled, whole = _scaled(weights)
        return cls._weighed(
            np.array(scores, np.float64),
            np.array(confidences, np.float64),
            scaled,
            whole,
            scaled * np.array(scored, np.float64),
        )

    @classmethod
    def _weighed(
        cls, scores: Floats, confidences: Floats, weights: Floats, whole: float, cells: Floats
    ) -> "Batch":
        totals = row_sums(cells)
        divisors = np.maximum(totals, SMALLEST)
        return cls(scores, confidences, weights, whole, cells, totals, divisors)

    def completed(self, outstanding: Bools, score: float) -> "Batch":
        """Return the batch in which every outstanding cell scores `score` with confidence 1."""
        filled = outstanding & (self.weights > 0)
        return self._weighed(
            np.where(filled, score, self.scores),
            np.where(filled, 1.0, self.confidences),
            self.weights,
            self.whole,
            np.where(filled, self.weights, self.cell_weights),
        )

    def with_scores(self, scores: Floats) -> "Batch":
        """Return a batch of these `scores` [B', N]; the only row of this one gives the rest."""
        shape = scores.shape
        return Batch(
            scores,
            np.broadcast_to(self.confidences, shape),
            self.weights,
            self.whole,
            np.broadcast_to(self.cell_weights, shape),
            np.broadcast_to(self.totals, shape[:1]),
            np.broadcast_to(self.divisors, shape[:1]),
        )

    def rows(self, start: int, stop: int | None = None) -> "Batch":
        """Return the rows from `start` to before `stop` (None: to the end)."""
        kept = slice(start, stop)
        return Batch(
            self.scores[kept],
            self.confidences[kept],
            self.weights,
            self.whole,
            self.cell_weights[kept],
            self.totals[kept],
            self.divisors[kept],
        )

    def mean(self, values: Floats) -> Floats:
        """Return the weighted mean of `values` [B, N] in each row, [B]; 0 where nothing weighs."""
        mean: Floats = row_sums(values * self.cell_weights) / self.divisors
        return mean


@functools.lru_cache(maxsize=256)
def _scaled(weights: tuple[float, ...]) -> tuple[Floats, float]:
    """Return the weights, scaled so that the heaviest is 1, and their sum; a panel's are the same
    every time.
    """
    values = np.array(weights, np.float64)
    values /= np.maximum.reduce(values)
    values.flags.writeable = False
    return values, float(row_sums(values[None])[0])


def weighted_mean(values: Floats, weights: Floats, totals: Floats) -> Floats:
    """Return the mean of each row, [B]; `totals` are the sums of the weights."""
    mean: Floats = row_sums(values * weights) / np.maximum(totals, SMALLEST)
    return mean


def row_sums(values: Floats) -> Floats:
    """Return the sum of each row, [B], added up from left to right.

    np.sum and dot products add a row up in another order when it stands alone, and a batch must
    fold exactly as its rows do.
    """
    sums: Floats = np.add.accumulate(values, axis=1)[:, -1]
    return sums
