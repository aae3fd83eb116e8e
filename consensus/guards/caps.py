"""Caps: a run ends after its last turn, whatever anybody says."""

from consensus.domain.decision import ReasonCode, Verdict
from consensus.domain.guards import Guards
from consensus.domain.turn import Turn
from consensus.guards.outcome import GuardOutcome, said


def cap(turn: Turn, guards: Guards) -> int:
    """Return the most turns of this run: the caller's limit or the policy's, the lower one."""
    if guards.max_iterations is None:
        return turn.max_iterations
    return min(turn.max_iterations, guards.max_iterations)


def spent(turn: Turn, guards: Guards) -> GuardOutcome | None:
    """ESCALATE a turn beyond the cap: it should not have been, and no judge is asked."""
    return _ended(turn, guards) if turn.iteration >= cap(turn, guards) else None


def last_turn(turn: Turn, guards: Guards, verdict: Verdict | None) -> GuardOutcome | None:
    """ESCALATE where RETRY would ask for a turn that the cap does not give.

    An ACCEPT of the last turn stands: the work is there.
    """
    if verdict is not Verdict.RETRY or turn.iteration + 1 < cap(turn, guards):
        return None
    return _ended(turn, guards)


def _ended(turn: Turn, guards: Guards) -> GuardOutcome:
    words = f"Turn {turn.iteration + 1} of at most {cap(turn, guards)}, without acceptance."
    return said(ReasonCode.TURNS_SPENT, words, verdict=Verdict.ESCALATE)
