"""Stall: the worker says the same, word for word, in several turns running."""

from collections.abc import Sequence

from consensus.domain.decision import ReasonCode, Verdict
from consensus.domain.guards import GuardAction, TurnGuards
from consensus.domain.submission import Submission
from consensus.domain.turn import ToolCall, Turn
from consensus.guards.outcome import GuardOutcome, said

_WARNING = (
    "You have said the same in {turns} turns running. Do something else, or say what keeps you."
)


def stall(submission: Submission, turn: Turn, guards: TurnGuards) -> GuardOutcome | None:
    """ESCALATE or warn when `stall_turns` texts running are the same."""
    turns = guards.stall_turns
    if guards.on_stall is GuardAction.OFF or len(turn.earlier) + 1 < turns:
        return None
    text = submission.candidate
    latest = turn.earlier[len(turn.earlier) + 1 - turns :]
    if any(earlier.text != text for earlier in latest):
        return None
    if not text and not _silent(turn.tool_calls, [e.tool_calls for e in latest], guards):
        return None
    words = f"The texts of the last {turns} turns are the same."
    if guards.on_stall is GuardAction.WARN:
        return said(ReasonCode.STALLED, words, feedback=_WARNING.format(turns=turns))
    return said(ReasonCode.STALLED, words, verdict=Verdict.ESCALATE)


def _silent(
    calls: Sequence[ToolCall], before: Sequence[Sequence[ToolCall]], guards: TurnGuards
) -> bool:
    """Tell whether empty texts count, and stand alone in every turn."""
    return guards.stall_counts_empty and not calls and not any(before)
