"""The error table: which gRPC status each error gets. docs/errors.md is generated from it."""

from collections.abc import Sequence
from dataclasses import dataclass

import grpc
import grpc.aio
from google.protobuf import any_pb2, duration_pb2
from google.protobuf.message import Message
from google.rpc import error_details_pb2, status_pb2

from consensus.domain import errors
from consensus.service.calls import Context

DOMAIN = "consensus.v1"
DETAILS_KEY = "grpc-status-details-bin"
REASON_KEY = "consensus-reason"
"""Trailer with the bare reason, for clients without google.rpc's messages."""
PUSHBACK_KEY = "grpc-retry-pushback-ms"
MAX_VIOLATIONS = 10
MAX_TEXT = 150
"""Cuts each text of a status: above about 8 KiB of metadata clients fail at random."""


@dataclass(frozen=True, slots=True)
class Row:
    """What one error becomes on the wire."""

    code: grpc.StatusCode
    detail: str = ""
    """The detail beside ErrorInfo."""
    retry_seconds: float = 0.0
    """How long to wait, in RetryInfo and, with UNAVAILABLE, in the push-back trailer."""


TABLE: dict[type[errors.RequestError], Row] = {
    errors.InvalidRequest: Row(grpc.StatusCode.INVALID_ARGUMENT, "BadRequest"),
    errors.PolicyDisabled: Row(grpc.StatusCode.FAILED_PRECONDITION, "PreconditionFailure"),
    errors.DepthExceeded: Row(grpc.StatusCode.FAILED_PRECONDITION, "PreconditionFailure"),
    errors.RequestIdReused: Row(grpc.StatusCode.FAILED_PRECONDITION),
    errors.RequestInProgress: Row(grpc.StatusCode.ABORTED, "RetryInfo", 0.5),
    errors.Overloaded: Row(grpc.StatusCode.UNAVAILABLE, "RetryInfo", 0.5),
    errors.Draining: Row(grpc.StatusCode.UNAVAILABLE, "RetryInfo", 0.2),
    errors.BudgetSpent: Row(grpc.StatusCode.DEADLINE_EXCEEDED),
    errors.ResponseTooLarge: Row(grpc.StatusCode.RESOURCE_EXHAUSTED),
    errors.AllJudgesUnavailable: Row(grpc.StatusCode.UNAVAILABLE, "RetryInfo", 1.0),
}
INTERNAL_REASON = "INTERNAL"
INTERNAL_MESSAGE = "The server failed; its log has the trace id."


def trailers(error: errors.RequestError) -> list[tuple[str, str | bytes]]:
    """Return the trailing metadata of an error: details, the reason, and when to retry."""
    row = TABLE[type(error)]
    details: list[Message] = [
        error_details_pb2.ErrorInfo(
            reason=error.REASON,
            domain=DOMAIN,
            metadata={key: value[:MAX_TEXT] for key, value in error.metadata.items()},
        )
    ]
    details.extend(_detail(error, row))
    status = status_pb2.Status(code=row.code.value[0], message=message(error))
    for detail in details:
        packed = any_pb2.Any()
        packed.Pack(detail)
        status.details.append(packed)
    found: list[tuple[str, str | bytes]] = [
        (DETAILS_KEY, status.SerializeToString()),
        (REASON_KEY, error.REASON),
    ]
    if row.code is grpc.StatusCode.UNAVAILABLE:
        found.append((PUSHBACK_KEY, str(round(row.retry_seconds * 1000))))
    return found


def message(error: errors.RequestError) -> str:
    """Return the error's sentence, cut to what a status may carry."""
    text = str(error)
    return text if len(text) <= 3 * MAX_TEXT else text[: 3 * MAX_TEXT - 1] + "…"


def code_of(error: BaseException, context: Context) -> grpc.StatusCode:
    """Return the status that a call ends with when `error` leaves its handler."""
    if isinstance(error, errors.RequestError):
        return TABLE[type(error)].code
    if isinstance(error, grpc.aio.AbortError):
        code = context.code()
        return code if isinstance(code, grpc.StatusCode) else grpc.StatusCode.UNKNOWN
    return grpc.StatusCode.INTERNAL


def _detail(error: errors.RequestError, row: Row) -> Sequence[Message]:
    if isinstance(error, errors.InvalidRequest):
        violations = [
            error_details_pb2.BadRequest.FieldViolation(
                field=violation.field[:MAX_TEXT], description=violation.description[:MAX_TEXT]
            )
            for violation in error.violations[:MAX_VIOLATIONS]
        ]
        return [error_details_pb2.BadRequest(field_violations=violations)]
    if row.detail == "PreconditionFailure":
        violation = error_details_pb2.PreconditionFailure.Violation(
            type=error.REASON,
            subject=next(iter(error.metadata.values()), "")[:MAX_TEXT],
            description=message(error),
        )
        return [error_details_pb2.PreconditionFailure(violations=[violation])]
    if row.retry_seconds:
        nanos = round(row.retry_seconds * 1e9)
        delay = duration_pb2.Duration(seconds=nanos // 10**9, nanos=nanos % 10**9)
        return [error_details_pb2.RetryInfo(retry_delay=delay)]
    return []
