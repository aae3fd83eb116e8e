"""What is judged before it runs: a proposed tool call, its surroundings, and what comes of it."""

from collections.abc import Mapping, Sequence
from enum import Enum

from msgspec import Struct

from consensus.domain.decision import CheckResult, Decision
from consensus.domain.submission import Criterion

VALIDATION_CONTEXT = "semantic_judge_pre_execution_inner_loop"
"""What a caller that says nothing else means (AEGIS)."""


class ProposedToolCall(Struct, frozen=True):
    """A tool and what to call it with."""

    name: str
    arguments: Mapping[str, object] | str
    """JSON values, or JSON text as the worker has written it, sound or not."""


class WorkerMount(Struct, frozen=True):
    """A part of a file system that the worker can reach."""

    path: str
    name: str = ""
    read_only: bool = False


class PastToolCall(Struct, frozen=True):
    """A tool call of the same run that is over."""

    tool_name: str
    arguments_summary: str = ""
    status: str = ""
    result_summary: str = ""
    error: str = ""


class Proposal(Struct, frozen=True, kw_only=True):
    """A tool call with everything that judges may know of it."""

    task: str
    call: ProposedToolCall
    available_tools: Sequence[str] = ()
    """Empty where not told."""
    worker_mounts: Sequence[WorkerMount] = ()
    tool_audit_history: Sequence[PastToolCall] = ()
    rubric: tuple[Criterion, ...] = ()
    validation_context: str = VALIDATION_CONTEXT
    policy_violations: Sequence[str] = ()
    """Tools that the platform has denied in this run."""
    execution_id: str = ""


class Denial(Enum):
    """Why a tool call was denied."""

    NO_RULE = "no_rule"
    UNKNOWN_TOOL = "unknown_tool"
    ARGUMENTS = "arguments"
    REJECTED = "rejected"
    NO_QUORUM = "no_quorum"
    FAILED = "failed"


class ToolVerdict(Struct, frozen=True, kw_only=True):
    """Whether a call may run."""

    tool: str
    rule: str
    """`match` of the rule that applied; empty where none did."""
    denial: Denial | None
    """None where it is allowed."""
    retry_signal: str = ""
    """For the worker; empty where allowed."""
    checks: Sequence[CheckResult] = ()
    decision: Decision | None = None
    """None where no policy was asked."""

    @property
    def allowed(self) -> bool:
        """Whether the call may run."""
        return self.denial is None
