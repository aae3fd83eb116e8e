"""Callers that do not wait for each other: so many a second arrive, in a process of its own.

    python -m benchmarks.arrivals HOST:PORT PER_SECOND SECONDS

Before that the rate rises evenly from nothing for RISE_SECONDS, so that connections are there.

Prints one JSON object. Of all judgments: `judgments`, `most_inflight` and `errors` (calls that
failed, and decisions with a seat that did not score). Of those that arrived at the full rate:
sorted `latencies`, and `per_second`, how many were answered in a second.
"""

import asyncio
import json
import math
import sys
import time

import grpc.aio

from benchmarks.load import JUDGE
from benchmarks.workload import JUDGES, request
from consensus.v1 import consensus_pb2, decision_pb2

CHANNELS = 32
DEADLINE_SECONDS = 20.0
RISE_SECONDS = 12.0


async def main(address: str, per_second: float, seconds: float) -> None:
    """Call for RISE_SECONDS and then `seconds`, wait for every answer, print."""
    options = [("grpc.use_local_subchannel_pool", 1)]
    channels = [grpc.aio.insecure_channel(address, options) for _ in range(CHANNELS)]
    calls = [channel.unary_unary(JUDGE) for channel in channels]
    body = request().SerializeToString()
    latencies: list[float] = []
    ended: list[float] = []
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
        inflight -= 1
        if number >= rising:
            latencies.append(time.perf_counter() - began)
            ended.append(time.perf_counter())

    rising = int(per_second * RISE_SECONDS / 2)
    start = time.perf_counter()
    async with asyncio.TaskGroup() as group:
        for number in range(rising + int(per_second * seconds)):
            await asyncio.sleep(start + _arrival(number, per_second, rising) - time.perf_counter())
            group.create_task(caller(number))
    told = {
        "judgments": rising + len(latencies),
        "errors": errors,
        "most_inflight": most_inflight,
        "per_second": len(ended) / (ended[-1] - ended[0]),
        "latencies": sorted(latencies),
    }
    print(json.dumps(told))
    for channel in channels:
        await channel.close()


def _arrival(number: int, per_second: float, rising: int) -> float:
    """Return when a judgment arrives, in seconds: the first `rising` ones with a rising rate."""
    if number < rising:
        return RISE_SECONDS * math.sqrt(number / rising)
    return RISE_SECONDS + (number - rising) / per_second


def _sound(reply: bytes) -> bool:
    """Tell whether every judge was heard: a decision without them is no result here."""
    stages = consensus_pb2.JudgeResponse.FromString(reply).decision.stages
    seats = [seat for stage in stages for seat in stage.consensus.individual_results]
    scored = [seat for seat in seats if seat.status == decision_pb2.SEAT_STATUS_SCORED]
    return len(scored) == len(JUDGES)


if __name__ == "__main__":
    _, where, rate, length = sys.argv
    asyncio.run(main(where, float(rate), float(length)))
