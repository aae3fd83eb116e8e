"""Refusal: the worker declines the task, so that going on is no use.

Agents that serve people decline single requests all the time and go on; what asks something, such
as whether to hand over to a person, is no end.
"""

from consensus.domain.decision import Reason, ReasonCode, Verdict
from consensus.domain.guards import GoalGuards
from consensus.domain.submission import Submission
from consensus.domain.turn import GoalStatus, Turn
from consensus.guards.outcome import GuardOutcome
from consensus.guards.phrases import found

OPENING = 300
"""A refusal within so many characters is the answer; later on it is a remark."""
SHORT = 600
"""A longer text offers something else beside the refusal."""


def refusal(submission: Submission, turn: Turn | None, guards: GoalGuards) -> GuardOutcome | None:
    """ESCALATE a short text that begins with a refusal and asks nothing, unless the worker is at
    work.
    """
    text = submission.candidate
    if len(text) > SHORT or "?" in text or (turn is not None and turn.tool_calls):
        return None
    phrase = found(guards.refusal_phrases, text[:OPENING])
    if not phrase:
        return None
    return GuardOutcome(
        verdict=Verdict.ESCALATE,
        reasons=(Reason(ReasonCode.REFUSED, f"The answer says {phrase!r}."),),
        goal_status=GoalStatus.REFUSAL,
    )
