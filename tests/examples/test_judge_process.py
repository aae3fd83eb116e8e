"""A recorded judge as a process: the whole JudgeService, and a clean stop."""

import sys
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

import anyio
import grpc
import grpc.aio
import pytest
from google.protobuf import struct_pb2

from consensus.v1 import judge_pb2, judge_pb2_grpc, submission_pb2
from examples.replay import processes
from examples.replay.processes import ReplayError, judge_address, judge_command, running
from tests.examples.records import rows, write

Served = Callable[[], AbstractAsyncContextManager[judge_pb2_grpc.JudgeServiceStub]]


def evaluate(item: str) -> judge_pb2.EvaluateRequest:
    context = struct_pb2.Struct(fields={"item_id": struct_pb2.Value(string_value=item)})
    submission = submission_pb2.Submission(task="t", candidate="c", context=context)
    return judge_pb2.EvaluateRequest(submission=submission)


@pytest.fixture
def served(tmp_path: Path) -> Served:
    """Return what runs a judge of two items, 9 of 10 and refused, and gives a stub."""
    data = write(tmp_path / "data.gz", rows("Math:1", 0, {"gpt-5.4": [[9], [None]]}))

    @asynccontextmanager
    async def serve() -> AsyncIterator[judge_pb2_grpc.JudgeServiceStub]:
        command = judge_command("gpt-5.4", data)
        async with (
            running("the judge", command, judge_address) as child,
            grpc.aio.insecure_channel(await child.address()) as channel,
        ):
            yield judge_pb2_grpc.JudgeServiceStub(channel)

    return serve


async def test_evaluate_gives_gradient_abstention_or_not_found(served: Served) -> None:
    async with served() as stub:
        scored = await stub.Evaluate(evaluate("Math:1/0"))
        refused = await stub.Evaluate(evaluate("Math:1/1"))
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await stub.Evaluate(evaluate("Math:2/0"))
    assert scored.gradient.score == pytest.approx(8 / 9)
    assert refused.WhichOneof("answer") == "abstention"
    assert caught.value.code() is grpc.StatusCode.NOT_FOUND


async def test_a_batch_answers_each_item_on_its_own(served: Served) -> None:
    async with served() as stub:
        requests = [evaluate(item) for item in ("Math:2/0", "Math:1/0", "")]
        requests.append(judge_pb2.EvaluateRequest())
        reply = await stub.EvaluateBatch(judge_pb2.EvaluateBatchRequest(requests=requests))
    kinds = [result.WhichOneof("result") for result in reply.results]
    assert kinds == ["error", "response", "error", "error"]
    assert reply.results[0].error.code == grpc.StatusCode.NOT_FOUND.value[0]


async def test_it_tells_what_it_is(served: Served) -> None:
    async with served() as stub:
        told = await stub.DescribeJudge(judge_pb2.DescribeJudgeRequest())
    assert (told.judge, told.kind) == ("gpt-5.4", "recorded")


async def test_a_process_that_never_listens_is_reported_with_what_it_said(tmp_path: Path) -> None:
    command = judge_command("nobody", write(tmp_path / "data.gz", []))
    async with running("the judge", command, judge_address) as child:
        with pytest.raises(ReplayError, match=r"(?s)the judge did not start.*no record"):
            await child.address()


async def test_a_process_that_ignores_sigterm_is_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "STOP_SECONDS", 0.1)
    started: list[anyio.abc.Process] = []
    open_process = anyio.open_process

    async def noted(*args: object, **kwargs: object) -> anyio.abc.Process:
        started.append(await open_process(*args, **kwargs))  # type: ignore[arg-type]
        return started[-1]

    monkeypatch.setattr(anyio, "open_process", noted)
    script = (
        "import signal\n"
        "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        "print('127.0.0.1:1', flush=True)\n"
        "while True: signal.pause()"
    )
    async with running("deaf", [sys.executable, "-c", script], judge_address) as child:
        assert await child.address() == "127.0.0.1:1"
    assert started[0].returncode == -9
