"""A real judge backend whose judges do what a test tells them to."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import anyio
import grpc
import grpc.aio

from consensus.v1 import gradient_pb2, judge_pb2
from tests.service.beacon import Beacon

Request = judge_pb2.EvaluateRequest
Context = grpc.aio.ServicerContext[Any, Any]
Script = Callable[[Request, Context], Awaitable[bytes]]
"""Answers with the encoded EvaluateResponse."""


def gradient(
    score: float = 0.9, confidence: float = 0.8, **more: Any
) -> judge_pb2.EvaluateResponse:
    """Return a gradient as an answer."""
    result = gradient_pb2.GradientResult(score=score, confidence=confidence, **more)
    return judge_pb2.EvaluateResponse(gradient=result)


def abstention(reason: str = "cannot tell") -> judge_pb2.EvaluateResponse:
    """Return an abstention as an answer."""
    return judge_pb2.EvaluateResponse(abstention=gradient_pb2.Abstention(reason=reason))


def answers(reply: judge_pb2.EvaluateResponse | bytes) -> Script:
    """Answer at once, with a message or with bytes that may be none."""
    data = reply if isinstance(reply, bytes) else reply.SerializeToString()

    async def script(request: Request, context: Context) -> bytes:
        return data

    return script


def refuses(code: grpc.StatusCode, text: str = "no") -> Script:
    """Answer with an error status."""

    async def script(request: Request, context: Context) -> bytes:
        await context.abort(code, text)
        raise AssertionError("abort returned")

    return script


class Hanging:
    """Never answers; tells who asked and whose call was cancelled."""

    def __init__(self) -> None:
        self.asked = Beacon()
        self.cancelled = Beacon()

    async def __call__(self, request: Request, context: Context) -> bytes:
        self.asked.light()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            self.cancelled.light()
            raise
        raise AssertionError("the event was never set")


class Held:
    """Answers once it is released."""

    def __init__(self, reply: judge_pb2.EvaluateResponse | None = None) -> None:
        self.asked = Beacon()
        self.release = anyio.Event()
        self._data = (reply or gradient()).SerializeToString()

    async def __call__(self, request: Request, context: Context) -> bytes:
        self.asked.light()
        await self.release.wait()
        return self._data


class Backend:
    """One backend, many judges by name."""

    def __init__(self, scripts: dict[str, Script]) -> None:
        self.scripts = scripts
        self.target = ""
        self.requests: list[Request] = []
        """Every request, in the order in which they came."""

    async def evaluate(self, request: Request, context: Context) -> bytes:
        """Do what the script of the judge says."""
        self.requests.append(request)
        return await self.scripts[request.judge](request, context)


@asynccontextmanager
async def backend(**scripts: Script) -> AsyncIterator[Backend]:
    """Serve these judges on a free port of the loopback."""
    judges = Backend(scripts)
    handler: Any = grpc.unary_unary_rpc_method_handler(
        judges.evaluate, request_deserializer=Request.FromString
    )
    server = grpc.aio.server(options=[("grpc.so_reuseport", 0)])
    server.add_generic_rpc_handlers(
        [grpc.method_handlers_generic_handler("consensus.v1.JudgeService", {"Evaluate": handler})]
    )
    judges.target = f"127.0.0.1:{server.add_insecure_port('127.0.0.1:0')}"
    await server.start()
    try:
        yield judges
    finally:
        await server.stop(None)
