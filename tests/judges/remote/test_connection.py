"""A remote judge whose backend is away, late, or goes in the middle; and one that is closed."""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import anyio
import pytest

from consensus.domain.decision import Hierarchy, SeatStatus
from consensus.domain.errors import JudgeFailed
from consensus.domain.evaluation import Evaluation
from consensus.domain.gradient import Failure, FailureKind
from consensus.domain.policy import Seat, Settle, StrategyName
from consensus.v1 import judge_pb2
from consensus.wire.gradient import answer_to
from tests.builders import (
    Instant,
    Waiting,
    Watcher,
    decide,
    policy,
    scores,
    seats_of,
    stage,
    submission,
)
from tests.judges.backend import Context, Reply, always, hang, judge_at, serving
from tests.judges.contract import fails_as_judges_fail

REPLY = answer_to(scores(0.75))


def about() -> Evaluation:
    """Return an evaluation of a small submission."""
    return Evaluation(submission(), Hierarchy())


@asynccontextmanager
async def hanging_up() -> AsyncIterator[str]:
    """Listen, accept every connection and drop it at once."""

    async def drop(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.close()

    server = await asyncio.start_server(drop, "127.0.0.1", 0)
    async with server:
        yield f"127.0.0.1:{server.sockets[0].getsockname()[1]}"


async def test_a_backend_that_nobody_serves_is_unavailable() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # bound and not listening: connections are refused
        async with judge_at(f"127.0.0.1:{taken.getsockname()[1]}") as judge:
            failed = await fails_as_judges_fail(judge, submission())
    assert (failed.kind, failed.reason) == (FailureKind.ERROR, "the backend answered UNAVAILABLE")


async def test_a_backend_that_hangs_up_is_unavailable() -> None:
    async with hanging_up() as target, judge_at(target) as judge:
        failed = await fails_as_judges_fail(judge, submission())
    assert (failed.kind, failed.reason) == (FailureKind.ERROR, "the backend answered UNAVAILABLE")


async def test_a_backend_that_goes_in_the_middle_of_a_call_is_unavailable() -> None:
    async with serving(hang) as backend, judge_at(backend.target) as judge:
        call = asyncio.create_task(fails_as_judges_fail(judge, submission()))
        await backend.asked.wait()
        await backend.server.stop(0)
        failed = await call
    assert (failed.kind, failed.reason) == (FailureKind.ERROR, "the backend answered UNAVAILABLE")


async def test_the_backend_is_told_how_long_it_has() -> None:
    seats = Seat(judge="remote", timeout_seconds=50), Seat(judge="other", timeout_seconds=90)
    rules = policy(stage(*seats), deadline_seconds=100)
    async with (
        serving(always(REPLY)) as backend,
        judge_at(backend.target) as judge,
        judge_at(backend.target, "other") as other,
    ):
        await decide(rules, judge, other, seconds=70)
    shorter, longer = sorted(left or 0.0 for left in backend.time_left)
    assert 40 < shorter < 51
    assert 60 < longer < 71


async def test_a_backend_that_does_not_answer_in_time_is_given_up() -> None:
    async with serving(hang) as backend, judge_at(backend.target) as judge:
        with pytest.raises(JudgeFailed) as caught:
            await judge.evaluate(about(), 0.1)
    words = "the backend did not answer in time"
    assert (caught.value.kind, caught.value.reason) == (FailureKind.TIMEOUT, words)


async def test_a_late_backend_costs_its_own_seat_alone() -> None:
    rules = stage(Seat(judge="late", timeout_seconds=0.1), "good")
    async with serving(hang) as backend, judge_at(backend.target, "late") as judge:
        decision = await decide(rules, judge, Waiting("good", 0.2, scores(0.9)))
    answer = seats_of(decision)["late"].answer
    assert isinstance(answer, Failure)
    assert answer.kind is FailureKind.TIMEOUT
    assert seats_of(decision)["good"].status is SeatStatus.SCORED


async def test_an_answer_that_is_not_needed_any_more_is_cancelled_at_the_backend() -> None:
    asked = anyio.Event()

    async def answer_after_the_other_was_asked(
        request: judge_pb2.EvaluateRequest, context: Context
    ) -> Reply:
        await asked.wait()
        return answer_to(scores(0.0))

    async def hang_and_tell(request: judge_pb2.EvaluateRequest, context: Context) -> Reply:
        asked.set()
        return await hang(request, context)

    watcher = Watcher()
    rules = stage("quick", "slow", strategy=StrategyName.UNANIMOUS, settle=Settle.EARLY)
    async with (
        serving(answer_after_the_other_was_asked) as first,
        serving(hang_and_tell) as second,
        judge_at(first.target, "quick") as quick,
        judge_at(second.target, "slow") as slow,
    ):
        decision = await decide(rules, quick, slow, watcher=watcher)
        await second.ended.wait()
    assert decision.stages[0].settled
    assert seats_of(decision)["slow"].status is SeatStatus.SKIPPED
    assert watcher.balanced


async def test_closing_a_judge_at_once_fails_the_call_under_way_and_every_later_one() -> None:
    async with serving(hang) as backend, judge_at(backend.target, "remote") as judge:
        rules, watcher = stage("remote", "other"), Watcher()
        other = Instant("other", scores(0.9))
        task = asyncio.create_task(decide(rules, judge, other, watcher=watcher))
        await backend.asked.wait()
        await judge.close(0)
        decision = await task
        await backend.ended.wait()
        later = await fails_as_judges_fail(judge, submission())
    closed = Failure(FailureKind.ERROR, "the connection is closed")
    assert seats_of(decision)["remote"].answer == closed
    assert (later.kind, later.reason) == (closed.kind, closed.reason)
    assert watcher.balanced


async def test_closing_a_judge_lets_the_call_under_way_finish_within_its_grace() -> None:
    go = anyio.Event()

    async def when_told(request: judge_pb2.EvaluateRequest, context: Context) -> Reply:
        await go.wait()
        return REPLY

    async with serving(when_told) as backend, judge_at(backend.target) as judge:
        call = asyncio.create_task(judge.evaluate(about(), 10))
        await backend.asked.wait()
        closing = asyncio.create_task(judge.close(10))
        go.set()
        assert await call == scores(0.75)
        await closing


async def test_a_closed_judge_leaves_no_connection_behind() -> None:
    ended = anyio.Event()

    class Silent(asyncio.Protocol):
        def connection_made(self, transport: asyncio.BaseTransport) -> None:
            assert isinstance(transport, asyncio.Transport)
            transport.write(bytes.fromhex("000000040000000000"))  # HTTP/2's first frame, no more

        def connection_lost(self, error: Exception | None) -> None:
            ended.set()

    server = await asyncio.get_running_loop().create_server(Silent, "127.0.0.1", 0)
    async with server:
        target = f"127.0.0.1:{server.sockets[0].getsockname()[1]}"
        async with judge_at(target) as judge:
            with pytest.raises(JudgeFailed):
                await judge.evaluate(about(), 0.5)
            assert not ended.is_set()
            await judge.close(0)
            with anyio.fail_after(10):
                await ended.wait()


class Leaving(asyncio.Protocol):
    """Speaks just enough HTTP/2 to note every call and go away without having looked at it.

    gRPC's core would send such a call again by itself, where nobody here counts or pays it.
    """

    FRAME, PREFACE, HEADERS, SETTINGS = 9, 24, 1, 4
    OURS, SEEN = bytes.fromhex("000000040000000000"), bytes.fromhex("000000040100000000")
    GOING = bytes.fromhex("0000080700000000000000000000000000")

    def __init__(self, connections: "list[Leaving]") -> None:
        self.calls = 0
        self.ended = anyio.Event()
        connections.append(self)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport, self.came, self.greeted = transport, b"", False
        transport.write(self.OURS)

    def connection_lost(self, error: Exception | None) -> None:
        self.ended.set()

    def data_received(self, data: bytes) -> None:
        self.came += data
        if not self.greeted and len(self.came) >= self.PREFACE:
            self.greeted, self.came = True, self.came[self.PREFACE :]
        while self.greeted and len(self.came) >= self.FRAME:
            length, kind = int.from_bytes(self.came[:3]), self.came[3]
            if len(self.came) < self.FRAME + length:
                return
            self.came = self.came[self.FRAME + length :]
            if kind == self.SETTINGS and length:
                self.transport.write(self.SEEN)
            elif kind == self.HEADERS:
                self.calls += 1
                self.transport.write(self.GOING)


async def test_a_call_that_the_backend_did_not_look_at_is_not_sent_again_unseen() -> None:
    connections: list[Leaving] = []
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: Leaving(connections), "127.0.0.1", 0)
    async with server:
        target = f"127.0.0.1:{server.sockets[0].getsockname()[1]}"
        async with judge_at(target) as judge:
            reason = (await fails_as_judges_fail(judge, submission())).reason
    for _ in range(10):  # gRPC connects anew at once: what was accepted last is made by now
        await asyncio.sleep(0)
    for connection in connections:
        connection.transport.abort()
        await connection.ended.wait()
    assert reason == "the backend answered UNAVAILABLE"
    assert sum(connection.calls for connection in connections) == 1


async def test_closing_a_judge_twice_is_harmless() -> None:
    async with serving(always(REPLY)) as backend, judge_at(backend.target) as judge:
        await judge.evaluate(about(), 5)
        await judge.close(0)
        await judge.close(5)
