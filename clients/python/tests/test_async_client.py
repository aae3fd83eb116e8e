"""What only the client for asyncio has to prove: cancellation, closing, many calls at once."""

import asyncio
from contextlib import aclosing

import pytest
from consensus_client import AsyncConsensusClient, CallCancelledError, Submission
from consensus_client.testing import FakeConsensus, hang


async def begun(fake: FakeConsensus) -> None:
    """Wait until a call has arrived."""
    await asyncio.to_thread(fake.wait_for_calls)


async def test_cancelling_the_task_cancels_the_call_on_the_server(essay: Submission) -> None:
    async with FakeConsensus(hang()) as fake, AsyncConsensusClient(fake.target) as client:
        task = asyncio.create_task(client.judge(essay))
        await begun(fake)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert await asyncio.to_thread(fake.calls[0].ended.wait, 10)


async def test_cancelling_a_stream_s_task_cancels_the_call_on_the_server(essay: Submission) -> None:
    async with FakeConsensus(hang()) as fake, AsyncConsensusClient(fake.target) as client:

        async def watch() -> None:
            async with aclosing(client.stream_judge(essay)) as events:
                async for _ in events:
                    pass

        task = asyncio.create_task(watch())
        await begun(fake)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert await asyncio.to_thread(fake.calls[0].ended.wait, 10)


async def test_a_timeout_around_the_call_is_the_caller_s_own(essay: Submission) -> None:
    async with FakeConsensus(hang()) as fake, AsyncConsensusClient(fake.target) as client:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.1):
                await client.judge(essay)


async def test_closing_the_client_ends_calls_with_an_error_and_not_their_tasks(
    essay: Submission,
) -> None:
    async with FakeConsensus(hang()) as fake:
        client = AsyncConsensusClient(fake.target)
        task = asyncio.create_task(client.judge(essay))
        await begun(fake)
        await client.close()
        with pytest.raises(CallCancelledError) as caught:
            await task
        assert caught.value.reason == "CLIENT_CLOSED"


async def test_many_calls_share_one_client(essay: Submission) -> None:
    async with FakeConsensus() as fake, AsyncConsensusClient(fake.target) as client:
        decisions = await asyncio.gather(*(client.judge(essay) for _ in range(50)))
    assert len({decision.decision_id for decision in decisions}) == 50


def test_outside_an_event_loop_there_is_no_client_for_asyncio() -> None:
    with pytest.raises(RuntimeError, match="no running event loop"):
        AsyncConsensusClient("127.0.0.1:1")
