"""A backend whose calls wait until they are let go, and that tells what travelled together."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any

import anyio
import grpc
import grpc.aio

from consensus.domain.decision import Hierarchy
from consensus.domain.evaluation import Evaluation
from consensus.domain.gradient import Answer
from consensus.domain.judges import BatchLimits, JudgeSpec
from consensus.judges.remote import Backends, RemoteJudge
from consensus.v1 import judge_pb2
from consensus.wire.gradient import answer_to
from tests.builders import scores, submission

Context = grpc.aio.ServicerContext[Any, Any]
Request = judge_pb2.EvaluateRequest
Results = judge_pb2.EvaluateBatchResponse
SERVICE = "consensus.v1.JudgeService"


class Call:
    """One call that arrived."""

    def __init__(self, requests: Sequence[Request], context: Context, *, batched: bool) -> None:
        self.requests = requests
        self.batched = batched
        self.items = [request.submission.candidate for request in requests]
        self.time_left: float = context.time_remaining()
        self.go = anyio.Event()
        self.ended = anyio.Event()


Batch = Callable[[Call], bytes | Results]


def verdict(item: str) -> judge_pb2.EvaluateResponse:
    """Return the answer to an item, which names it."""
    return answer_to(scores(0.75, reasoning=item))


def all_answered(call: Call) -> Results:
    """Answer every item."""
    return Results(results=[{"response": verdict(item)} for item in call.items])


class Desk:
    """Serves JudgeService: `batch` says what batches get; items of their own get an answer."""

    def __init__(self, batch: Batch | None, *, held: bool) -> None:
        self.batch = batch
        self.held = held
        self.calls: list[Call] = []
        self.target = ""
        self._arrival = anyio.Event()

    @property
    def travelled(self) -> list[list[str]]:
        """The items of each call, in order of arrival."""
        return [call.items for call in self.calls]

    async def arrived(self, count: int) -> None:
        """Wait until so many calls have arrived."""
        with anyio.fail_after(10):
            while len(self.calls) < count:
                await self._arrival.wait()

    async def evaluate(self, request: bytes, context: Context) -> bytes:
        call = await self._take([Request.FromString(request)], context, batched=False)
        return verdict(call.items[0]).SerializeToString()

    async def evaluate_batch(self, request: bytes, context: Context) -> bytes:
        requests = judge_pb2.EvaluateBatchRequest.FromString(request).requests
        call = await self._take(requests, context, batched=True)
        assert self.batch is not None
        try:
            reply = self.batch(call)
        except Refused as refused:
            await context.abort(refused.code, "a secret", refused.trailers)
        return reply if isinstance(reply, bytes) else reply.SerializeToString()

    async def _take(self, requests: Sequence[Request], context: Context, *, batched: bool) -> Call:
        call = Call(requests, context, batched=batched)
        self.calls.append(call)
        self._arrival.set()
        self._arrival = anyio.Event()
        try:
            if self.held:
                await call.go.wait()
        finally:
            call.ended.set()
        return call


class Refused(Exception):
    """Ends a batch with a status."""

    def __init__(self, code: grpc.StatusCode, *trailers: tuple[str, str | bytes]) -> None:
        super().__init__(code)
        self.code = code
        self.trailers = trailers


@asynccontextmanager
async def desk(batch: Batch | None = all_answered, *, held: bool = True) -> AsyncIterator[Desk]:
    """Serve while the context lasts; without `batch`, as a backend that has no batches."""
    one = Desk(batch, held=held)
    methods: dict[str, Any] = {"Evaluate": grpc.unary_unary_rpc_method_handler(one.evaluate)}  # type: ignore[arg-type]
    if batch is not None:
        methods["EvaluateBatch"] = grpc.unary_unary_rpc_method_handler(one.evaluate_batch)  # type: ignore[arg-type]
    server = grpc.aio.server(options=[("grpc.so_reuseport", 0)])
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(SERVICE, methods),))
    async with listening(server) as one.target:
        yield one


@asynccontextmanager
async def listening(server: grpc.aio.Server) -> AsyncIterator[str]:
    """Serve on a free port of the loopback while the context lasts; yields the target."""
    target = f"127.0.0.1:{server.add_insecure_port('127.0.0.1:0')}"
    await server.start()
    try:
        yield target
    finally:
        await server.stop(0)


@asynccontextmanager
async def asker(target: str, **limits: int) -> AsyncIterator["Asker"]:
    """Return a judge of the desk; closed with the context, when nothing may be held any more."""
    one = Asker(target, BatchLimits(**limits))
    try:
        yield one
    finally:
        await one.judge.close(0)
        assert one.held == 0


class Asker:
    """Asks one judge about items, each known by its candidate."""

    def __init__(
        self,
        target: str,
        limits: BatchLimits,
        backends: Backends | None = None,
        remote_judge: str = "",
    ) -> None:
        spec = JudgeSpec(
            name="remote", kind="remote", target=target, remote_judge=remote_judge, batch=limits
        )
        self.judge = RemoteJudge(spec, backends)
        self.evaluations: dict[str, Evaluation] = {}

    @property
    def held(self) -> int:
        return self.judge._backend.held

    def ask(self, item: str, seconds: float = 10, depth: int = 1) -> asyncio.Task[Answer]:
        """Ask in a task of its own, which starts in the next turn of the loop."""
        about = self.evaluations[item] = Evaluation(submission(item), Hierarchy("", depth))
        return asyncio.create_task(self.judge.evaluate(about, seconds))

    def ask_each(self, items: str, seconds: float = 10) -> list[asyncio.Task[Answer]]:
        """Ask about every letter, in one turn of the loop."""
        return [self.ask(item, seconds) for item in items]

    def attempts(self, item: str) -> int:
        """Return how often the backend was asked about an item."""
        return self.evaluations[item].ledger("remote").attempts


async def answered(tasks: Sequence[asyncio.Task[Answer]]) -> str:
    """Wait for answers and return which items they are for, in order."""
    answers = await asyncio.gather(*tasks)
    return "".join(answer.reasoning for answer in answers)  # type: ignore[union-attr]
