"""Health: told before the first call, while busy, and while stopping; judges do not move it."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import grpc
import pytest
from grpc_health.v1 import health_pb2 as pb

from consensus.service.server import CONSENSUS, JUDGE
from tests.service.refusal import refused
from tests.service.running import Running, policy, request, rules, serving
from tests.service.scripted_judge import Hanging, backend, refuses

SERVICES = ("", "consensus.v1.ConsensusService", "consensus.v1.JudgeService")
SERVING = pb.HealthCheckResponse.SERVING
NOT_SERVING = pb.HealthCheckResponse.NOT_SERVING
UNKNOWN = pb.HealthCheckResponse.SERVICE_UNKNOWN


@pytest.fixture
async def server() -> AsyncIterator[Running]:
    async with serving(rules(default=policy("conduct"))) as running:
        yield running


async def status(server: Running, service: str) -> Any:
    """Return the health of a service as a probe sees it."""
    return (await server.health.Check(pb.HealthCheckRequest(service=service))).status


def test_the_services_are_named_as_in_the_contract() -> None:
    assert SERVICES == ("", CONSENSUS, JUDGE)


@pytest.mark.parametrize("service", SERVICES)
async def test_a_started_server_serves(server: Running, service: str) -> None:
    assert await status(server, service) == SERVING


@pytest.mark.parametrize("service", SERVICES)
async def test_health_says_not_serving_until_the_server_listens(service: str) -> None:
    seen: list[Any] = []
    async with serving(rules(default=policy("conduct")), listen="127.0.0.1:0") as first:
        other: Any = first.app.server  # what is under test is what `start` does before it listens
        real = other._server

        class Late:
            """The moment at which the port opens."""

            def add_insecure_port(self, address: str) -> int:
                return 1

            async def start(self) -> None:
                seen.append(await status(first, service))

        other._server = Late()
        assert await other.start() == "127.0.0.1:1"
        other._server = real
        assert seen == [NOT_SERVING]
        assert await status(first, service) == SERVING


async def test_a_service_that_nobody_serves_is_not_found(server: Running) -> None:
    seen = await refused(server.health.Check(pb.HealthCheckRequest(service="nobody")))
    assert seen.code is grpc.StatusCode.NOT_FOUND
    assert server.witness.codes == [("Check", "NOT_FOUND")]


@pytest.mark.parametrize("service", SERVICES)
async def test_watch_tells_of_the_drain(server: Running, service: str) -> None:
    watch = server.health.Watch(pb.HealthCheckRequest(service=service))
    assert (await watch.read()).status == SERVING
    drain = asyncio.create_task(server.app.server.drain())
    assert (await watch.read()).status == NOT_SERVING
    watch.cancel()
    await drain


async def test_watch_of_an_unknown_service_says_so_and_stays(server: Running) -> None:
    watch = server.health.Watch(pb.HealthCheckRequest(service="nobody"))
    assert (await watch.read()).status == UNKNOWN
    watch.cancel()
    await server.witness.ended.reaches()
    assert server.witness.codes == [("Watch", "CANCELLED")]


async def test_health_answers_while_every_place_is_taken() -> None:
    hanging = Hanging()
    async with (
        backend(hanging=hanging) as judges,
        serving(rules(judges.target, default=policy("hanging")), max_inflight=2) as server,
    ):
        calls = [server.consensus.Judge(request()) for _ in range(2)]
        await hanging.asked.reaches(2)
        assert (await refused(server.consensus.Judge(request()))).reason == "OVERLOADED"
        assert [await status(server, service) for service in SERVICES] == [SERVING] * 3
        for call in calls:
            call.cancel()
        await hanging.cancelled.reaches(2)


async def test_readiness_stays_when_every_judge_fails() -> None:
    down = refuses(grpc.StatusCode.UNAVAILABLE)
    async with (
        backend(down=down) as judges,
        serving(rules(judges.target, default=policy("down"))) as server,
    ):
        for _ in range(5):
            await server.consensus.Judge(request())
        assert [await status(server, service) for service in SERVICES] == [SERVING] * 3
