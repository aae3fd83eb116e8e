"""Early settlement: intervals over all ways in which the outstanding seats could still answer.

An outstanding seat may score anything with any confidence, abstain or fail. Writing K for the
scored seats, O for the outstanding, W for weight and SS for the weighted sum of squares about the
mean:

- final: every strategy but best_of_n never falls when a score rises or when weight joins at 1,
  so all of O at 0 and all of O at 1 are the ends.
- agreement from variance: a seat at the mean adds weight and no SS, so SS_K / (W_K + W_O) is the
  least variance. A seat at the farther end is never nearer than 0.5 and the variance never above
  0.25, so weight joined there never lowers it: the greatest has all of O at the ends, split to
  bring the mean as near to 0.5 as it goes.
- confidence: W_S agreement = W_S - 4 SS_S, which joining at the farther end never raises; so the
  same split with confidence 0 is the lower end, and all of O at the mean with confidence 1 the
  upper one. Votes likewise: W_S agreement = |pass - fail|.
"""

import numpy as np

from consensus.aggregation import best_of_n, majority, unanimous
from consensus.aggregation.batch import Batch, Bools
from consensus.aggregation.fold import MAX_VARIANCE, final_scores
from consensus.domain.fold import Bounds, Interval
from consensus.domain.policy import Panel, StrategyName

SLACK = 1e-12
"""Widens every interval by more than the rounding of any fold."""


def final_intervals(batch: Batch, outstanding: Bools, panel: Panel) -> list[Interval]:
    """Return, for each row, an interval that holds the final score of every completion.

    `outstanding` [B, N] marks the cells that may still be filled; their present values are not
    looked at.
    """
    if panel.strategy is StrategyName.BEST_OF_N:
        return [
            _widened(best_of_n.final_interval(batch.rows(i, i + 1), batch.weights[cells], panel))
            for i, cells in enumerate(outstanding & (batch.weights > 0))
        ]
    lows = final_scores(batch.completed(outstanding, 0.0), panel)
    highs = final_scores(batch.completed(outstanding, 1.0), panel)
    pairs = zip(lows.tolist(), highs.tolist(), strict=True)
    return [_widened(Interval(low, high)) for low, high in pairs]


def bounds(batch: Batch, outstanding: Bools, panel: Panel) -> Bounds:
    """Return the bounds of a batch of one; `outstanding` is [1, N]."""
    known = batch.cell_weights[0]
    waiting = float(batch.weights @ (outstanding[0] & (known == 0)))
    voters = int(np.count_nonzero(known))
    if panel.strategy is StrategyName.MAJORITY:
        agreement, agreed = _vote_bounds(batch, waiting, panel)
    else:
        agreement, agreed = _variance_bounds(batch, waiting)
    if panel.strategy is StrategyName.UNANIMOUS:
        confidence = _least_confidence_bounds(batch, waiting)
    else:
        confidence = _confidence_bounds(batch, waiting, agreed, panel)
    return Bounds(
        final=final_intervals(batch, outstanding, panel)[0],
        confidence=_widened(confidence),
        agreement=_widened(agreement),
        agreement_certain=voters >= 2,
    )


def _variance_bounds(batch: Batch, waiting: float) -> tuple[Interval, Interval]:
    """Return the intervals of the agreement and of the scored weight times the agreement."""
    weights, scores = batch.cell_weights[0], batch.scores[0]
    total, mass = float(weights.sum()), float(weights @ scores)
    mean = mass / total if total > 0 else 0.5
    spread = float(weights @ (scores - mean) ** 2)
    full = total + waiting or 1.0
    most = 1 - spread / full / MAX_VARIANCE
    at_one = min(max(full / 2 - mass, 0.0), waiting)
    new_mean = (mass + at_one) / full
    new_spread = float(weights @ (scores - new_mean) ** 2)
    new_spread += at_one * (1 - new_mean) ** 2 + (waiting - at_one) * new_mean**2
    least = max(1 - new_spread / full / MAX_VARIANCE, 0.0)
    return Interval(least, most), Interval(full * least, full * most)


def _vote_bounds(batch: Batch, waiting: float, panel: Panel) -> tuple[Interval, Interval]:
    """Return the intervals of the agreement and of the scored weight times the agreement."""
    passed, failed = (float(side[0]) for side in majority.votes(batch, panel))
    full, lead = passed + failed + waiting or 1.0, abs(passed - failed)
    most, least = lead + waiting, max(lead - waiting, 0.0)
    return Interval(least / full, most / full), Interval(least, most)


def _confidence_bounds(batch: Batch, waiting: float, agreed: Interval, panel: Panel) -> Interval:
    """Return the interval of coverage (a agreement + b self), one voter's case included."""
    own = float(batch.cell_weights[0] @ batch.confidences[0])
    configured, factors = float(batch.weights.sum()), panel.factors
    low = factors.agreement * agreed.low + factors.self_confidence * own
    high = factors.agreement * agreed.high + factors.self_confidence * (own + waiting)
    voters = np.count_nonzero(batch.cell_weights)
    if voters < 2:
        low, high = min(low, own * voters), max(high, own if voters else waiting)
    return Interval(low / configured, high / configured)


def _least_confidence_bounds(batch: Batch, waiting: float) -> Interval:
    """Return the interval of min c times coverage."""
    known = float(batch.cell_weights[0].sum())
    least = float(unanimous.lowest(batch.confidences, batch)[0]) if known > 0 else 1.0
    high = least * (known + waiting) / float(batch.weights.sum())
    return Interval(0.0 if waiting > 0 else high, high)


def _widened(interval: Interval) -> Interval:
    return Interval(interval.low - SLACK, interval.high + SLACK)
