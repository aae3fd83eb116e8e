"""The bare limit: a grpc.aio server that decodes a request and answers with a fixed decision."""

import asyncio

import grpc.aio

from benchmarks.servers.running import serve
from consensus.v1 import consensus_pb2, consensus_pb2_grpc, decision_pb2


class Echo(consensus_pb2_grpc.ConsensusServiceServicer):
    """Judges nothing."""

    async def Judge(  # noqa: N802 - the contract's name
        self, request: consensus_pb2.JudgeRequest, context: object
    ) -> consensus_pb2.JudgeResponse:
        """Answer at once, with the candidate as feedback so that sizes are alike."""
        decision = decision_pb2.Decision(
            verdict=decision_pb2.VERDICT_RETRY,
            effective_score=0.5,
            feedback=request.submission.candidate,
        )
        return consensus_pb2.JudgeResponse(decision=decision)


async def main() -> None:
    """Serve."""
    server = grpc.aio.server(options=[("grpc.so_reuseport", 0)])
    consensus_pb2_grpc.add_ConsensusServiceServicer_to_server(Echo(), server)
    await serve(server)


if __name__ == "__main__":
    asyncio.run(main())
