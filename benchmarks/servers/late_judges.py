"""A backend of judges that take 0 to 20 ms, and tell Prometheus which calls they have open.

It says `ready HOST:PORT METRICS_HOST:PORT`, and judges under every name.
"""

import asyncio
import random

import grpc.aio
from prometheus_client import CollectorRegistry, Counter, Gauge, start_http_server

from benchmarks.servers.running import serve
from consensus.v1 import gradient_pb2, judge_pb2, judge_pb2_grpc

LATEST_SECONDS = 0.02


class Backend(judge_pb2_grpc.JudgeServiceServicer):
    """Answers with a random score after a random time."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self._dice = random.Random(1)  # noqa: S311 - repeatable, not secret
        self._open = Gauge("backend_open", "Calls under way.", registry=registry)
        self._asked = Counter("backend_asked", "Calls begun.", registry=registry)
        self._cancelled = Counter("backend_cancelled", "Calls cancelled.", registry=registry)

    async def Evaluate(  # noqa: N802 - the contract's name
        self, request: judge_pb2.EvaluateRequest, context: object
    ) -> judge_pb2.EvaluateResponse:
        """Answer in a while."""
        await self._while()
        return self._answer()

    async def EvaluateBatch(  # noqa: N802 - the contract's name
        self, request: judge_pb2.EvaluateBatchRequest, context: object
    ) -> judge_pb2.EvaluateBatchResponse:
        """Answer all in a while."""
        await self._while()
        results = [judge_pb2.EvaluateBatchResult(response=self._answer()) for _ in request.requests]
        return judge_pb2.EvaluateBatchResponse(results=results)

    async def _while(self) -> None:
        self._asked.inc()
        with self._open.track_inprogress():
            try:
                await asyncio.sleep(self._dice.uniform(0, LATEST_SECONDS))
            except asyncio.CancelledError:
                self._cancelled.inc()
                raise

    def _answer(self) -> judge_pb2.EvaluateResponse:
        gradient = gradient_pb2.GradientResult(score=self._dice.random(), confidence=0.8)
        return judge_pb2.EvaluateResponse(gradient=gradient)


async def main() -> None:
    """Serve."""
    registry = CollectorRegistry()
    metrics, _ = start_http_server(0, "127.0.0.1", registry)
    server = grpc.aio.server(options=[("grpc.so_reuseport", 0)])
    judge_pb2_grpc.add_JudgeServiceServicer_to_server(Backend(registry), server)
    await serve(server, 1, f"127.0.0.1:{metrics.server_port}")


if __name__ == "__main__":
    asyncio.run(main())
