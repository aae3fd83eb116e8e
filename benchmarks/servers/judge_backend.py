"""Five remote judges: JudgeService on five ports of one process, each answering at once."""

import asyncio

import grpc.aio

from benchmarks.servers.running import serve
from benchmarks.workload import JUDGES
from consensus.v1 import gradient_pb2, judge_pb2, judge_pb2_grpc


class Backend(judge_pb2_grpc.JudgeServiceServicer):
    """Answers with a fixed gradient for each judge."""

    async def Evaluate(  # noqa: N802 - the contract's name
        self, request: judge_pb2.EvaluateRequest, context: object
    ) -> judge_pb2.EvaluateResponse:
        """Answer at once."""
        return judge_pb2.EvaluateResponse(gradient=_gradient(request))

    async def EvaluateBatch(  # noqa: N802 - the contract's name
        self, request: judge_pb2.EvaluateBatchRequest, context: object
    ) -> judge_pb2.EvaluateBatchResponse:
        """Answer all at once."""
        return judge_pb2.EvaluateBatchResponse(
            results=[{"response": {"gradient": _gradient(item)}} for item in request.requests]
        )


def _gradient(request: judge_pb2.EvaluateRequest) -> gradient_pb2.GradientResult:
    score = 0.75 + 0.05 * (sum(request.judge.encode()) % 5)
    return gradient_pb2.GradientResult(
        score=score, confidence=0.8, reasoning="A fixed answer, as fast as a judge can be."
    )


async def main() -> None:
    """Serve."""
    server = grpc.aio.server(options=[("grpc.so_reuseport", 0)])
    judge_pb2_grpc.add_JudgeServiceServicer_to_server(Backend(), server)
    await serve(server, len(JUDGES))


if __name__ == "__main__":
    asyncio.run(main())
