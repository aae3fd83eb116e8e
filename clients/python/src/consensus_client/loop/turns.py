"""What the turns of a run are, what comes next in one, and what later judges are told of it."""

from dataclasses import dataclass, field
from enum import StrEnum

from consensus.v1.submission_pb2 import EarlierTurn, ToolCall
from consensus_client.words import GoalStatus

MAX_SAID = 200_000
"""Characters of an earlier turn's text that the contract takes."""


class LoopStatus(StrEnum):
    """What became of a run."""

    RUNNING = "RUNNING"
    """Not over; what was cancelled or failed stays so, and can be run again."""
    PAUSED = "PAUSED"
    """Waits for a person before the judges are asked."""
    ACCEPTED = "ACCEPTED"
    ESCALATED = "ESCALATED"
    """The judges leave it to a person. Not a failure: the person's ruling resumes the run."""
    EXHAUSTED = "EXHAUSTED"
    """`max_iterations` turns, none accepted. Goes on under a higher limit."""
    ABORTED = "ABORTED"
    """A person ended it."""


class Phase(StrEnum):
    """What comes next in a turn."""

    WORK = "WORK"
    VALIDATE = "VALIDATE"
    FIX = "FIX"
    ASK = "ASK"
    """Ask whether a person is needed."""
    JUDGE = "JUDGE"


@dataclass(frozen=True, slots=True)
class Turn:
    """One finished turn: a draft and what was said of it."""

    number: int
    """From 1."""
    verdict: str
    """ACCEPT, RETRY or ESCALATE."""
    decided_by: str
    """The policy's last stage that ran; `validate` or `person` where no judge was asked."""
    feedback: str = ""
    reasons: list[str] = field(default_factory=list)
    """The decision's codes, most important first."""
    score: float | None = None
    """The decision's effective score, 0 to 1; None when there is none."""
    confidence: float | None = None
    """The last panel's confidence, 0 to 1; None when there is none."""
    findings: dict[str, str] = field(default_factory=dict)
    """MET, UNMET or INCONCLUSIVE by criterion id."""
    evidence: dict[str, list[str]] = field(default_factory=dict)
    """Quotations by criterion id."""
    request_id: str = ""
    """Of the request to the judges; empty where none was sent."""
    decision_id: str = ""
    fixes: int = 0
    """How often the draft was fixed between validations."""
    work_seconds: float = 0.0
    """Of the worker's attempt that ended well."""
    judge_seconds: float = 0.0
    """Of the call that was answered."""
    cost_usd: float | None = None
    """What the judges cost; None when unknown."""
    goal_status: str = ""
    """Of the decision, such as PARTIAL; empty where the policy watches no goal."""
    goal_confidence: float | None = None
    """How sure that is, 0 to 1; None where no fast and strong judge came to it."""
    tool_calls: int = 0
    """Tool calls that the worker made."""
    denied: int = 0
    """Tool calls that it proposed and was denied."""


def told(turn: Turn, said: str, calls: list[ToolCall]) -> EarlierTurn:
    """Return a finished turn as the judges of later ones are told of it."""
    found = list(turn.findings.values())
    return EarlierTurn(
        text=said[:MAX_SAID],
        tool_calls=calls,
        criteria_met=found.count("MET") if found else None,
        goal_status=getattr(GoalStatus, turn.goal_status, GoalStatus.UNSPECIFIED),
        goal_confidence=turn.goal_confidence or 0.0,
    )
