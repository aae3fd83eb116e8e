"""Everything that can go wrong, as one tree.

ConsensusError
|-- RequestError             the caller gets a gRPC error
|   |-- InvalidRequest       fields break the contract
|   |-- PolicyDisabled       the policy exists and may not be used
|   |-- DepthExceeded        decisions nested too deep
|   |-- RequestIdReused      the same request_id with other content
|   |-- RequestInProgress    the same request_id is being judged
|   |-- Overloaded           too many judgments in flight
|   |-- Draining             the server is stopping
|   |-- BudgetSpent          the deadline leaves no time to judge
|   |-- ResponseTooLarge     the answer does not fit into a message
|   |-- AllJudgesUnavailable no judge answered and the policy says fail
|   |-- CriteriaNotDerived   no rubric could be derived from the task
|   `-- SpendLimitReached    judging could cost more than is left
|-- JudgeFailed              costs one seat, never the call
|-- TraceUnusable            the spans of a submission cannot be read
`-- PolicyFileError          the policy file cannot be used

Judges that disagree, a missed quorum and a failed gate are answers, not errors. `REASON` is stable;
the message may change. docs/errors.md is generated from this file and service/status.py.
"""

from collections.abc import Mapping, Sequence
from typing import ClassVar

from msgspec import Struct

from consensus.domain.gradient import FailureKind


class ConsensusError(Exception):
    """Anything that this package raises on purpose."""


class RequestError(ConsensusError):
    """A request that gets no decision."""

    REASON: ClassVar[str]
    """UPPER_SNAKE, stable across releases."""
    REMEDY: ClassVar[str]
    """What the caller can do, for docs/errors.md."""

    def __init__(self, message: str, metadata: Mapping[str, str] | None = None) -> None:
        super().__init__(message)
        self.metadata = dict(metadata or {})
        """Every value that the message mentions."""


class Violation(Struct, frozen=True):
    """One field at fault."""

    field: str
    """Path from the request's top, such as `submission.rubric.criteria[2].id`."""
    description: str


class InvalidRequest(RequestError):
    """A request whose fields break the contract."""

    REASON = "INVALID_REQUEST"
    REMEDY = "Correct the fields that `BadRequest.field_violations` names."

    def __init__(self, violations: Sequence[Violation]) -> None:
        first = violations[0]
        more = f" (and {len(violations) - 1} more)" if len(violations) > 1 else ""
        super().__init__(
            f"{first.field}: {first.description}{more}",
            {"field": first.field, "violation_count": str(len(violations))},
        )
        self.violations = tuple(violations)


class PolicyDisabled(RequestError):
    """A policy that exists and may not be used."""

    REASON = "POLICY_DISABLED"
    REMEDY = "Name another policy, or set `enabled: true` in the policy file."


class DepthExceeded(RequestError):
    """Decisions nested deeper than MAX_DEPTH."""

    REASON = "DEPTH_EXCEEDED"
    REMEDY = "Break the chain of policies that judge for each other; depth 3 is the last."


class RequestIdReused(RequestError):
    """The same request_id came with other content."""

    REASON = "REQUEST_ID_REUSED"
    REMEDY = "Use a new request_id for a new request."


class RequestInProgress(RequestError):
    """The same request_id is being judged at this moment."""

    REASON = "REQUEST_IN_PROGRESS"
    REMEDY = "Wait as RetryInfo says and send the same request again."


class Overloaded(RequestError):
    """More judgments in flight than the server admits."""

    REASON = "OVERLOADED"
    REMEDY = "Wait as RetryInfo says and retry; add replicas if it lasts."


class Draining(RequestError):
    """The server is stopping."""

    REASON = "DRAINING"
    REMEDY = "Retry; another replica will answer."


class BudgetSpent(RequestError):
    """The deadline leaves no time to judge."""

    REASON = "BUDGET_SPENT"
    REMEDY = "Give the call a longer deadline."


class ResponseTooLarge(RequestError):
    """An answer that does not fit into a message."""

    REASON = "RESPONSE_TOO_LARGE"
    REMEDY = "Send smaller batches, or raise `--max-message-bytes`."


class AllJudgesUnavailable(RequestError):
    """No judge answered and the policy says `on_no_quorum: fail`."""

    REASON = "ALL_JUDGES_UNAVAILABLE"
    REMEDY = "Retry later; see consensus_judge_calls_total for which judges fail and how."


class CriteriaNotDerived(RequestError):
    """No rubric could be derived from the task."""

    REASON = "CRITERIA_NOT_DERIVED"
    REMEDY = "Retry, name another judge in `derive_criteria`, or send a rubric."


class SpendLimitReached(RequestError):
    """Judging could cost more than is left of the policy's hour, or deriving more than allowed."""

    REASON = "SPEND_LIMIT_REACHED"
    REMEDY = "Wait until earlier spending is an hour old, or raise the limit under `spend`."


class JudgeFailed(ConsensusError):
    """A judge gave no usable answer. Costs its seat, never the call."""

    def __init__(
        self,
        kind: FailureKind,
        reason: str,
        *,
        passing: bool = False,
        retry_after_seconds: float | None = None,
        about_submission: bool = False,
    ) -> None:
        super().__init__(reason)
        self.kind = kind
        self.reason = reason
        """Short, for the record; never holds judged content."""
        self.passing = passing
        """Whether trying again may help."""
        self.retry_after_seconds = retry_after_seconds
        """How long the backend asks to be left alone; None where it does not say."""
        self.about_submission = about_submission
        """Whether this submission is the cause, so that it says nothing about others."""


class TraceUnusable(ConsensusError):
    """A trace that cannot be read, or is larger than allowed."""

    def __init__(self, field: str, description: str) -> None:
        super().__init__(f"{field}: {description}" if field else description)
        self.field = field
        """Path in the trace, such as `resourceSpans[0].scopeSpans[0].spans[2].spanId`; empty for
        the whole."""
        self.description = description
        """The value and what is allowed; never holds judged content."""


class PolicyFault(Struct, frozen=True):
    """One thing wrong in a policy file."""

    line: int
    """Counted from 1."""
    key: str
    """Path of the key, such as `policies.default.stages[0].gate.min_score`."""
    message: str
    """The value and what is allowed."""


class PolicyFileError(ConsensusError):
    """A policy file that cannot be used, with everything wrong in it."""

    def __init__(
        self, file: str, faults: Sequence[PolicyFault], beside: Sequence[str] = ()
    ) -> None:
        """`beside` names the files that are part of it, as in PolicySet."""
        self.file = file
        self.beside = tuple(beside)
        self.faults = tuple(sorted(faults, key=lambda fault: (fault.line, fault.key)))
        super().__init__("\n".join(self.lines()))

    def lines(self) -> list[str]:
        """Return one line for each fault: `file:line: key: message`."""
        return [f"{self.file}:{f.line}: {f.key}: {f.message}" for f in self.faults]
