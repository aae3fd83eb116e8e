"""A headless service: replicas that say that they are not serving get no calls."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import anyio
import grpc.aio
import pytest
from grpc_health.v1 import health, health_pb2, health_pb2_grpc

from consensus.domain.decision import Hierarchy
from consensus.domain.evaluation import Evaluation
from consensus.judges.remote import RemoteJudge
from consensus.v1 import judge_pb2_grpc
from consensus.wire.gradient import answer_to
from tests.builders import scores, submission
from tests.judges.backend import judge_at
from tests.judges.remote.desk import listening

JUDGE = "consensus.v1.JudgeService"
SERVING = health_pb2.HealthCheckResponse.SERVING
NOT_SERVING = health_pb2.HealthCheckResponse.NOT_SERVING


class Replica(judge_pb2_grpc.JudgeServiceServicer):
    """Answers at once, counts its calls, and tells its health."""

    def __init__(self) -> None:
        self.calls = 0
        self.health = health.aio.HealthServicer()
        self.target = ""

    async def Evaluate(self, request: object, context: object) -> object:  # noqa: N802
        self.calls += 1
        return answer_to(scores(0.75))


@asynccontextmanager
async def replica(*, tells_health: bool = True) -> AsyncIterator[Replica]:
    """Serve while the context lasts."""
    one = Replica()
    server = grpc.aio.server(options=[("grpc.so_reuseport", 0)])
    judge_pb2_grpc.add_JudgeServiceServicer_to_server(one, server)
    if tells_health:
        health_pb2_grpc.add_HealthServicer_to_server(one.health, server)
        await one.health.set(JUDGE, SERVING)
    async with listening(server) as one.target:
        yield one


async def ask(judge: RemoteJudge, times: int = 1) -> None:
    for _ in range(times):
        await judge.evaluate(Evaluation(submission(), Hierarchy()), 10)


async def until_both_are_asked(judge: RemoteJudge, one: Replica, other: Replica) -> None:
    with anyio.fail_after(10):
        while not (one.calls and other.calls):
            await ask(judge)


async def test_replicas_are_asked_in_turn() -> None:
    async with replica() as one, replica() as other:
        both = f"ipv4:{one.target},{other.target}"
        async with judge_at(both, health_check=True) as judge:
            await until_both_are_asked(judge, one, other)
            one.calls = other.calls = 0
            await ask(judge, 10)
    assert (one.calls, other.calls) == (5, 5)


async def test_a_replica_that_is_not_serving_is_left_out_until_it_is() -> None:
    async with replica() as one, replica() as other:
        await one.health.set(JUDGE, NOT_SERVING)
        both = f"ipv4:{one.target},{other.target}"
        async with judge_at(both, health_check=True) as judge:
            await ask(judge, 10)
            assert (one.calls, other.calls) == (0, 10)
            await one.health.set(JUDGE, SERVING)
            await until_both_are_asked(judge, one, other)


@pytest.mark.parametrize("tells_health", [True, False])
async def test_health_is_not_asked_for_where_the_policy_does_not_say_so_or_nobody_tells_it(
    tells_health: bool,
) -> None:
    async with replica(tells_health=tells_health) as one:
        await one.health.set(JUDGE, NOT_SERVING)
        async with judge_at(one.target, health_check=not tells_health) as judge:
            await ask(judge)
    assert one.calls == 1
