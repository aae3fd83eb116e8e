"""Scripted errors as the wire carries them."""

from typing import Never

import grpc

from consensus.v1.judge_pb2 import FieldViolation, ItemError
from consensus_client.status import DETAILS_KEY, REASON_KEY
from consensus_client.testing.answers import ScriptedError

_PUSHBACK_KEY = "grpc-retry-pushback-ms"
_AT_ONCE = "1"
"""Milliseconds. Not 0: grpcio 1.82.3 hangs on that, past the call's deadline."""


def abort(context: grpc.ServicerContext, error: ScriptedError) -> Never:
    """End a call with a scripted error, trailers and all."""
    trailers: list[tuple[str, str | bytes]] = [(REASON_KEY, error.reason)]
    if error.code is grpc.StatusCode.UNAVAILABLE:
        trailers.append((_PUSHBACK_KEY, _AT_ONCE))
    details = _details(error)
    if details:
        trailers.append((DETAILS_KEY, details))
    context.set_trailing_metadata(tuple(trailers))
    context.abort(error.code, error.message)


def item_error(error: ScriptedError) -> ItemError:
    """Return a scripted error as an item of a batch carries it."""
    return ItemError(
        code=error.code.value[0],
        reason=error.reason,
        message=error.message,
        violations=[
            FieldViolation(field=v.field, description=v.description) for v in error.violations
        ],
    )


def _details(error: ScriptedError) -> bytes:
    """Return a google.rpc.Status; nothing without google.rpc's messages, which are optional."""
    try:
        from google.rpc import error_details_pb2, status_pb2
    except ImportError:
        return b""
    status = status_pb2.Status(code=error.code.value[0], message=error.message)
    status.details.add().Pack(error_details_pb2.ErrorInfo(reason=error.reason))
    if error.violations:
        bad_request = error_details_pb2.BadRequest()
        for found in error.violations:
            bad_request.field_violations.add(field=found.field, description=found.description)
        status.details.add().Pack(bad_request)
    return bytes(status.SerializeToString())
