"""The error table: which gRPC status each error gets. docs/errors.md is generated from it."""

from collections.abc import Sequence

import grpc
import grpc.aio
from google.protobuf import any_pb2, duration_pb2
from google.protobuf.message import Message
from google.rpc import error_details_pb2, status_pb2
from msgspec import Struct

from consensus.domain import errors
from consensus.service.calls import Context

DOMAIN = "consensus.v1"
DETAILS_KEY = "grpc-status-details-bin"
REASON_KEY = "consensus-reason"
"""Trailer with the bare reason, for clients without google.rpc's messages."""
PUSHBACK_KEY = "grpc-retry-pushback-ms"
MAX_VIOLATIONS = 10
MAX_TEXT_BYTES = 150
MAX_MESSAGE_BYTES = 450
MAX_VIOLATIONS_BYTES = 1_600
"""A status keeps to 3 KB: above about 8 KiB of metadata clients fail at random, and the message
travels twice, one of them with three characters for each byte beyond ASCII.
"""


class Row(Struct, frozen=True):
    """What one error becomes on the wire."""

    code: grpc.StatusCode
    detail: str = ""
    """The details beside ErrorInfo, in order."""
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
    errors.CriteriaNotDerived: Row(grpc.StatusCode.UNAVAILABLE, "RetryInfo", 1.0),
    errors.SpendLimitReached: Row(
        grpc.StatusCode.RESOURCE_EXHAUSTED, "QuotaFailure, RetryInfo", 60.0
    ),
}
CODES = tuple(code.name for code in grpc.StatusCode)
INTERNAL_REASON = "INTERNAL"
INTERNAL_MESSAGE = "The server failed; its log has the trace id."


def trailers(error: errors.RequestError) -> list[tuple[str, str | bytes]]:
    """Return the trailing metadata of an error: details, the reason, and when to retry."""
    row = TABLE[type(error)]
    metadata = {key: cut(value) for key, value in error.metadata.items()}
    info = error_details_pb2.ErrorInfo(reason=error.REASON, domain=DOMAIN, metadata=metadata)
    found = _trailers(row.code, message(error), [info, *_detail(error, row)])
    if row.code is grpc.StatusCode.UNAVAILABLE:
        found.append((PUSHBACK_KEY, str(round(row.retry_seconds * 1000))))
    return found


def internal_trailers() -> list[tuple[str, str | bytes]]:
    """Return the trailing metadata of an error that must not be told."""
    info = error_details_pb2.ErrorInfo(reason=INTERNAL_REASON, domain=DOMAIN)
    return _trailers(grpc.StatusCode.INTERNAL, INTERNAL_MESSAGE, [info])


def _trailers(
    code: grpc.StatusCode, text: str, details: Sequence[Message]
) -> list[tuple[str, str | bytes]]:
    """`details` begins with the ErrorInfo."""
    status = status_pb2.Status(code=code.value[0], message=text)
    for detail in details:
        packed = any_pb2.Any()
        packed.Pack(detail)
        status.details.append(packed)
    reason = details[0].reason  # type: ignore[attr-defined]
    return [(DETAILS_KEY, status.SerializeToString()), (REASON_KEY, reason)]


def message(error: errors.RequestError) -> str:
    """Return the error's sentence, cut to what a status may carry."""
    return cut(str(error), MAX_MESSAGE_BYTES)


def cut(text: str, most: int = MAX_TEXT_BYTES) -> str:
    """Return `text` in at most `most` bytes of UTF-8, with an ellipsis where it had more."""
    encoded = text[: most + 1].encode("utf-8", "replace")
    if len(encoded) <= most:
        return encoded.decode()
    return encoded[: most - len("…".encode())].decode("utf-8", "ignore") + "…"


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
        found = error_details_pb2.BadRequest()
        for violation in error.violations[:MAX_VIOLATIONS]:
            found.field_violations.add(
                field=cut(violation.field), description=cut(violation.description)
            )
            if found.ByteSize() > MAX_VIOLATIONS_BYTES:
                found.field_violations.pop()
                break
        return [found]
    if row.detail == "PreconditionFailure":
        violation = error_details_pb2.PreconditionFailure.Violation(
            type=error.REASON,
            subject=cut(next(iter(error.metadata.values()), "")),
            description=message(error),
        )
        return [error_details_pb2.PreconditionFailure(violations=[violation])]
    details: list[Message] = []
    if "QuotaFailure" in row.detail:
        quota = error_details_pb2.QuotaFailure.Violation(
            subject=cut(next(iter(error.metadata.values()), "")), description=message(error)
        )
        details.append(error_details_pb2.QuotaFailure(violations=[quota]))
    if row.retry_seconds:
        nanos = round(row.retry_seconds * 1e9)
        delay = duration_pb2.Duration(seconds=nanos // 10**9, nanos=nanos % 10**9)
        details.append(error_details_pb2.RetryInfo(retry_delay=delay))
    return details
