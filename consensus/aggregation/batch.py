"""The table that every strategy folds: rows of seats with scores, confidences and weights."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]

TINY = 1e-12
"""Relative slack where weights are compared with each other."""


@dataclass(frozen=True, slots=True)
class Batch:
    """B rows of N seats. No NaN anywhere: an unscored cell holds 0 and weighs 0."""

    scores: Floats
    """[B, N], 0 to 1."""
    confidences: Floats
    """[B, N], 0 to 1."""
    weights: Floats
    """[N], as configured, scaled so that the heaviest seat weighs 1."""
    cell_weights: Floats
    """[B, N], the seat's weight where the cell is scored, else 0."""

    @classmethod
    def of(
        cls,
        scores: Sequence[Sequence[float]] | Floats,
        confidences: Sequence[Sequence[float]] | Floats,
        weights: Sequence[float] | Floats,
        scored: Sequence[Sequence[bool]] | Bools | None = None,
    ) -> "Batch":
        """Build a batch; `scored` marks the cells that count (default: all).

        Raises ValueError on shapes that do not fit, on NaN, infinities or values outside [0, 1]
        in scored cells, and on weights that are negative, not finite or all 0.
        """
        # Row-major, so that every row is summed in the same order, alone or in a batch.
        s, c = np.asarray(scores, np.float64, "C"), np.asarray(confidences, np.float64, "C")
        mask = np.ones(s.shape, bool) if scored is None else np.asarray(scored, bool, "C")
        w = np.asarray(weights, np.float64)
        if not (s.ndim == 2 and s.shape == c.shape == mask.shape and w.shape == s.shape[1:]):
            raise ValueError(f"shapes do not fit: {s.shape}, {c.shape}, {mask.shape}, {w.shape}")
        s, c = np.where(mask, s, 0.0), np.where(mask, c, 0.0)
        if not (((s >= 0) & (s <= 1) & (c >= 0) & (c <= 1)).all()):
            raise ValueError("scores and confidences must be finite and in [0, 1]")
        heaviest = w.max(initial=0.0)
        if not (heaviest > 0 and np.isfinite(heaviest) and (w >= 0).all()):
            raise ValueError(f"weights must be finite, >= 0 and not all 0, not {w.tolist()}")
        return cls._unchecked(s, c, w / heaviest, mask)

    @classmethod
    def _unchecked(cls, s: Floats, c: Floats, w: Floats, mask: Bools) -> "Batch":
        return cls(s, c, w, w * mask)

    def completed(self, outstanding: Bools, score: float) -> "Batch":
        """Return the batch in which every outstanding cell scores `score` with confidence 1."""
        return Batch(
            np.where(outstanding, score, self.scores),
            np.where(outstanding, 1.0, self.confidences),
            self.weights,
            np.where(outstanding, self.weights, self.cell_weights),
        )

    def with_scores(self, scores: Floats) -> "Batch":
        """Return a batch of these `scores` [B', N]; the only row of this one gives the rest."""
        shape = scores.shape
        return Batch(
            scores,
            np.broadcast_to(self.confidences, shape),
            self.weights,
            np.broadcast_to(self.cell_weights, shape),
        )


def weighted_mean(values: Floats, weights: Floats) -> Floats:
    """Return the mean of each row, [B]; 0 where nothing weighs."""
    total = weights.sum(axis=1)
    mean: Floats = (values * weights).sum(axis=1) / np.where(total > 0, total, 1.0)
    return mean
