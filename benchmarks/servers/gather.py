"""The service that users write by hand: asyncio.gather over the judges, a mean, a threshold.

It has no time-outs, no seats for failed judges, no gates, no metrics and no logs.
"""

import asyncio
import statistics
import sys

import grpc.aio

from benchmarks.servers.running import serve
from benchmarks.workload import HEURISTICS, JUDGES
from consensus.v1 import (
    consensus_pb2,
    consensus_pb2_grpc,
    decision_pb2,
    gradient_pb2,
    judge_pb2,
    judge_pb2_grpc,
    submission_pb2,
)


class Gather(consensus_pb2_grpc.ConsensusServiceServicer):
    """Asks five judges and averages."""

    def __init__(self, targets: list[str]) -> None:
        self._stubs = [
            judge_pb2_grpc.JudgeServiceStub(grpc.aio.insecure_channel(t)) for t in targets
        ]

    async def _ask(
        self, index: int, submission: submission_pb2.Submission
    ) -> gradient_pb2.GradientResult:
        if self._stubs:
            request = judge_pb2.EvaluateRequest(judge=JUDGES[index], submission=submission)
            reply = await self._stubs[index].Evaluate(request)
            gradient: gradient_pb2.GradientResult = reply.gradient
            return gradient
        judge = HEURISTICS[JUDGES[index]]
        score, confidence, reasoning = judge(submission.task, submission.candidate)
        return gradient_pb2.GradientResult(score=score, confidence=confidence, reasoning=reasoning)

    async def Judge(  # noqa: N802 - the contract's name
        self, request: consensus_pb2.JudgeRequest, context: object
    ) -> consensus_pb2.JudgeResponse:
        """Ask all and average."""
        gradients = await asyncio.gather(
            *(self._ask(index, request.submission) for index in range(len(JUDGES)))
        )
        scores = [gradient.score for gradient in gradients]
        mean, variance = statistics.fmean(scores), statistics.pvariance(scores)
        confidence = statistics.fmean(gradient.confidence for gradient in gradients)
        consensus = decision_pb2.Consensus(
            final_score=mean,
            consensus_confidence=0.7 * (1 - min(variance / 0.25, 1)) + 0.3 * confidence,
            individual_results=[
                decision_pb2.SeatResult(judge=judge, weight=1, gradient=gradient)
                for judge, gradient in zip(JUDGES, gradients, strict=True)
            ],
        )
        accepted = mean >= 0.7
        decision = decision_pb2.Decision(
            verdict=decision_pb2.VERDICT_ACCEPT if accepted else decision_pb2.VERDICT_RETRY,
            effective_score=mean,
            stages=[decision_pb2.StageResult(stage="panel", consensus=consensus)],
        )
        return consensus_pb2.JudgeResponse(decision=decision)


async def main() -> None:
    """Serve."""
    server = grpc.aio.server(options=[("grpc.so_reuseport", 0)])
    servicer = Gather(sys.argv[1:])
    consensus_pb2_grpc.add_ConsensusServiceServicer_to_server(servicer, server)
    await serve(server)


if __name__ == "__main__":
    asyncio.run(main())
