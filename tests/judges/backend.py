"""A judge backend that follows a script, on a free port of loopback."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import anyio
import grpc
import grpc.aio

from consensus.domain.judges import JudgeSpec
from consensus.judges.remote import Backends, RemoteJudge
from consensus.v1 import judge_pb2

Context = grpc.aio.ServicerContext[Any, Any]
Reply = judge_pb2.EvaluateResponse | bytes
Script = Callable[[judge_pb2.EvaluateRequest, Context], Awaitable[Reply]]


class Backend:
    """Serves `JudgeService.Evaluate` by a script and keeps what it was asked."""

    def __init__(self, script: Script) -> None:
        self.script = script
        self.requests: list[judge_pb2.EvaluateRequest] = []
        self.time_left: list[float | None] = []
        self.asked = anyio.Event()
        self.ended = anyio.Event()
        self.target = ""
        self.server = grpc.aio.server(options=[("grpc.so_reuseport", 0)])

    async def evaluate(self, request: bytes, context: Context) -> bytes:
        self.requests.append(judge_pb2.EvaluateRequest.FromString(request))
        self.time_left.append(context.time_remaining())
        self.asked.set()
        try:
            reply = await self.script(self.requests[-1], context)
        finally:
            self.ended.set()
        return reply if isinstance(reply, bytes) else reply.SerializeToString()


@asynccontextmanager
async def serving(
    script: Script, credentials: grpc.ServerCredentials | None = None
) -> AsyncIterator[Backend]:
    """Serve while the context lasts."""
    backend = Backend(script)
    # Without serialisers: bytes in, bytes out, so that a script can answer with garbage.
    method: Any = grpc.unary_unary_rpc_method_handler(backend.evaluate)
    handlers = grpc.method_handlers_generic_handler(
        "consensus.v1.JudgeService", {"Evaluate": method}
    )
    backend.server.add_generic_rpc_handlers((handlers,))
    if credentials is None:
        port = backend.server.add_insecure_port("127.0.0.1:0")
    else:
        port = backend.server.add_secure_port("127.0.0.1:0", credentials)
    backend.target = f"127.0.0.1:{port}"
    await backend.server.start()
    try:
        yield backend
    finally:
        await backend.server.stop(0)


@asynccontextmanager
async def judge_at(
    target: str, name: str = "remote", backends: Backends | None = None, **spec: Any
) -> AsyncIterator[RemoteJudge]:
    """Return a judge of the backend at `target`; closed with the context."""
    fields = {"kind": "remote"} | spec
    judge = RemoteJudge(JudgeSpec(name=name, target=target, **fields), backends)
    try:
        yield judge
    finally:
        await judge.close(0)


def always(reply: Reply) -> Script:
    """Return the script that answers everything alike."""

    async def script(request: judge_pb2.EvaluateRequest, context: Context) -> Reply:
        return reply

    return script


async def hang(request: judge_pb2.EvaluateRequest, context: Context) -> Reply:
    """Never answer."""
    await anyio.sleep_forever()
    raise AssertionError


def refusing(code: grpc.StatusCode, details: str) -> Script:
    """Return the script that answers everything with a status other than OK."""

    async def script(request: judge_pb2.EvaluateRequest, context: Context) -> Reply:
        await context.abort(code, details)

    return script
