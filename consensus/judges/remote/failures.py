"""Judges behind gRPC: what a status, or the error of one item, means for the seat.

Only the status and stable codes are read for the record; a backend's text never gets there.
"""

from collections.abc import Mapping

import grpc
import grpc.aio
from google.protobuf.message import DecodeError
from google.rpc import error_details_pb2, status_pb2

from consensus.domain.errors import (
    DepthExceeded,
    JudgeFailed,
    ResponseTooLarge,
    SpendLimitReached,
)
from consensus.domain.gradient import FailureKind
from consensus.v1 import judge_pb2

MAX_REPLY_BYTES = 4 << 20
DEPTH_EXCEEDED = DepthExceeded.REASON
_RESPONSE_TOO_LARGE = ResponseTooLarge.REASON
_SPENT = SpendLimitReached.REASON
_PUSHBACK = "grpc-retry-pushback-ms"
_DETAILS = "grpc-status-details-bin"
_REASON = "consensus-reason"
_TOO_LARGE = (
    "message larger than max",  # gRPC's core and Go
    "exceeds maximum size",  # Java
    "exceeds the maximum configured",  # .NET
    "message length too large",  # Rust
)
"""What gRPC says at either end when a message is above its limit; there is no status for it."""
_CODES: Mapping[int, grpc.StatusCode] = {code.value[0]: code for code in grpc.StatusCode}
_BATCH_AT_FAULT = (
    grpc.StatusCode.NOT_FOUND,
    grpc.StatusCode.PERMISSION_DENIED,
    grpc.StatusCode.FAILED_PRECONDITION,
    grpc.StatusCode.INVALID_ARGUMENT,
    grpc.StatusCode.OUT_OF_RANGE,
    grpc.StatusCode.INTERNAL,
    grpc.StatusCode.UNKNOWN,
)
"""Statuses of a batch that say nothing about each of its items: one of them may be the cause."""


def failure_of(error: grpc.aio.AioRpcError) -> JudgeFailed:
    """Return how a seat fails whose call ended with a status other than OK."""
    code = error.code()
    if _too_large(error):
        if "CLIENT" in (error.details() or ""):
            words = f"the reply is larger than {MAX_REPLY_BYTES} bytes"
            return JudgeFailed(FailureKind.UNREADABLE, words)
        words = "the submission is larger than the backend takes"
        return JudgeFailed(FailureKind.ERROR, words, about_submission=True)
    trailers: Mapping[str, object] = dict(error.trailing_metadata() or ())
    known = _known(trailers.get(_REASON))
    if known is not None:
        return known
    pause = _pause(trailers)
    return _failure(code, passing=pause is None or pause >= 0, pause=pause)


def item_failure_of(error: judge_pb2.ItemError) -> JudgeFailed:
    """Return how the seat of one item of a batch fails."""
    code = _CODES.get(error.code)
    if code is None or code is grpc.StatusCode.OK:
        return JudgeFailed(FailureKind.UNREADABLE, "an error without a status")
    return _known(error.reason) or _failure(code, passing=True, pause=None)


def batch_at_fault(error: grpc.aio.AioRpcError) -> bool:
    """Tell whether the items of a batch that failed so might fare better as calls of their own."""
    return error.code() in _BATCH_AT_FAULT or _too_large(error)


def crowded_out(error: judge_pb2.ItemError) -> bool:
    """Tell whether an item has no answer because its neighbours' filled the message."""
    return error.reason == _RESPONSE_TOO_LARGE


def late() -> JudgeFailed:
    """Return how a seat fails whose time is over."""
    return JudgeFailed(FailureKind.TIMEOUT, "the backend did not answer in time")


def closed() -> JudgeFailed:
    """Return how a seat fails whose connection is closed."""
    return JudgeFailed(FailureKind.ERROR, "the connection is closed")


def unreadable(words: str) -> JudgeFailed:
    """Return how a seat fails whose reply breaks the contract."""
    return JudgeFailed(FailureKind.UNREADABLE, words)


def _known(reason: object) -> JudgeFailed | None:
    """Return the failure of a reason that says more than its status."""
    if reason == DEPTH_EXCEEDED:
        return JudgeFailed(FailureKind.ERROR, DEPTH_EXCEEDED, about_submission=True)
    if reason == _SPENT:
        return JudgeFailed(FailureKind.SPEND_LIMIT, "the backend's own spend limit is reached")
    if reason == _RESPONSE_TOO_LARGE:
        return JudgeFailed(FailureKind.ERROR, "the reply does not fit into the backend's message")
    return None


def _failure(code: grpc.StatusCode, *, passing: bool, pause: float | None) -> JudgeFailed:
    words = f"the backend answered {code.name}"
    if code is grpc.StatusCode.DEADLINE_EXCEEDED:
        return late()
    if code is grpc.StatusCode.RESOURCE_EXHAUSTED:
        kind = FailureKind.OVERLOADED
    elif code is grpc.StatusCode.UNAVAILABLE:
        kind = FailureKind.ERROR
    else:
        invalid = code is grpc.StatusCode.INVALID_ARGUMENT
        return JudgeFailed(FailureKind.ERROR, words, about_submission=invalid)
    after = pause if passing else None
    return JudgeFailed(kind, words, passing=passing, retry_after_seconds=after)


def _too_large(error: grpc.aio.AioRpcError) -> bool:
    details = (error.details() or "").lower()
    return error.code() in (
        grpc.StatusCode.RESOURCE_EXHAUSTED,
        grpc.StatusCode.OUT_OF_RANGE,
    ) and any(words in details for words in _TOO_LARGE)


def _pause(trailers: Mapping[str, object]) -> float | None:
    """Return how many seconds the backend asks to wait; below 0: it asks not to try again."""
    pushback = trailers.get(_PUSHBACK)
    if isinstance(pushback, str):
        # gRFC A6: what is not a number means the same as a negative one.
        digits = pushback.isascii() and pushback.isdigit() and len(pushback) < 10
        return int(pushback) / 1000 if digits else -1.0
    details = trailers.get(_DETAILS)
    if isinstance(details, bytes):
        try:
            for detail in status_pb2.Status.FromString(details).details:
                info = error_details_pb2.RetryInfo()
                if detail.Unpack(info):
                    delay: float = info.retry_delay.seconds + info.retry_delay.nanos / 1e9
                    return max(delay, 0.0)
        except DecodeError:
            pass
    return None
