"""Asks a server for its health (grpc.health.v1) without the package grpcio-health-checking.

That package ties protobuf to a narrow range. Its two messages have one field each, field 1, so
well-known types are their twins on the wire: HealthCheckRequest{string service = 1} is a
StringValue and HealthCheckResponse{enum status = 1} is an Int32Value.
"""

from collections.abc import Awaitable, Callable
from enum import IntEnum
from typing import Any, overload

import grpc
import grpc.aio
from google.protobuf.wrappers_pb2 import Int32Value, StringValue

CHECK = "/grpc.health.v1.Health/Check"
WATCH = "/grpc.health.v1.Health/Watch"


class ServingStatus(IntEnum):
    """What a server says of itself."""

    UNKNOWN = 0
    """Not known."""
    SERVING = 1
    """Takes calls."""
    NOT_SERVING = 2
    """Starts, drains, or cannot judge."""
    SERVICE_UNKNOWN = 3
    """Does not have the service."""


@overload
def check_on(channel: grpc.Channel) -> Callable[..., ServingStatus]: ...
@overload
def check_on(channel: grpc.aio.Channel) -> Callable[..., Awaitable[ServingStatus]]: ...
def check_on(channel: Any) -> Any:
    """Return the method of a channel, blocking or not, that takes a service and gives a status."""
    return channel.unary_unary(
        CHECK, request_serializer=encode_request, response_deserializer=decode_response
    )


def encode_request(service: str) -> bytes:
    """Return a HealthCheckRequest."""
    return StringValue(value=service).SerializeToString()


def decode_response(data: bytes) -> ServingStatus:
    """Return the status of a HealthCheckResponse; UNKNOWN for one that is not listed."""
    number = Int32Value.FromString(data).value
    return ServingStatus(number) if number in list(ServingStatus) else ServingStatus.UNKNOWN


def encode_response(status: ServingStatus) -> bytes:
    """Return a HealthCheckResponse."""
    return Int32Value(value=status).SerializeToString()
