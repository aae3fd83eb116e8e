"""What a caller can read off a call that got no answer."""

from collections.abc import Awaitable
from dataclasses import dataclass
from typing import Any

import grpc
import grpc.aio
import pytest
from google.rpc import error_details_pb2, status_pb2
from grpc_status import rpc_status

DETAILS_KEY = "grpc-status-details-bin"
DETAILS = {
    message.DESCRIPTOR.full_name: message
    for message in (
        error_details_pb2.BadRequest,
        error_details_pb2.ErrorInfo,
        error_details_pb2.PreconditionFailure,
        error_details_pb2.QuotaFailure,
        error_details_pb2.RetryInfo,
    )
}


@dataclass(frozen=True, slots=True)
class Refusal:
    """An error status, taken apart."""

    code: grpc.StatusCode
    message: str
    trailers: dict[str, Any]
    details: list[Any]
    """The unpacked details, in order."""

    @property
    def names(self) -> list[str]:
        """The details' types beside ErrorInfo."""
        names = [detail.DESCRIPTOR.name for detail in self.details]
        return [name for name in names if name != "ErrorInfo"]

    @property
    def info(self) -> error_details_pb2.ErrorInfo:
        """The one ErrorInfo."""
        (info,) = [d for d in self.details if isinstance(d, error_details_pb2.ErrorInfo)]
        return info

    @property
    def reason(self) -> str:
        """The reason, which ErrorInfo and the trailer agree on."""
        assert self.trailers["consensus-reason"] == self.info.reason
        return str(self.info.reason)

    def detail(self, name: str) -> Any:
        """Return the one detail of this type."""
        (found,) = [detail for detail in self.details if detail.DESCRIPTOR.name == name]
        return found

    @property
    def fields(self) -> dict[str, str]:
        """The descriptions of the fields at fault, by path."""
        return {v.field: v.description for v in self.detail("BadRequest").field_violations}


def refusal(error: Any) -> Refusal:
    """Take an error apart; its parts must agree, as grpcio-status checks."""
    status: status_pb2.Status | None = rpc_status.from_call(error)
    details = []
    for packed in status.details if status else ():
        detail = DETAILS[packed.type_url.rpartition("/")[2]]()
        assert packed.Unpack(detail)
        details.append(detail)
    trailers: dict[str, Any] = dict(error.trailing_metadata() or ())
    return Refusal(error.code(), error.details() or "", trailers, details)


async def refused(call: Awaitable[Any]) -> Refusal:
    """Await a call that gets no answer."""
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await call
    return refusal(caught.value)


async def events(call: Any) -> list[Any]:
    """Return every message of a stream."""
    return [event async for event in call]
