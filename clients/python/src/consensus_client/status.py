"""Reads errors off the wire: a call's status with its trailers, and the errors in a batch."""

from collections.abc import Iterable, Mapping
from typing import cast

import grpc
from google.protobuf.message import DecodeError

from consensus.v1.judge_pb2 import ItemError
from consensus_client.errors import CLASSES, ConsensusError, Violation

REASON_KEY = "consensus-reason"
"""Trailer with the bare reason."""
DETAILS_KEY = "grpc-status-details-bin"
"""Trailer with a google.rpc.Status."""
_CODES: Mapping[int, grpc.StatusCode] = {code.value[0]: code for code in grpc.StatusCode}


def error_of(error: grpc.RpcError) -> ConsensusError:
    """Return what a failed call means; takes the errors of both flavours of gRPC."""
    pairs = cast("Iterable[tuple[str, str | bytes]] | None", error.trailing_metadata())
    # iter(): what grpc.aio gives has `keys`, which up to grpcio 1.78 are pairs too.
    trailers = dict(iter(pairs or ()))
    reason = trailers.get(REASON_KEY, "")
    details = trailers.get(DETAILS_KEY, b"")
    return CLASSES.get(error.code(), ConsensusError)(
        error.code(),
        reason if isinstance(reason, str) else "",
        error.details() or "",
        tuple(_violations(details)) if isinstance(details, bytes) else (),
    )


def item_error_of(item: ItemError) -> ConsensusError:
    """Return what went wrong with one item of a batch."""
    code = _CODES.get(item.code, grpc.StatusCode.UNKNOWN)
    violations = [Violation(found.field, found.description) for found in item.violations]
    return CLASSES.get(code, ConsensusError)(code, item.reason, item.message, violations)


def _violations(details: bytes) -> Iterable[Violation]:
    """Yield the fields at fault; none without google.rpc's messages, which are optional."""
    try:
        from google.rpc import error_details_pb2, status_pb2
    except ImportError:
        return
    bad_request = error_details_pb2.BadRequest()
    try:
        for detail in status_pb2.Status.FromString(details).details:
            if detail.Unpack(bad_request):
                for found in bad_request.field_violations:
                    yield Violation(found.field, found.description)
    except DecodeError:  # somebody else's trailer
        return
