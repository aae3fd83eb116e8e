"""Streams that are left before their end, against a server that never ends them."""

import asyncio
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing, closing

import grpc
import pytest
from consensus_client import (
    AsyncConsensusClient,
    CallCancelledError,
    ConsensusClient,
    SeatStarted,
    Submission,
)
from consensus_client.testing import FakeConsensus, hang

from consensus.v1 import consensus_pb2 as pb
from consensus.v1 import consensus_pb2_grpc


class Endless(consensus_pb2_grpc.ConsensusServiceServicer):
    """Tells something from the future, then that a judge was asked, and no more."""

    def __init__(self) -> None:
        self.ended = threading.Event()

    def StreamJudge(  # noqa: N802 - the method has its name from the contract
        self, request: pb.StreamJudgeRequest, context: grpc.ServicerContext
    ) -> Iterator[pb.StreamJudgeResponse]:
        context.add_callback(self.ended.set)
        yield pb.StreamJudgeResponse()
        yield pb.StreamJudgeResponse(seat_started=pb.SeatStarted(stage="s", judge="j"))
        self.ended.wait()


@pytest.fixture
def endless() -> Iterator[tuple[str, threading.Event]]:
    with ThreadPoolExecutor(2) as threads:
        server = grpc.server(threads)
        servicer = Endless()
        consensus_pb2_grpc.add_ConsensusServiceServicer_to_server(servicer, server)
        port = server.add_insecure_port("127.0.0.1:0")
        server.start()
        yield f"127.0.0.1:{port}", servicer.ended
        server.stop(grace=None).wait()


def test_closing_the_generator_cancels_the_call(
    endless: tuple[str, threading.Event], essay: Submission
) -> None:
    target, ended = endless
    with ConsensusClient(target) as client:
        with closing(client.stream_judge(essay)) as events:
            assert isinstance(next(events), SeatStarted)  # the unknown step was passed over
        assert ended.wait(10)


async def test_closing_the_async_generator_cancels_the_call(
    endless: tuple[str, threading.Event], essay: Submission
) -> None:
    target, ended = endless
    async with AsyncConsensusClient(target) as client:
        async with aclosing(client.stream_judge(essay)) as events:
            assert isinstance(await anext(events), SeatStarted)
        assert await asyncio.to_thread(ended.wait, 10)


def test_closing_the_client_ends_a_stream_with_an_error(
    endless: tuple[str, threading.Event], essay: Submission
) -> None:
    client = ConsensusClient(endless[0])
    events = client.stream_judge(essay)
    next(events)
    client.close()
    with pytest.raises(CallCancelledError) as caught:
        next(events)
    assert caught.value.reason == "CLIENT_CLOSED"


async def test_closing_the_client_for_asyncio_ends_a_stream_with_an_error(
    endless: tuple[str, threading.Event], essay: Submission
) -> None:
    client = AsyncConsensusClient(endless[0])
    events = client.stream_judge(essay)
    await anext(events)
    await client.close()
    with pytest.raises(CallCancelledError) as caught:
        await anext(events)
    assert caught.value.reason == "CLIENT_CLOSED"


def test_closing_the_client_from_another_thread_ends_its_calls_with_an_error(
    essay: Submission,
) -> None:
    with FakeConsensus(hang()) as fake, ThreadPoolExecutor(1) as threads:
        client = ConsensusClient(fake.target)
        call = threads.submit(client.judge, essay)
        fake.wait_for_calls()
        client.close()
        with pytest.raises(CallCancelledError) as caught:
            call.result()
    assert caught.value.reason == "CLIENT_CLOSED"
