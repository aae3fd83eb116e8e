"""Client of the consensus service: asks N judges about a submission, gets one decision.

Start with ConsensusClient or AsyncConsensusClient, `submission()` and `criterion()`. What comes
back are the contract's messages; `consensus_client.testing` has servers to test against.
"""

from consensus.v1.consensus_pb2 import (
    ChildExecution,
    DeriveCriteria,
    JudgeRequest,
    Overrides,
    PolicySummary,
    SeatFinished,
    SeatStarted,
    StageFinished,
    StateChanged,
)
from consensus.v1.decision_pb2 import (
    CheckResult,
    Consensus,
    CriterionResult,
    Decision,
    Dissent,
    Failure,
    GateResult,
    Reason,
    SeatResult,
    StageResult,
)
from consensus.v1.gradient_pb2 import Abstention, Evidence, Finding, GradientResult, Signal
from consensus.v1.submission_pb2 import Check, Criterion, Message, Rubric, Submission
from consensus.v1.tool_call_pb2 import (
    JudgeToolCallRequest,
    JudgeToolCallResponse,
    PastToolCall,
    ProposedToolCall,
    WorkerMount,
)
from consensus_client.async_client import AsyncConsensusClient
from consensus_client.calls import DEFAULT_TIMEOUT_SECONDS, Event, Metadata
from consensus_client.checks import (
    code_block,
    contains,
    contains_all,
    exit_code,
    json_schema,
    length,
    not_contains,
    numeric,
    of_stderr,
    regex,
)
from consensus_client.client import ConsensusClient
from consensus_client.errors import (
    AccessDeniedError,
    CallCancelledError,
    ConsensusError,
    DeadlineExceededError,
    InvalidRequestError,
    PreconditionError,
    RequestInProgressError,
    ResourceExhaustedError,
    ServerError,
    UnavailableError,
    Violation,
)
from consensus_client.health import ServingStatus
from consensus_client.submissions import criterion, judge_request, submission
from consensus_client.tool_calls import tool_call_request
from consensus_client.words import (
    Denial,
    ExecutionState,
    FailureKind,
    FindingStatus,
    GateAnswer,
    ScenarioOutcome,
    SeatStatus,
    Strategy,
    Verdict,
)

__version__ = "0.1.0"

__all__ = [
    "DEFAULT_TIMEOUT_SECONDS",
    "Abstention",
    "AccessDeniedError",
    "AsyncConsensusClient",
    "CallCancelledError",
    "Check",
    "CheckResult",
    "ChildExecution",
    "Consensus",
    "ConsensusClient",
    "ConsensusError",
    "Criterion",
    "CriterionResult",
    "DeadlineExceededError",
    "Decision",
    "Denial",
    "DeriveCriteria",
    "Dissent",
    "Event",
    "Evidence",
    "ExecutionState",
    "Failure",
    "FailureKind",
    "Finding",
    "FindingStatus",
    "GateAnswer",
    "GateResult",
    "GradientResult",
    "InvalidRequestError",
    "JudgeRequest",
    "JudgeToolCallRequest",
    "JudgeToolCallResponse",
    "Message",
    "Metadata",
    "Overrides",
    "PastToolCall",
    "PolicySummary",
    "PreconditionError",
    "ProposedToolCall",
    "Reason",
    "RequestInProgressError",
    "ResourceExhaustedError",
    "Rubric",
    "ScenarioOutcome",
    "SeatFinished",
    "SeatResult",
    "SeatStarted",
    "SeatStatus",
    "ServerError",
    "ServingStatus",
    "Signal",
    "StageFinished",
    "StageResult",
    "StateChanged",
    "Strategy",
    "Submission",
    "UnavailableError",
    "Verdict",
    "Violation",
    "WorkerMount",
    "code_block",
    "contains",
    "contains_all",
    "criterion",
    "exit_code",
    "json_schema",
    "judge_request",
    "length",
    "not_contains",
    "numeric",
    "of_stderr",
    "regex",
    "submission",
    "tool_call_request",
]
