"""The drain: nothing under way is lost, nothing new is begun, and watchers do not hold it up."""

import asyncio

import anyio
import grpc
import grpc.aio
import pytest
from grpc_health.v1 import health_pb2

from consensus.domain import errors
from consensus.service.server import HANDOVER_SECONDS
from consensus.service.status import TABLE
from consensus.v1 import consensus_pb2 as pb
from tests.service.beacon import PATIENCE_SECONDS
from tests.service.refusal import events, refused
from tests.service.running import policy, request, rules, serving
from tests.service.scripted_judge import Hanging, Held, backend

NOT_SERVING = health_pb2.HealthCheckResponse.NOT_SERVING


async def test_calls_under_way_finish_and_new_ones_are_told_to_retry() -> None:
    held = Held()
    async with (
        backend(held=held) as judges,
        serving(rules(judges.target, default=policy("held"))) as server,
    ):
        under_way = [asyncio.ensure_future(server.consensus.Judge(request())) for _ in range(20)]
        stream = server.consensus.StreamJudge(pb.StreamJudgeRequest(request=request()))
        reading = asyncio.create_task(events(stream))
        await held.asked.reaches(21)
        watch = server.health.Watch(health_pb2.HealthCheckRequest())
        await watch.read()
        drain = asyncio.create_task(server.app.server.drain())
        assert (await watch.read()).status == NOT_SERVING
        watch.cancel()
        new = [refused(server.consensus.Judge(request())) for _ in range(50)]
        seen = await asyncio.gather(*new)
        assert {refusal.code for refusal in seen} == {grpc.StatusCode.UNAVAILABLE}
        assert {refusal.reason for refusal in seen} == {"DRAINING"}
        held.release.set()
        replies = await asyncio.gather(*under_way)
        assert len({reply.decision.decision_id for reply in replies}) == 20
        assert (await reading)[-1].HasField("decision")
        await drain
        assert (await refused(server.consensus.Judge(request()))).code is (
            grpc.StatusCode.UNAVAILABLE
        )
        assert server.value("consensus_shed_total", reason="draining") == 50
        assert server.value("consensus_inflight") == 0


def test_the_handover_is_shorter_than_the_push_back_of_those_who_are_refused() -> None:
    assert 0 < HANDOVER_SECONDS < TABLE[errors.Draining].retry_seconds


async def test_calls_are_still_served_while_load_balancers_notice() -> None:
    async with serving(rules(default=policy("conduct")), drain_delay_seconds=60) as server:
        watch = server.health.Watch(health_pb2.HealthCheckRequest())
        await watch.read()
        drain = asyncio.create_task(server.app.server.drain())
        assert (await watch.read()).status == NOT_SERVING
        assert (await server.consensus.Judge(request())).HasField("decision")
        watch.cancel()
        drain.cancel()
        await asyncio.wait([drain])


async def test_a_watcher_does_not_hold_up_the_drain() -> None:
    async with serving(rules(default=policy("conduct")), drain_grace_seconds=600) as server:
        watch = server.health.Watch(health_pb2.HealthCheckRequest())
        await watch.read()
        with anyio.fail_after(PATIENCE_SECONDS):
            await server.app.server.drain()
        assert (await watch.read()).status == NOT_SERVING
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await watch.read()
        assert caught.value.code() is grpc.StatusCode.UNAVAILABLE


async def test_callers_that_never_pause_do_not_hold_up_the_drain() -> None:
    codes: list[grpc.StatusCode] = []
    async with serving(rules(default=policy("conduct"))) as server:

        async def pester() -> None:
            while True:
                seen = await refused(server.consensus.Judge(request("nobody")))
                codes.append(seen.code)

        async with anyio.create_task_group() as group:
            for _ in range(3):
                group.start_soon(pester)
            with anyio.fail_after(PATIENCE_SECONDS):
                await server.app.server.drain()
            group.cancel_scope.cancel()
        assert codes.count(grpc.StatusCode.UNAVAILABLE) > 0
        assert server.app.admission.inflight == 0


async def test_what_outlives_the_grace_is_cut_off_and_its_judges_stop() -> None:
    hanging = Hanging()
    async with (
        backend(hanging=hanging) as judges,
        serving(rules(judges.target, default=policy("hanging")), drain_grace_seconds=0.1) as server,
    ):
        call = server.consensus.Judge(request())
        await hanging.asked.reaches()
        await server.app.server.drain()
        seen = await refused(call)
        assert seen.code is grpc.StatusCode.UNAVAILABLE
        await hanging.cancelled.reaches()
        assert server.app.admission.inflight == 0
        assert server.value("consensus_judge_inflight", judge="hanging") == 0


async def test_a_drain_that_is_cancelled_stops_at_once() -> None:
    hanging = Hanging()
    async with (
        backend(hanging=hanging) as judges,
        serving(rules(judges.target, default=policy("hanging")), drain_delay_seconds=60) as server,
    ):
        call = server.consensus.Judge(request())
        await hanging.asked.reaches()
        watch = server.health.Watch(health_pb2.HealthCheckRequest())
        await watch.read()
        async with anyio.create_task_group() as group:
            group.start_soon(server.app.server.drain)
            assert (await watch.read()).status == NOT_SERVING
            group.cancel_scope.cancel()
        assert (await refused(call)).code is grpc.StatusCode.UNAVAILABLE
        await hanging.cancelled.reaches()
        await server.app.admission.idle()


async def test_a_drained_server_can_be_drained_again() -> None:
    async with serving(rules(default=policy("conduct"))) as server:
        await server.app.server.drain()
        await server.app.server.drain()
        assert server.app.admission.draining
