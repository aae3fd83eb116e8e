"""The contract's closed lists under short names.

`decision.verdict == Verdict.ACCEPT` compares, `Verdict.name(decision.verdict)` is "ACCEPT". The
values are the contract's own, so they fit wherever a message wants one.
"""

from typing import ClassVar

from consensus.v1 import decision_pb2 as pb
from consensus.v1 import gradient_pb2, submission_pb2, tool_call_pb2


class _Words:
    PREFIX: ClassVar[str]
    """What the contract puts before every name."""

    @classmethod
    def name(cls, value: int) -> str:
        """Return a value's short name; the number in words where this version knows none."""
        for name, known in vars(cls).items():
            if name.isupper() and known == value:
                return name
        return f"{cls.PREFIX}{value}"


class Verdict(_Words):
    """What the caller should do."""

    PREFIX = "VERDICT_"
    ACCEPT = pb.VERDICT_ACCEPT
    """Good enough."""
    RETRY = pb.VERDICT_RETRY
    """Send back to the worker with the feedback."""
    ESCALATE = pb.VERDICT_ESCALATE
    """A person should look."""


class ExecutionState(_Words):
    """Where a worker's execution stands."""

    PREFIX = "EXECUTION_STATE_"
    RUNNING = pb.EXECUTION_STATE_RUNNING
    """The attempt is in; no stage has begun."""
    VALIDATING = pb.EXECUTION_STATE_VALIDATING
    """Stages are at work."""
    REFINING = pb.EXECUTION_STATE_REFINING
    """The worker is to try again (RETRY)."""
    SUCCESS = pb.EXECUTION_STATE_SUCCESS
    """Good enough (ACCEPT)."""
    FAILED = pb.EXECUTION_STATE_FAILED
    """It ends without success (ESCALATE)."""


class Strategy(_Words):
    """How seats are folded into one score."""

    PREFIX = "STRATEGY_"
    UNSPECIFIED = pb.STRATEGY_UNSPECIFIED
    """In overrides: as the policy says."""
    WEIGHTED_AVERAGE = pb.STRATEGY_WEIGHTED_AVERAGE
    MAJORITY = pb.STRATEGY_MAJORITY
    UNANIMOUS = pb.STRATEGY_UNANIMOUS
    BEST_OF_N = pb.STRATEGY_BEST_OF_N
    MEDIAN = pb.STRATEGY_MEDIAN
    TRIMMED_MEAN = pb.STRATEGY_TRIMMED_MEAN


class SeatStatus(_Words):
    """What became of a seat."""

    PREFIX = "SEAT_STATUS_"
    SCORED = pb.SEAT_STATUS_SCORED
    """The judge answered with a gradient."""
    ABSTAINED = pb.SEAT_STATUS_ABSTAINED
    """The judge cannot tell."""
    FAILED = pb.SEAT_STATUS_FAILED
    """The judge did not answer."""
    SKIPPED = pb.SEAT_STATUS_SKIPPED
    """The answer was not needed any more."""


class FailureKind(_Words):
    """Kinds of failure of a judge."""

    PREFIX = "FAILURE_KIND_"
    TIMEOUT = pb.FAILURE_KIND_TIMEOUT
    ERROR = pb.FAILURE_KIND_ERROR
    UNREADABLE = pb.FAILURE_KIND_UNREADABLE
    OVERLOADED = pb.FAILURE_KIND_OVERLOADED
    RATE_LIMITED = pb.FAILURE_KIND_RATE_LIMITED
    BREAKER_OPEN = pb.FAILURE_KIND_BREAKER_OPEN
    """Not asked: it kept failing."""
    REFUSED = pb.FAILURE_KIND_REFUSED
    """The model declined to judge."""
    TRUNCATED = pb.FAILURE_KIND_TRUNCATED
    FILTERED = pb.FAILURE_KIND_FILTERED
    SPEND_LIMIT = pb.FAILURE_KIND_SPEND_LIMIT
    """Not asked: it could cost more than is left."""


class GateAnswer(_Words):
    """What a gate says."""

    PREFIX = "GATE_ANSWER_"
    PASS = pb.GATE_ANSWER_PASS
    """All conditions hold."""
    FAIL = pb.GATE_ANSWER_FAIL
    """The score or a required criterion fails."""
    UNSURE = pb.GATE_ANSWER_UNSURE
    """Only confidence, agreement or a missing seat stands in the way."""
    NO_QUORUM = pb.GATE_ANSWER_NO_QUORUM
    """Too few seats have scored."""


class FindingStatus(_Words):
    """Answers for a criterion."""

    PREFIX = "FINDING_STATUS_"
    MET = gradient_pb2.FINDING_STATUS_MET
    UNMET = gradient_pb2.FINDING_STATUS_UNMET
    INCONCLUSIVE = gradient_pb2.FINDING_STATUS_INCONCLUSIVE
    """The judge cannot tell: no vote."""


class ScenarioOutcome(_Words):
    """What became of a test."""

    PREFIX = "SCENARIO_OUTCOME_"
    UNSPECIFIED = pb.SCENARIO_OUTCOME_UNSPECIFIED
    """No test, or no verdict: judges that fail give none."""
    CONTINUE = pb.SCENARIO_OUTCOME_CONTINUE
    """The conversation goes on."""
    SUCCESS = pb.SCENARIO_OUTCOME_SUCCESS
    FAILURE = pb.SCENARIO_OUTCOME_FAILURE
    INCONCLUSIVE = pb.SCENARIO_OUTCOME_INCONCLUSIVE
    """The test ends and nobody can tell: not a failure."""


class GoalStatus(_Words):
    """How far a run has come, derived from findings and never from what the worker says."""

    PREFIX = "GOAL_STATUS_"
    UNSPECIFIED = submission_pb2.GOAL_STATUS_UNSPECIFIED
    """The policy watches no goal."""
    COMPLETE = submission_pb2.GOAL_STATUS_COMPLETE
    PARTIAL = submission_pb2.GOAL_STATUS_PARTIAL
    NOT_YET = submission_pb2.GOAL_STATUS_NOT_YET
    REFUSAL = submission_pb2.GOAL_STATUS_REFUSAL
    UNKNOWN = submission_pb2.GOAL_STATUS_UNKNOWN
    """Nobody could tell."""


class Denial(_Words):
    """Why a tool call was denied."""

    PREFIX = "DENIAL_"
    UNSPECIFIED = tool_call_pb2.DENIAL_UNSPECIFIED
    """It was allowed."""
    NO_RULE = tool_call_pb2.DENIAL_NO_RULE
    UNKNOWN_TOOL = tool_call_pb2.DENIAL_UNKNOWN_TOOL
    ARGUMENTS = tool_call_pb2.DENIAL_ARGUMENTS
    """They fail a check."""
    REJECTED = tool_call_pb2.DENIAL_REJECTED
    """The judges are against it."""
    NO_QUORUM = tool_call_pb2.DENIAL_NO_QUORUM
    """Too few judges answered in time."""
    FAILED = tool_call_pb2.DENIAL_FAILED
    """Judging failed."""
