"""Callers that do not wait for each other: so many a second arrive, in a process of its own.

    python -m benchmarks.arrivals HOST:PORT PER_SECOND SECONDS

Prints one JSON object: sorted `latencies` of the judgments, `errors` (calls that failed, and
decisions with a seat that did not score), `most_inflight` and `elapsed`.
"""

import asyncio
import json
import sys
import time

import grpc.aio

from benchmarks.load import JUDGE
from benchmarks.workload import JUDGES, request
from consensus.v1 import consensus_pb2, decision_pb2

CHANNELS = 32
DEADLINE_SECONDS = 20.0


async def main(address: str, per_second: float, seconds: float) -> None:
    """Call for `seconds`, wait for every answer, print."""
    options = [("grpc.use_local_subchannel_pool", 1)]
    channels = [grpc.aio.insecure_channel(address, options) for _ in range(CHANNELS)]
    calls = [channel.unary_unary(JUDGE) for channel in channels]
    body = request().SerializeToString()
    latencies: list[float] = []
    errors = inflight = most_inflight = 0

    async def caller(number: int) -> None:
        nonlocal errors, inflight, most_inflight
        inflight += 1
        most_inflight = max(most_inflight, inflight)
        began = time.perf_counter()
        try:
            reply = await calls[number % CHANNELS](body, timeout=DEADLINE_SECONDS)
            errors += not _sound(reply)
        except grpc.aio.AioRpcError:
            errors += 1
        latencies.append(time.perf_counter() - began)
        inflight -= 1

    began = time.perf_counter()
    async with asyncio.TaskGroup() as group:
        for number in range(int(per_second * seconds)):
            await asyncio.sleep(began + number / per_second - time.perf_counter())
            group.create_task(caller(number))
    elapsed = time.perf_counter() - began
    told = {"errors": errors, "most_inflight": most_inflight, "elapsed": elapsed}
    print(json.dumps({**told, "latencies": sorted(latencies)}))
    for channel in channels:
        await channel.close()


def _sound(reply: bytes) -> bool:
    """Tell whether every judge was heard: a decision without them is no result here."""
    stages = consensus_pb2.JudgeResponse.FromString(reply).decision.stages
    seats = [seat for stage in stages for seat in stage.consensus.individual_results]
    scored = [seat for seat in seats if seat.status == decision_pb2.SEAT_STATUS_SCORED]
    return len(scored) == len(JUDGES)


if __name__ == "__main__":
    _, where, rate, length = sys.argv
    asyncio.run(main(where, float(rate), float(length)))
