"""A refused call keeps nothing of its request, although grpc.aio keeps what abort raised."""

import weakref
from typing import Any

import grpc
import pytest

from consensus.domain.errors import InvalidRequest, Violation
from consensus.service.calls import Method
from consensus.service.layers import errors_layer

pytestmark = pytest.mark.usefixtures("nobody_looks")
METHOD = Method("consensus.v1.ConsensusService", "Judge", "unary")


class Request:
    """Stands for a request of megabytes."""


class Call:
    """A call that keeps what its abort raised, as grpc.aio's do."""

    def __init__(self) -> None:
        self.codes: list[grpc.StatusCode] = []
        self.raised: list[Exception] = []

    async def abort(self, code: grpc.StatusCode, details: str, trailers: object) -> None:
        self.codes.append(code)
        raise grpc.aio.AbortError


@pytest.mark.parametrize(
    ("error", "code"),
    [
        pytest.param(lambda: InvalidRequest([Violation("a", "b")]), "INVALID_ARGUMENT", id="ours"),
        pytest.param(lambda: ValueError("no"), "INTERNAL", id="a bug"),
    ],
)
async def test_a_refused_request_is_let_go_of_at_once(error: Any, code: str) -> None:
    async def refuse(request: Request, context: Any) -> None:
        raise error()

    call, request = Call(), Request()
    kept = weakref.ref(request)
    handler: Any = errors_layer(METHOD, refuse)
    coroutine = handler(request, call)
    del request
    try:
        await coroutine
    except grpc.aio.AbortError as raised:
        call.raised.append(raised)
    del coroutine
    assert [each.name for each in call.codes] == [code]
    assert len(call.raised) == 1
    assert kept() is None
