"""A judge backend that answers with what a model once said: JudgeService over one recording.

    python -m examples.replay.recorded_judge --judge gpt-5.4 --data FILE --listen 127.0.0.1:0

The first line of its output is its address. It looks a submission up by `context.item_id`; an item
without a record is NOT_FOUND. A backend of one's own looks the same, with a model behind it.
"""

import signal
from collections.abc import Mapping
from pathlib import Path

import anyio
import click
import grpc
import grpc.aio

from consensus.v1 import judge_pb2, judge_pb2_grpc
from examples.interruptible import Interruptible
from examples.replay.recordings import read_answers

STOP_SECONDS = 1.0

_Context = grpc.aio.ServicerContext[judge_pb2.EvaluateRequest, judge_pb2.EvaluateResponse]
_BatchContext = grpc.aio.ServicerContext[
    judge_pb2.EvaluateBatchRequest, judge_pb2.EvaluateBatchResponse
]
_DescribeContext = grpc.aio.ServicerContext[
    judge_pb2.DescribeJudgeRequest, judge_pb2.DescribeJudgeResponse
]


class RecordedJudge(judge_pb2_grpc.JudgeServiceServicer):
    """Serves one judge's recorded answers."""

    def __init__(self, name: str, answers: Mapping[str, judge_pb2.EvaluateResponse]) -> None:
        self._name = name
        self._answers = answers

    async def Evaluate(  # noqa: N802 - the contract's name
        self, request: judge_pb2.EvaluateRequest, context: _Context
    ) -> judge_pb2.EvaluateResponse:
        """Answer for one submission."""
        found = self._find(request)
        if found is None:
            await context.abort(grpc.StatusCode.NOT_FOUND, "no record of this item")
        return found

    async def EvaluateBatch(  # noqa: N802 - the contract's name
        self, request: judge_pb2.EvaluateBatchRequest, context: _BatchContext
    ) -> judge_pb2.EvaluateBatchResponse:
        """Answer for several submissions, each on its own."""
        return judge_pb2.EvaluateBatchResponse(
            results=[self._result(item) for item in request.requests]
        )

    async def DescribeJudge(  # noqa: N802 - the contract's name
        self, request: judge_pb2.DescribeJudgeRequest, context: _DescribeContext
    ) -> judge_pb2.DescribeJudgeResponse:
        """Tell what is served."""
        return judge_pb2.DescribeJudgeResponse(
            judge=self._name,
            kind="recorded",
            description=f"What {self._name} once said about {len(self._answers)} items.",
        )

    def _find(self, request: judge_pb2.EvaluateRequest) -> judge_pb2.EvaluateResponse | None:
        fields = request.submission.context.fields
        return self._answers.get(fields["item_id"].string_value) if "item_id" in fields else None

    def _result(self, request: judge_pb2.EvaluateRequest) -> judge_pb2.EvaluateBatchResult:
        found = self._find(request)
        if found is not None:
            return judge_pb2.EvaluateBatchResult(response=found)
        code = grpc.StatusCode.NOT_FOUND.value[0]
        error = judge_pb2.ItemError(code=code, reason="NO_RECORD", message="no record of this item")
        return judge_pb2.EvaluateBatchResult(error=error)


async def serve(judge: RecordedJudge, listen: str) -> None:
    """Serve until SIGTERM or SIGINT; prints the address once it listens."""
    server = grpc.aio.server(options=[("grpc.so_reuseport", 0)])
    judge_pb2_grpc.add_JudgeServiceServicer_to_server(judge, server)
    port = server.add_insecure_port(listen)
    with anyio.open_signal_receiver(signal.SIGTERM, signal.SIGINT) as signals:
        await server.start()
        print(f"{listen.rpartition(':')[0]}:{port}", flush=True)
        async for _ in signals:
            break
    await server.stop(STOP_SECONDS)


@click.command(cls=Interruptible)
@click.option("--judge", required=True, help="Whose record to serve, such as gpt-5.4.")
@click.option("--data", required=True, type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--listen", default="127.0.0.1:0", show_default=True, help="Port 0: a free one.")
def main(judge: str, data: Path, listen: str) -> None:
    """Serve the recorded answers of one judge until SIGTERM or Ctrl-C."""
    answers = read_answers(data, judge)
    if not answers:
        raise click.BadParameter(f"{data} holds no record of {judge!r}", param_hint="--judge")
    anyio.run(serve, RecordedJudge(judge, answers), listen)


if __name__ == "__main__":
    main()
