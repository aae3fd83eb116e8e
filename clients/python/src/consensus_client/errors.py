"""Everything that a call can end with instead of an answer, as one tree.

ConsensusError               any of the below; itself for a status without a class of its own
|-- InvalidRequestError      INVALID_ARGUMENT: fields break the contract; `violations` names them
|-- PreconditionError        FAILED_PRECONDITION: policy disabled, nested too deep, id reused
|-- RequestInProgressError   ABORTED: the same request_id is being judged at this moment
|-- UnavailableError         UNAVAILABLE: nobody answered, after the retries; or all judges failed
|-- DeadlineExceededError    DEADLINE_EXCEEDED: no answer within `timeout_seconds`
|-- ResourceExhaustedError   RESOURCE_EXHAUSTED: a message is too large, or a quota is spent
|-- AccessDeniedError        UNAUTHENTICATED, PERMISSION_DENIED
|-- CallCancelledError       CANCELLED: the client was closed, or the server gave the call up
`-- ServerError              INTERNAL, UNKNOWN, UNIMPLEMENTED, DATA_LOSS: the server is at fault

Judges that disagree, a missed quorum and a failed gate are answers, not errors. What a caller
cancels itself (asyncio.CancelledError, KeyboardInterrupt) passes through untouched.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import grpc


@dataclass(frozen=True, slots=True)
class Violation:
    """One field at fault."""

    field: str
    """Path from the request's top, such as `submission.rubric.criteria[2].id`."""
    description: str
    """What is wrong, the value, and what is allowed."""


class ConsensusError(Exception):
    """A call, or an item of a batch, that got no answer.

    try:
        decision = client.judge(submission(task, candidate))
    except InvalidRequestError as error:
        print(error.violations)
    except ConsensusError as error:
        print(error.code, error.reason, error.message)
    """

    def __init__(
        self,
        code: grpc.StatusCode,
        reason: str,
        message: str,
        violations: Sequence[Violation] = (),
    ) -> None:
        super().__init__(code, reason, message, tuple(violations))  # all of it: pickles
        self.code = code
        """The gRPC status."""
        self.reason = reason
        """UPPER_SNAKE code of the cause, stable across releases, such as POLICY_DISABLED.
        Empty where no server gave one, as when nobody answers at the target."""
        self.message = message
        """One sentence for people. May change."""
        self.violations = tuple(violations)
        """The fields at fault, at most 10. Of a call: only where the package
        googleapis-common-protos is installed (`consensus-client[details]`); `message` always
        tells the first. Of an item of a batch: always."""

    def __str__(self) -> str:
        return f"{self.reason or self.code.name}: {self.message}"


class InvalidRequestError(ConsensusError):
    """A request whose fields break the contract. Sending it again does not help."""


class PreconditionError(ConsensusError):
    """A request that the server's state forbids; `reason` says which."""


class RequestInProgressError(ConsensusError):
    """The same request_id is being judged. Wait half a second and send the same request again."""


class UnavailableError(ConsensusError):
    """No server took the call, though it was retried; or no judge answered."""


class DeadlineExceededError(ConsensusError):
    """No answer within the call's `timeout_seconds`."""


class ResourceExhaustedError(ConsensusError):
    """A message above the size limit (8 MiB by default), or a quota that is spent."""


class AccessDeniedError(ConsensusError):
    """The server, or a proxy before it, does not know or does not allow the caller."""


class CallCancelledError(ConsensusError):
    """A call ended from elsewhere. Reason CLIENT_CLOSED: the client is closed."""


class ServerError(ConsensusError):
    """The server failed, or is too old for the method."""


CLASSES: dict[grpc.StatusCode, type[ConsensusError]] = {
    grpc.StatusCode.INVALID_ARGUMENT: InvalidRequestError,
    grpc.StatusCode.FAILED_PRECONDITION: PreconditionError,
    grpc.StatusCode.ABORTED: RequestInProgressError,
    grpc.StatusCode.UNAVAILABLE: UnavailableError,
    grpc.StatusCode.DEADLINE_EXCEEDED: DeadlineExceededError,
    grpc.StatusCode.RESOURCE_EXHAUSTED: ResourceExhaustedError,
    grpc.StatusCode.UNAUTHENTICATED: AccessDeniedError,
    grpc.StatusCode.PERMISSION_DENIED: AccessDeniedError,
    grpc.StatusCode.CANCELLED: CallCancelledError,
    grpc.StatusCode.INTERNAL: ServerError,
    grpc.StatusCode.UNKNOWN: ServerError,
    grpc.StatusCode.UNIMPLEMENTED: ServerError,
    grpc.StatusCode.DATA_LOSS: ServerError,
}
"""The class of each status; ConsensusError for the others."""


def closed() -> CallCancelledError:
    """Return the error of a call on a closed client."""
    words = "the client is closed; make a new one"
    return CallCancelledError(grpc.StatusCode.CANCELLED, "CLIENT_CLOSED", words)
