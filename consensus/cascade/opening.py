"""The first line of a worker's feedback: how bad the attempt is, so a small patch or a rewrite."""

from collections.abc import Iterator, Sequence

from consensus.domain.decision import Consensus, StageResult
from consensus.domain.fold import reaches
from consensus.domain.policy import StrategyName

PATCH_FROM, REWRITE_BELOW = 2 / 3, 1 / 3
"""Thirds of the scale. AEGIS names no bars, only that 0.85 asks for a small patch and 0.15 for a
rewrite: they lie in the middle of the outer thirds.
"""
_PATCH = "nearly there. Keep the work and mend only what is named here."
_REWORK = "on the way. Keep the approach and rework what is named here."
_REWRITE = "far off. Do not patch this attempt: start again with another approach."


def opening(results: Sequence[StageResult]) -> str:
    """Return the line for stages that were not enough; empty where no score says how bad.

    The score is the lowest of the stages, as in `effective_score`, less what only says yes or no: a
    check that does not hold is 0 however little is amiss, and so is a vote, which counts as the
    mean of its seats.
    """
    score = min(_gradual(results), default=None)
    if score is None:
        return ""
    if reaches(score, PATCH_FROM):
        words = _PATCH
    else:
        words = _REWORK if reaches(score, REWRITE_BELOW) else _REWRITE
    return f"Score {score:.2f}: {words}"


def _gradual(results: Sequence[StageResult]) -> Iterator[float]:
    for result in results:
        yield from (check.score for check in result.checks if check.score is not None)
        consensus = result.consensus
        if consensus is None or consensus.final_score is None:
            continue
        vote = consensus.strategy is StrategyName.MAJORITY
        yield _mean(consensus) if vote else consensus.final_score


def _mean(consensus: Consensus) -> float:
    """Return the weighted mean of the seats that scored, of which there are some."""
    scored = [(s.weight, s.gradient.score) for s in consensus.seats if s.votes and s.gradient]
    return sum(weight * score for weight, score in scored) / sum(weight for weight, _ in scored)
