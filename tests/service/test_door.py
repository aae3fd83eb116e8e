"""The door wraps all four shapes of methods, and methods that nobody serves stay so."""

from collections.abc import AsyncIterator
from typing import Any, Self

import grpc
import grpc.aio
import pytest

from consensus.domain.errors import Draining
from consensus.service.calls import Context, Handler, Layer, Method
from consensus.service.door import Door
from consensus.service.layers import errors_layer, metrics_layer
from tests.service.beacon import Beacon
from tests.service.refusal import refusal
from tests.service.running import Witness

SHAPES = ("unary_unary", "unary_stream", "stream_unary", "stream_stream")
KINDS = ("unary", "server_stream", "client_stream", "bidi_stream")


class Echo:
    """One method of each shape; what it gets it gives back, and `!` fails it."""

    def __init__(self) -> None:
        self.closed = Beacon()

    async def unary_unary(self, request: bytes, context: Context) -> bytes:
        return judged(request)

    async def stream_unary(self, requests: AsyncIterator[bytes], context: Context) -> bytes:
        return b"".join([judged(request) async for request in requests])

    async def unary_stream(self, request: bytes, context: Context) -> AsyncIterator[bytes]:
        try:
            for _ in range(2):
                yield judged(request)
        finally:
            self.closed.light()

    async def stream_stream(self, requests: AsyncIterator[bytes], context: Context) -> None:
        async for request in requests:
            await context.write(judged(request))


def judged(request: bytes) -> bytes:
    if request == b"!":
        raise Draining("as the table says")
    if request == b"?":
        raise ValueError("nobody foresaw this")
    return request


class Echoing:
    """A server of the echo, its door, and a channel."""

    def __init__(self, *layers: Layer) -> None:
        self.echo = Echo()
        self.witness = Witness()
        self.door = Door([errors_layer, metrics_layer(self.witness), *layers])
        self._server = grpc.aio.server(interceptors=[self.door])
        makers: dict[str, Any] = {s: getattr(grpc, f"{s}_rpc_method_handler") for s in SHAPES}
        methods = {shape: makers[shape](getattr(self.echo, shape)) for shape in SHAPES}
        generic = grpc.method_handlers_generic_handler("test.Echo", methods)
        self._server.add_generic_rpc_handlers([generic])

    async def __aenter__(self) -> Self:
        port = self._server.add_insecure_port("127.0.0.1:0")
        await self._server.start()
        self.channel: Any = grpc.aio.insecure_channel(f"127.0.0.1:{port}")
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.channel.close()
        await self._server.stop(None)

    async def ask(self, shape: str, *messages: bytes) -> list[bytes]:
        """Call the method of this shape and return its messages."""
        method = getattr(self.channel, shape)(f"/test.Echo/{shape}")
        call = method(iter(messages)) if shape.startswith("stream") else method(*messages)
        return [m async for m in call] if shape.endswith("stream") else [await call]


@pytest.mark.parametrize(("shape", "kind"), [*zip(SHAPES, KINDS, strict=True)])
async def test_every_shape_answers_and_is_counted(shape: str, kind: str) -> None:
    async with Echoing() as echoing:
        assert b"".join(await echoing.ask(shape, b"a")).strip(b"a") == b""
        labels = {"grpc_type": kind, "grpc_service": "test.Echo", "grpc_method": shape}
        handled = echoing.witness.registry.get_sample_value(
            "grpc_server_handled_total", labels | {"grpc_code": "OK"}
        )
        assert handled == 1


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize(
    ("request_", "code", "reason"),
    [
        (b"!", grpc.StatusCode.UNAVAILABLE, "DRAINING"),
        (b"?", grpc.StatusCode.INTERNAL, "INTERNAL"),
    ],
)
async def test_errors_of_every_shape_get_their_status(
    shape: str, request_: bytes, code: grpc.StatusCode, reason: str
) -> None:
    async with Echoing() as echoing:
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await echoing.ask(shape, request_)
        assert (caught.value.code(), refusal(caught.value).reason) == (code, reason)
        assert echoing.witness.codes == [(shape, code.name)]


async def test_a_generator_is_closed_when_its_reader_has_gone() -> None:
    async with Echoing() as echoing:
        assert await echoing.ask("unary_stream", b"a") == [b"a", b"a"]
        assert echoing.echo.closed.count == 1


async def test_a_method_that_nobody_serves_is_unimplemented_and_never_becomes_a_label() -> None:
    async with Echoing() as echoing:
        for index in range(20):
            with pytest.raises(grpc.aio.AioRpcError) as caught:
                await echoing.channel.unary_unary(f"/test.Echo/Made{index}")(b"")
            assert caught.value.code() is grpc.StatusCode.UNIMPLEMENTED
        assert echoing.witness.codes == []
        assert echoing.door._wrapped == {}


async def test_layers_are_applied_outermost_first_and_once_for_each_method() -> None:
    told: list[str] = []

    def layer(name: str) -> Layer:
        def wrap(method: Method, handler: Handler) -> Handler:
            told.append(f"{name} wraps {method.name}")

            async def wrapped(request: Any, context: Context) -> Any:
                told.append(name)
                return await handler(request, context)

            return wrapped

        return wrap

    async with Echoing(layer("outer"), layer("inner")) as echoing:
        for _ in range(2):
            await echoing.ask("unary_unary", b"a")
    assert told == [
        "inner wraps unary_unary",
        "outer wraps unary_unary",
        *["outer", "inner"] * 2,
    ]
