"""The callers: a closed loop of N callers over a few channels, in a process of its own."""

import asyncio
import json
import sys
import time

import grpc.aio

from benchmarks.workload import JUDGES, request
from consensus.v1 import consensus_pb2, judge_pb2

CHANNELS = 4
JUDGE = "/consensus.v1.ConsensusService/Judge"
BATCH = "/consensus.v1.ConsensusService/BatchJudge"
EVALUATE = "/consensus.v1.JudgeService/Evaluate"
BATCH_ITEMS = 32


async def main(address: str, method: str, callers: int, warmup: float, seconds: float) -> None:
    """Call for `warmup` seconds, print `start`, call for `seconds` more, print the latencies."""
    options = [("grpc.use_local_subchannel_pool", 1)]
    channels = [grpc.aio.insecure_channel(address, options) for _ in range(min(callers, CHANNELS))]
    calls = [channel.unary_unary(method) for channel in channels]
    body = _body(method)
    latencies: list[float] = []
    end = time.perf_counter() + warmup

    async def caller(number: int) -> None:
        call = calls[number % len(calls)]
        while (began := time.perf_counter()) < end:
            await call(body, timeout=30)
            latencies.append(time.perf_counter() - began)

    async def round_of_calls() -> None:
        await asyncio.gather(*(caller(number) for number in range(callers)))

    await round_of_calls()
    await _checked(calls[0], method, body)
    latencies.clear()
    print("start", flush=True)
    began = time.perf_counter()
    end = began + seconds
    await round_of_calls()
    elapsed = time.perf_counter() - began
    print(json.dumps({"elapsed": elapsed, "latencies": sorted(latencies)}), flush=True)
    for channel in channels:
        await channel.close()


def _body(method: str) -> bytes:
    if method == EVALUATE:
        evaluate = judge_pb2.EvaluateRequest(judge=JUDGES[0], submission=request().submission)
        return evaluate.SerializeToString()
    if method == BATCH:
        batch = consensus_pb2.BatchJudgeRequest(requests=[request()] * BATCH_ITEMS)
        return batch.SerializeToString()
    return request().SerializeToString()


async def _checked(call: grpc.aio.UnaryUnaryMultiCallable, method: str, body: bytes) -> None:
    """Fail where the answer is not a judgment: a fast error is no result."""
    reply = await call(body, timeout=30)
    if method == EVALUATE:
        return
    if method == BATCH:
        results = consensus_pb2.BatchJudgeResponse.FromString(reply).results
        decisions = [result.decision for result in results]
    else:
        decisions = [consensus_pb2.JudgeResponse.FromString(reply).decision]
    # Without a score no judge was heard, however the policy decided then.
    if not all(decision.verdict and decision.effective_score for decision in decisions):
        sys.exit("the server does not judge")


if __name__ == "__main__":
    _, where, what, count, warm, length = sys.argv
    asyncio.run(main(where, what, int(count), float(warm), float(length)))
