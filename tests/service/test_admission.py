"""Admission: the limit holds, nothing waits in line, and every place is given back."""

import asyncio

import anyio
import pytest

from consensus.domain.errors import Draining, Overloaded
from consensus.service.admission import Admission
from tests.service.refusal import refused
from tests.service.running import Witness, policy, request, rules, serving
from tests.service.scripted_judge import Held, backend


async def test_calls_above_the_limit_are_refused_and_those_below_it_are_not() -> None:
    held = Held()
    async with (
        backend(held=held) as judges,
        serving(rules(judges.target, default=policy("held")), max_inflight=3) as server,
    ):
        admitted = [asyncio.ensure_future(server.consensus.Judge(request())) for _ in range(3)]
        await held.asked.reaches(3)
        assert server.value("consensus_inflight") == 3
        seen = await asyncio.gather(
            *(refused(server.consensus.Judge(request())) for _ in range(10))
        )
        assert {refusal.reason for refusal in seen} == {"OVERLOADED"}
        assert {refusal.info.metadata["limit"] for refusal in seen} == {"3"}
        assert server.value("consensus_shed_total", reason="overloaded") == 10
        held.release.set()
        await asyncio.gather(*admitted)
        await server.app.admission.idle()
        assert server.value("consensus_inflight") == 0
        assert (await server.consensus.Judge(request())).HasField("decision")


async def test_a_place_is_given_back_after_an_error() -> None:
    witness = Witness()
    admission = Admission(1, witness)

    def fail() -> None:
        with admission.enter():
            assert admission.inflight == 1
            raise ValueError("boom")

    for _ in range(3):
        with pytest.raises(ValueError, match="boom"):
            fail()
    assert admission.inflight == 0
    assert witness.registry.get_sample_value("consensus_inflight") == 0


async def test_nothing_is_admitted_while_draining_and_that_comes_before_the_limit() -> None:
    admission = Admission(1, Witness())
    with admission.enter():
        with pytest.raises(Overloaded), admission.enter():
            pass
        admission.draining = True
        with pytest.raises(Draining), admission.enter():
            pass
    assert admission.inflight == 0


async def test_idle_waits_for_the_last_one_and_not_longer() -> None:
    admission = Admission(2, Witness())
    await admission.idle()
    told: list[str] = []

    async def wait() -> None:
        await admission.idle()
        told.append("idle")

    async with anyio.create_task_group() as group:
        with admission.enter():
            group.start_soon(wait)
            with admission.enter():
                await anyio.wait_all_tasks_blocked()
            await anyio.wait_all_tasks_blocked()
            told.append("leaving")
    assert told == ["leaving", "idle"]
