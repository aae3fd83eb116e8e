"""Claims: "final answer" proves nothing. Only findings with evidence do."""

from consensus.domain.decision import ReasonCode, Verdict
from consensus.domain.guards import GoalGuards
from consensus.domain.submission import Submission
from consensus.domain.turn import GoalStatus
from consensus.guards.outcome import GuardOutcome, listed, said
from consensus.guards.phrases import found

_READ = 10_000
"""Characters of the beginning and of the end that are read."""


def unsupported(
    submission: Submission,
    guards: GoalGuards,
    verdict: Verdict,
    status: GoalStatus,
    still: list[str],
) -> GuardOutcome | None:
    """RETRY what is accepted, or what says that it is done, while the goal is not complete.

    `still`: ids of the criteria that are yet to be shown, of which the worker is reminded.
    """
    if status is GoalStatus.COMPLETE:
        return None
    phrase = found(guards.claim_phrases, _read(submission.candidate))
    if not phrase and verdict is not Verdict.ACCEPT:
        return None
    code, words = ReasonCode.GOAL_NOT_COMPLETE, f"The goal is {status.name}."
    if phrase:
        code = ReasonCode.UNSUPPORTED_CLAIM
        words = f"The answer says {phrase!r}; the goal is {status.name}."
    reminder = f"Not shown yet, in words that can be quoted: {listed(still)}." if still else ""
    return said(code, words, verdict=Verdict.RETRY, feedback=reminder)


def _read(text: str) -> str:
    return text if len(text) <= 2 * _READ else f"{text[:_READ]} {text[-_READ:]}"
