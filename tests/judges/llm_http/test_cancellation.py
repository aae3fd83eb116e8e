"""Calls that nobody wants any more leave nothing behind: no connection, no place in the pool."""

import asyncio
import random
from typing import Any

import pytest
from consensus_client.testing import FakeLlm, delayed, dripping, hang, llm_reply

from consensus.domain.errors import JudgeFailed
from consensus.domain.gradient import FailureKind
from consensus.judges.llm.chat import ChatBackend
from tests.judges.llm_http.asking import ask, asking

CONCURRENCY = 20


def places_taken(backend: ChatBackend) -> int:
    connector: Any = backend._transport._session.connector  # type: ignore[attr-defined]
    return len(connector._acquired) + len(connector._waiters)


async def settled(backend: ChatBackend, tasks: list[asyncio.Task[Any]]) -> None:
    """Wait until every task is over, and the loop has done what they left to it."""
    await asyncio.wait(tasks)
    await asyncio.sleep(0)


@pytest.mark.parametrize("answer", [hang(), dripping(60)])
async def test_a_cancelled_call_hangs_up(answer: Any) -> None:
    with FakeLlm(answer) as fake:
        async with asking(fake) as backend:
            task = asyncio.create_task(backend.complete(ask(), 60))
            await asyncio.to_thread(fake.wait_for_calls)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            assert places_taken(backend) == 0
            assert await asyncio.to_thread(fake.calls[0].ended.wait, 10)


async def test_after_a_storm_of_cancellations_every_call_is_answered() -> None:
    """Httpx ends here with every connection stuck (docs/decisions/0009-models-over-http.md)."""
    chance = random.Random(7)  # noqa: S311 - a script, no secret
    answers = [
        delayed(llm_reply(), chance.uniform(0, 0.01)) if chance.random() < 0.7 else dripping(0.01)
        for _ in range(600)
    ]
    with FakeLlm(*answers, llm_reply("fine")) as fake:
        async with asking(fake, concurrency=CONCURRENCY) as backend:
            tasks = []
            for _ in range(10):
                burst = [asyncio.create_task(backend.complete(ask(), 60)) for _ in range(50)]
                tasks += burst
                loop = asyncio.get_running_loop()
                for task in burst:
                    loop.call_later(chance.uniform(0, 0.03), task.cancel)
                await asyncio.wait(burst)
            await settled(backend, tasks)
            assert sum(task.cancelled() for task in tasks) > 50
            assert places_taken(backend) == 0
            fake.script(llm_reply("fine"))
            calls = (backend.complete(ask(), 60) for _ in range(50))
            assert {reply.text for reply in await asyncio.gather(*calls)} == {"fine"}
            assert places_taken(backend) == 0
            assert fake.open_connections <= CONCURRENCY


async def test_no_more_connections_than_allowed_are_made() -> None:
    with FakeLlm(delayed(llm_reply(), 0.005)) as fake:
        async with asking(fake, concurrency=4) as backend:
            await asyncio.gather(*(backend.complete(ask(), 60) for _ in range(40)))
            assert fake.connection_count == fake.open_connections == 4


async def test_a_call_that_waits_for_a_place_may_be_late_too() -> None:
    with FakeLlm(hang()) as fake:
        async with asking(fake, concurrency=1) as backend:
            first = asyncio.create_task(backend.complete(ask(), 60))
            await asyncio.to_thread(fake.wait_for_calls)
            with pytest.raises(JudgeFailed) as caught:
                await backend.complete(ask(), 0.02)
            assert caught.value.kind is FailureKind.TIMEOUT
            first.cancel()
            await settled(backend, [first])
            assert places_taken(backend) == 0


async def test_calls_under_way_when_the_backend_closes_fail() -> None:
    """Those that wait for a place are cancelled by aiohttp, though nobody cancelled them."""
    with FakeLlm(hang()) as fake:
        async with asking(fake, concurrency=1) as backend:
            tasks = [asyncio.create_task(backend.complete(ask(), 60)) for _ in range(3)]
            await asyncio.to_thread(fake.wait_for_calls)
            await backend.close()
            results = await asyncio.gather(*tasks, return_exceptions=True)
            late = await asyncio.gather(backend.complete(ask(), 60), return_exceptions=True)
    failures = [r for r in (*results, *late) if isinstance(r, JudgeFailed)]
    assert len(failures) == 4
    assert {failure.kind for failure in failures} == {FailureKind.ERROR}


async def test_closing_twice_is_closing() -> None:
    with FakeLlm() as fake:
        async with asking(fake) as backend:
            await backend.close()
