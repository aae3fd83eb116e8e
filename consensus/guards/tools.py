"""Tool calls: a worker that is at work is not judged, and not every turn is due."""

from collections.abc import Iterable

from consensus.domain.decision import ReasonCode, Verdict
from consensus.domain.guards import Cadence, TurnGuards, TurnJudge
from consensus.domain.submission import Submission
from consensus.domain.turn import ToolCall, Turn
from consensus.guards.outcome import GuardOutcome, said


def work(calls: Iterable[ToolCall], guards: TurnGuards) -> list[ToolCall]:
    """Return the calls that are work, not steering."""
    return [call for call in calls if call.name not in guards.control_tools]


def pending(_: Submission, turn: Turn, guards: TurnGuards) -> GuardOutcome | None:
    """RETRY without feedback while the worker calls tools: it has yet to read their results."""
    if guards.judge is TurnJudge.STAGES or not work(turn.tool_calls, guards):
        return None
    return said(ReasonCode.TOOL_CALLS_PENDING, verdict=Verdict.RETRY)


def not_due(_: Submission, turn: Turn, guards: TurnGuards) -> GuardOutcome | None:
    """RETRY without feedback a turn that `judge_every_n_turns` leaves out."""
    turns = turn.judge_every_n_turns
    if (turn.iteration + 1) % turns == 0:
        return None
    if guards.cadence is Cadence.TOOL_TURNS and not work(turn.tool_calls, guards):
        return None
    words = f"Turn {turn.iteration + 1}; every {turns} turns are judged."
    return said(ReasonCode.TURN_NOT_DUE, words, verdict=Verdict.RETRY)
