"""The callers of a storm: many connections, and half of the calls cancelled at a random moment."""

import asyncio
import random
from collections import Counter
from contextlib import AsyncExitStack

import grpc.aio

from benchmarks.load import JUDGE
from benchmarks.storm.policy import POLICIES
from benchmarks.workload import request
from consensus.v1 import consensus_pb2

CANCELLED_SHARE = 0.5
LATEST_CANCEL_SECONDS = 0.03
CALL_SECONDS = 30.0
ANSWERED, CANCELLED = "answered", "cancelled"

Method = grpc.aio.UnaryUnaryMultiCallable[bytes, bytes]


async def storm(address: str, judgments: int, connections: int, seed: int) -> Counter[str]:
    """Ask for so many judgments; return how many calls ended how: answered, cancelled or a code."""
    dice = random.Random(seed)  # noqa: S311 - repeatable, not secret
    bodies = [_body(policy) for policy in POLICIES]
    ends: Counter[str] = Counter()
    numbers = iter(range(judgments))

    async def caller(method: Method) -> None:
        for _ in numbers:
            ends[await _call(method, dice.choice(bodies), dice)] += 1

    options = [("grpc.use_local_subchannel_pool", 1)]
    async with AsyncExitStack() as stack:
        channels = [
            await stack.enter_async_context(grpc.aio.insecure_channel(address, options))
            for _ in range(connections)
        ]
        await asyncio.gather(*(caller(channel.unary_unary(JUDGE)) for channel in channels))
    return ends


async def _call(method: Method, body: bytes, dice: random.Random) -> str:
    """Return how the call ended."""
    call = method(body, timeout=CALL_SECONDS)
    timer = None
    if dice.random() < CANCELLED_SHARE:
        after = dice.uniform(0, LATEST_CANCEL_SECONDS)
        timer = asyncio.get_running_loop().call_later(after, call.cancel)
    try:
        reply = await call
    except asyncio.CancelledError:
        if not call.cancelled():
            raise
        return CANCELLED
    except grpc.aio.AioRpcError as error:
        return error.code().name
    finally:
        if timer is not None:
            timer.cancel()
    decision = consensus_pb2.JudgeResponse.FromString(reply).decision
    return ANSWERED if decision.verdict else "no verdict"


def _body(policy: str) -> bytes:
    asked = request()
    asked.policy = policy
    return asked.SerializeToString()
