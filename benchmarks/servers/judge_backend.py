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
        score = 0.75 + 0.05 * (sum(request.judge.encode()) % 5)
        gradient = gradient_pb2.GradientResult(
            score=score, confidence=0.8, reasoning="A fixed answer, as fast as a judge can be."
        )
        return judge_pb2.EvaluateResponse(gradient=gradient)


async def main() -> None:
    """Serve."""
    server = grpc.aio.server(options=[("grpc.so_reuseport", 0)])
    judge_pb2_grpc.add_JudgeServiceServicer_to_server(Backend(), server)
    await serve(server, len(JUDGES))


if __name__ == "__main__":
    asyncio.run(main())
