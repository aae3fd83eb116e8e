"""Folds a batch of panels into scores, agreement, coverage and confidence."""

from collections.abc import Callable

import numpy as np
from msgspec import Struct

from consensus.aggregation import (
    best_of_n,
    majority,
    median,
    trimmed_mean,
    unanimous,
    weighted_average,
)
from consensus.aggregation.batch import Batch, Bools, Floats, Ints
from consensus.domain.fold import Folded
from consensus.domain.policy import Panel, StrategyName

MAX_VARIANCE = 0.25
"""Largest variance of numbers in [0, 1]; the scale of the variance penalty (AEGIS)."""

STRATEGIES: dict[StrategyName, Callable[[Batch, Panel], Floats]] = {
    StrategyName.WEIGHTED_AVERAGE: weighted_average.final,
    StrategyName.MAJORITY: majority.final,
    StrategyName.UNANIMOUS: unanimous.final,
    StrategyName.BEST_OF_N: best_of_n.final,
    StrategyName.MEDIAN: median.final,
    StrategyName.TRIMMED_MEAN: trimmed_mean.final,
}


class FoldedBatch(Struct, frozen=True):
    """The numbers of B panels, each [B]. A row without scored weight holds zeros."""

    final: Floats
    confidence: Floats
    agreement: Floats
    """Meaningless (1) where `voters` < 2."""
    coverage: Floats
    tie: Bools
    voters: Ints
    """Scored seats of positive weight."""

    def row(self, index: int) -> Folded:
        """Return one panel's numbers as plain values."""
        return Folded(
            final=float(self.final[index]),
            confidence=float(self.confidence[index]),
            agreement=float(self.agreement[index]) if self.voters[index] >= 2 else None,
            coverage=float(self.coverage[index]),
            tie=bool(self.tie[index]),
        )


def final_scores(batch: Batch, panel: Panel) -> Floats:
    """Return the folded score of each row, [B], kept within the row's lowest and highest score.

    Keeping it there takes rounding away: three seats of 0.7 fold to 0.7, not 0.6999999999999998.
    """
    return _kept_within(STRATEGIES[panel.strategy](batch, panel), batch, panel)


def _kept_within(final: Floats, batch: Batch, panel: Panel) -> Floats:
    if panel.strategy is StrategyName.MAJORITY:
        return final
    low = np.minimum.reduce(batch.scores, axis=1, where=batch.cell_weights > 0, initial=1.0)
    high = np.maximum.reduce(batch.scores, axis=1)
    return np.minimum(np.maximum(final, low), high)


def score_agreement(batch: Batch, means: Floats) -> Floats:
    """Return 1 - min(var / 0.25, 1) of each row, [B]; the variance is weighted, about the mean."""
    apart = batch.scores - means[:, None]
    apart *= apart
    return 1.0 - np.minimum(batch.mean(apart) / MAX_VARIANCE, 1.0)


def vote_agreement(batch: Batch, panel: Panel) -> Floats:
    """Return |pass - fail| / (pass + fail) of each row by weight, [B]."""
    passed, failed = majority.votes(batch, panel)
    total = passed + failed
    return np.abs(passed - failed) / np.where(total > 0, total, 1.0)


def fold(batch: Batch, panel: Panel) -> FoldedBatch:
    """Fold every row of `batch` by the panel's strategy.

    confidence = coverage (agreement_factor agreement + self_factor self), self = sum w c / sum w;
    coverage self with fewer than two voters; coverage min c under unanimous.
    """
    strategy = panel.strategy
    voters: Ints = np.add.reduce(batch.cell_weights > 0, axis=1)
    coverage = np.minimum(batch.totals / batch.whole, 1.0)
    means = batch.mean(batch.scores)
    averages = strategy is StrategyName.WEIGHTED_AVERAGE  # whose score the means already are
    final = _kept_within(means if averages else STRATEGIES[strategy](batch, panel), batch, panel)
    votes_count = strategy is StrategyName.MAJORITY
    agreement = vote_agreement(batch, panel) if votes_count else score_agreement(batch, means)
    if strategy is StrategyName.UNANIMOUS:
        confidence = coverage * unanimous.lowest(batch.confidences, batch)
    else:
        own = batch.mean(batch.confidences)
        factors = panel.factors
        mixed = factors.agreement * agreement + factors.self_confidence * own
        confidence = coverage * np.where(voters >= 2, mixed, own)
    tie = final == 0.5 if votes_count else np.zeros(len(final), bool)
    return FoldedBatch(final, np.minimum(confidence, 1.0), agreement, coverage, tie, voters)
