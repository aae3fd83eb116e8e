"""Plateau: the latest texts repeat each other. No progress: no further criterion is met."""

from collections.abc import Sequence
from itertools import pairwise

from consensus.domain.decision import CriterionResult, ReasonCode, Verdict
from consensus.domain.gradient import FindingStatus
from consensus.domain.guards import GoalGuards, GuardAction
from consensus.domain.submission import Submission
from consensus.domain.turn import Turn
from consensus.guards.outcome import GuardOutcome, said

READ = 4_000
"""Characters of each text that are compared."""
_REPEATING = "Your latest answers repeat each other. Try another way, or ask for what you need."
_STANDING = "Your latest answers have met no further criterion. Try another way."


def plateau(
    submission: Submission, turn: Turn, guards: GoalGuards, criteria: Sequence[CriterionResult]
) -> GuardOutcome | None:
    """Warn, or ESCALATE, when the latest texts overlap or met no further criterion."""
    if guards.on_plateau is GuardAction.OFF:
        return None
    turns = guards.plateau_turns
    if repeating(_latest(submission, turn, turns), guards.plateau_ngram, guards.plateau_overlap):
        words = f"Each of the last {turns} texts shares more than {guards.plateau_overlap:.0%} of"
        words += " its n-grams with the one before."
        return _outcome(ReasonCode.PLATEAU, words, _REPEATING, guards.on_plateau)
    if stands_still(_met(turn, criteria), turns):
        words = f"No further criterion was met in {turns} checks."
        return _outcome(ReasonCode.PLATEAU, words, _STANDING, guards.on_plateau)
    return None


def no_progress(
    turn: Turn, guards: GoalGuards, criteria: Sequence[CriterionResult]
) -> GuardOutcome | None:
    """ESCALATE, or warn, late in the run when checks in a row met no further criterion."""
    turns = turn.iteration + 1
    if guards.on_no_progress is GuardAction.OFF or turns <= guards.progress_after_turns:
        return None
    checks = guards.progress_checks
    if not stands_still(_met(turn, criteria), checks):
        return None
    words = f"No further criterion was met in {checks} checks, up to turn {turns}."
    return _outcome(ReasonCode.NO_PROGRESS, words, _STANDING, guards.on_no_progress)


def repeating(texts: Sequence[str], n: int, bound: float) -> bool:
    """Tell whether each text shares more than `bound` of the n-grams (Jaccard) with the one before.

    False with fewer than two texts, or an empty one. Begins at the latest, where most runs differ.
    """
    grams = (_grams(text, n) for text in reversed(texts))
    return len(texts) > 1 and all(
        len(a & b) > bound * max(len(a | b), 1) for a, b in pairwise(grams)
    )


def stands_still(met: Sequence[int], checks: int) -> bool:
    """Tell whether the latest `checks` counts never rose above what was met at the first of them
    or before.
    """
    if len(met) < checks:
        return False
    later = len(met) - checks + 1
    return max(met[later:]) <= max(met[:later])


def _latest(submission: Submission, turn: Turn, turns: int) -> list[str]:
    texts = [*(earlier.text for earlier in turn.earlier[1 - turns :]), submission.candidate]
    return texts if len(texts) == turns else []


def _grams(text: str, n: int) -> set[tuple[str, ...]]:
    words = text[:READ].lower().split()
    if len(words) <= n:
        return {tuple(words)} if words else set()
    return set(zip(*(words[start:] for start in range(n)), strict=False))


def _met(turn: Turn, criteria: Sequence[CriterionResult]) -> list[int]:
    counts = [e.criteria_met for e in turn.earlier if e.criteria_met is not None]
    if criteria:
        counts.append(sum(c.status is FindingStatus.MET for c in criteria))
    return counts


def _outcome(code: ReasonCode, words: str, advice: str, action: GuardAction) -> GuardOutcome:
    if action is GuardAction.ESCALATE:
        return said(code, words, verdict=Verdict.ESCALATE)
    return said(code, words, feedback=advice)
