"""The one interceptor: wraps every method in the layers, once, and catches malformed bytes."""

import functools
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from typing import Any

import grpc
import grpc.aio

from consensus.domain.errors import InvalidRequest, Violation
from consensus.service.calls import Context, Handler, Layer, Method, writing

_FACTORIES: dict[tuple[bool, bool], Callable[..., Any]] = {
    (False, False): grpc.unary_unary_rpc_method_handler,
    (False, True): grpc.unary_stream_rpc_method_handler,
    (True, False): grpc.stream_unary_rpc_method_handler,
    (True, True): grpc.stream_stream_rpc_method_handler,
}


class _Malformed:
    """Stands for a request that could not be decoded."""


class Door(grpc.aio.ServerInterceptor):
    """Applies the layers to all four shapes of methods."""

    def __init__(self, layers: Sequence[Layer]) -> None:
        """`layers` are applied outermost first."""
        self._layers = tuple(layers)
        self._wrapped: dict[str, Any] = {}

    async def intercept_service(
        self,
        continuation: Callable[[grpc.HandlerCallDetails], Awaitable[Any]],
        handler_call_details: grpc.HandlerCallDetails,
    ) -> Any:
        """Return the wrapped handler of a served method; unknown ones stay unimplemented."""
        path = handler_call_details.method
        wrapped = self._wrapped.get(path)
        if wrapped is None:
            handler = await continuation(handler_call_details)
            if handler is None:
                return None
            wrapped = self._wrapped[path] = self._wrap(Method.of(path, handler), handler)
        return wrapped

    def _wrap(self, method: Method, handler: Any) -> Any:
        shape = (handler.request_streaming, handler.response_streaming)
        behaviour = _decoded(writing(_behaviour(handler), streams=shape[1]), streams=shape[0])
        layered = functools.reduce(
            lambda inner, layer: layer(method, inner), reversed(self._layers), behaviour
        )
        return _FACTORIES[shape](
            layered,
            request_deserializer=_guarded(handler.request_deserializer),
            response_serializer=handler.response_serializer,
        )


def _behaviour(handler: Any) -> Handler:
    shapes = ("unary_unary", "unary_stream", "stream_unary", "stream_stream")
    found: Handler = next(b for shape in shapes if (b := getattr(handler, shape)) is not None)
    return found


def _guarded(deserialize: Callable[[bytes], Any] | None) -> Callable[[bytes], Any]:
    """Let malformed bytes through as a value: raising here would answer with an internal error
    that no layer sees.
    """

    def guarded(data: bytes) -> Any:
        try:
            return deserialize(data) if deserialize else data
        except Exception:  # noqa: BLE001 - whatever the decoder raises, the bytes are malformed
            return _Malformed()

    return guarded


def _decoded(behaviour: Handler, streams: bool) -> Handler:
    async def decoded(request: Any, context: Context) -> Any:
        return await behaviour(_each(request) if streams else _sound(request), context)

    return decoded


def _sound(request: Any) -> Any:
    if isinstance(request, _Malformed):
        words = "is not the message of this method: malformed, invalid UTF-8 or nested too deep"
        raise InvalidRequest([Violation("(request)", words)])
    return request


async def _each(requests: AsyncIterator[Any]) -> AsyncIterator[Any]:
    async for request in requests:
        yield _sound(request)
