"""Outputs: what is missing is told by name, without asking any judge."""

from consensus.domain.decision import ReasonCode, Verdict
from consensus.domain.guards import Guards, TurnGuards, TurnJudge, WithoutKeys
from consensus.domain.submission import Submission
from consensus.domain.turn import Turn
from consensus.guards.caps import cap
from consensus.guards.outcome import GuardOutcome, listed, said

_FEW_TURNS = 3


def missing_keys(submission: Submission, turn: Turn) -> list[str]:
    """Return the required output keys that are not set, in order; null is not set."""
    outputs = submission.outputs
    return [k.name for k in turn.output_keys if not k.nullable and outputs.get(k.name) is None]


def outputs(submission: Submission, turn: Turn, guards: Guards) -> GuardOutcome | None:
    """RETRY while a required output is missing, while all may stay unset and are, and where there
    are none to set.
    """
    rules = guards.turns
    if rules is None or rules.judge is TurnJudge.STAGES:
        return None
    if missing := missing_keys(submission, turn):
        return _missing(missing, turn, guards, rules)
    if not turn.output_keys:
        return _without_keys(turn, rules)
    if all(submission.outputs.get(key.name) is None for key in turn.output_keys):
        names = listed([key.name for key in turn.output_keys])
        words = f"No output is set. Set at least one of: {names}."
        feedback = _told(words, turn, rules)
        return said(ReasonCode.OUTPUTS_EMPTY, verdict=Verdict.RETRY, feedback=feedback)
    return None


def complete(_: Submission, turn: Turn, guards: Guards) -> GuardOutcome | None:
    """ACCEPT what has its outputs, unless success criteria or a goal ask for more."""
    rules = guards.turns
    if rules is None or rules.judge is TurnJudge.STAGES:
        return None
    if turn.success_criteria or guards.goal is not None:
        return None
    return said(ReasonCode.OUTPUTS_SET, verdict=Verdict.ACCEPT)


def override(submission: Submission, turn: Turn, guards: Guards) -> GuardOutcome | None:
    """RETRY an ACCEPT that any judge gave while a required output is missing."""
    rules = guards.turns
    if rules is None or not (missing := missing_keys(submission, turn)):
        return None
    return _missing(missing, turn, guards, rules)


def _missing(missing: list[str], turn: Turn, guards: Guards, rules: TurnGuards) -> GuardOutcome:
    words = f"Missing required output keys: {listed(missing)}."
    urgent = _urgency(cap(turn, guards) - turn.iteration - 1, cap(turn, guards), rules)
    feedback = _told(words + urgent, turn, rules)
    return said(ReasonCode.OUTPUTS_MISSING, words, verdict=Verdict.RETRY, feedback=feedback)


def _without_keys(turn: Turn, rules: TurnGuards) -> GuardOutcome | None:
    if rules.without_keys is WithoutKeys.JUDGE:
        return None
    if rules.without_keys is WithoutKeys.NEVER_ACCEPT_CLIENT_FACING and not turn.client_facing:
        return None
    return said(ReasonCode.CONVERSATION_OPEN, verdict=Verdict.RETRY)


def _urgency(left: int, most: int, rules: TurnGuards) -> str:
    """Return words that sharpen once half of the turns are gone, and when few are left."""
    if not rules.urgency or left > most // 2:
        return ""
    if left > _FEW_TURNS:
        return f" More than half of the turns are gone, {left} are left."
    return f" Only {left} turns are left: set them now, with what you have."


def _told(words: str, turn: Turn, rules: TurnGuards) -> str:
    return "" if turn.client_facing and not rules.client_facing_feedback else words
