"""One call at the door: what every layer may know of it, and the shapes that handlers have."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from typing import Any

import grpc.aio
from msgspec import Struct

Context = grpc.aio.ServicerContext[Any, Any]
Handler = Callable[[Any, Context], Awaitable[Any]]
"""Takes the request (or an iterator of them), answers or writes to the context."""


class Method(Struct, frozen=True):
    """A served method."""

    service: str
    """Full name, such as `consensus.v1.ConsensusService`."""
    name: str
    kind: str
    """`unary`, `server_stream`, `client_stream` or `bidi_stream`, as go-grpc-middleware says."""

    @classmethod
    def of(cls, path: str, handler: "grpc.RpcMethodHandler[Any, Any]") -> "Method":
        """Return the method of a path such as `/consensus.v1.ConsensusService/Judge`."""
        service, _, name = path.lstrip("/").partition("/")
        kinds = {(0, 0): "unary", (0, 1): "server_stream", (1, 0): "client_stream"}
        shape = (int(handler.request_streaming), int(handler.response_streaming))
        return cls(service, name, kinds.get(shape, "bidi_stream"))

    @property
    def judges(self) -> bool:
        """Whether the method does judging work, unlike health and reflection."""
        return self.service.startswith("consensus.")


Layer = Callable[[Method, Handler], Handler]
"""Wraps a method's handler with one habit."""


def writing(handler: Callable[[Any, Context], Any], streams: bool) -> Handler:
    """Return `handler` as a coroutine function; a generator's items are written."""

    async def wrote(request: Any, context: Context) -> Any:
        result = handler(request, context)
        if isinstance(result, AsyncGenerator):
            async with aclosing(result):
                async for item in result:
                    await context.write(item)
            return None
        return await result

    return wrote if streams else handler


def stray_cancellation() -> bool:
    """Tell whether a CancelledError just caught is one that nobody asked for: neither the caller
    nor a scope around. It would end a call without a status and a task group without a word.
    """
    task = asyncio.current_task()
    return task is not None and not task.cancelling()


def facts_of(error: BaseException) -> dict[str, str]:
    """Return what a log may say of an unforeseen error: its type and where it was raised. Its text
    may hold judged content or keys.
    """
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    place = f"{trace.tb_frame.f_code.co_qualname}:{trace.tb_lineno}" if trace else "unknown"
    return {"error": type(error).__name__, "place": place}
