"""Judges behind gRPC: calls that go to one backend at about the same time travel together.

A call to grpc.aio costs far more than what it carries, so the whole gain is in making few of them.
Nothing waits without need: an idle backend is asked in the same turn of the event loop, and only
while `max_inflight` batches are under way do arrivals wait for the next one.
"""

import asyncio
import math
from collections.abc import Callable, Iterable, Sequence

import grpc.aio
from google.protobuf.message import DecodeError

from consensus.domain.errors import JudgeFailed
from consensus.domain.judges import BatchLimits
from consensus.judges.remote import failures
from consensus.judges.remote.connection import Call, Connection
from consensus.judges.remote.framing import FRAMING_BYTES, batch_of, results_of
from consensus.v1 import judge_pb2

ALARM_SLACK_SECONDS = 0.001
"""Items end together that are due within this time: one alarm instead of two."""
_NOT_THE_CONTRACTS = "the reply is not the contract's"


class Item:
    """One call of a judge."""

    __slots__ = ("answer", "body", "calls", "deadline", "flight", "head")

    def __init__(
        self,
        head: bytes,
        body: bytes,
        deadline: float,
        answer: asyncio.Future[judge_pb2.EvaluateResponse],
    ) -> None:
        self.head = head
        self.body = body
        """Head and body are the encoded EvaluateRequest."""
        self.deadline = deadline
        """In the event loop's time."""
        self.answer = answer
        """Done when the item is: answered, failed with JudgeFailed, or cancelled by the judge."""
        self.flight: Flight | None = None
        """What it travels in at the moment."""
        self.calls = 0
        """How many times it was sent."""


class Flight:
    """One call under way, and the items that it carries."""

    __slots__ = ("call", "connection", "gathered", "items", "live", "task")

    def __init__(
        self, items: Sequence[Item], connection: Connection, call: Call, *, gathered: bool
    ) -> None:
        self.items = items
        self.connection = connection
        self.call = call
        self.gathered = gathered
        """Whether it holds one of the places of `max_inflight`."""
        self.live = len(items)
        """Items that somebody waits for still."""
        self.task: asyncio.Task[None] | None = None


class Batcher:
    """Gathers the calls to one backend."""

    def __init__(self, connection: Connection, limits: BatchLimits) -> None:
        """Must run inside the event loop."""
        self._loop = asyncio.get_running_loop()
        self._connection = connection
        self._limits = limits
        self._queue: dict[Item, None] = {}
        self._flights: set[Flight] = set()
        self._gathered = 0
        self._flush_due = False
        self._alarm: asyncio.TimerHandle | None = None
        self._alarm_at = math.inf
        self._closed = False

    def ask(self, head: bytes, body: bytes, timeout_seconds: float) -> Item:
        """Take a call; whoever stops waiting for its answer must say so with `drop`."""
        loop = self._loop
        item = Item(head, body, loop.time() + timeout_seconds, loop.create_future())
        if item.deadline < self._alarm_at and not self._closed:
            self._set_alarm(item.deadline)
        if self._closed or not self._connection.batches:
            self._send_alone((item,))
            return item
        self._queue[item] = None
        if not self._flush_due and self._gathered < self._limits.max_inflight:
            # Behind everybody who is ready in this turn: what they ask goes in the same batch.
            self._flush_due = True
            loop.call_soon(self._flush)
        return item

    def drop(self, item: Item) -> None:
        """Forget an item; a call that carries nothing else is cancelled at the backend."""
        flight, item.flight = item.flight, None
        if flight is None:
            self._queue.pop(item, None)
            return
        flight.live -= 1
        if not flight.live:
            flight.call.cancel()

    @property
    def held(self) -> int:
        """Items that wait and calls under way."""
        return len(self._queue) + len(self._flights)

    async def move(self, connection: Connection) -> None:
        """Use another connection from now on, and close the old one once its calls are done."""
        old, self._connection = self._connection, connection
        await _ended(flight for flight in self._flights if flight.connection is old)
        await old.close()

    async def close(self, grace_seconds: float) -> None:
        """Let the calls finish for up to `grace_seconds`, then end them and the connection."""
        until = self._loop.time() + grace_seconds
        while self.held and (left := until - self._loop.time()) > 0:
            await asyncio.sleep(0)  # what waits for its turn is sent
            await _ended(self._flights, left)
        self._closed = True
        self._fail(self._queue, failures.closed)
        self._queue.clear()
        for flight in self._flights:
            flight.call.cancel()
        await _ended(self._flights)
        if self._alarm is not None:
            self._alarm.cancel()
        await self._connection.close()

    def _flush(self) -> None:
        self._flush_due = False
        queue = self._queue
        while queue and self._gathered < self._limits.max_inflight and not self._closed:
            if not self._connection.batches:
                items = list(queue)
                queue.clear()
                self._send_alone(items)
                return
            self._send(self._next(), gathered=True)

    def _next(self) -> list[Item]:
        """Take the items of the next batch from the queue: at least one."""
        items: list[Item] = []
        room, most = self._limits.max_bytes, self._limits.max_items
        for item in self._queue:
            room -= len(item.head) + len(item.body) + FRAMING_BYTES
            if items and (room < 0 or len(items) == most):
                break
            items.append(item)
        for item in items:
            del self._queue[item]
        return items

    def _send_alone(self, items: Iterable[Item]) -> None:
        """Send each in a call of its own, at once."""
        for item in items:
            if self._closed:
                self._fail((item,), failures.closed)
            else:
                self._send((item,), gathered=False)

    def _send(self, items: Sequence[Item], *, gathered: bool) -> None:
        connection = self._connection
        timeout = max(item.deadline for item in items) - self._loop.time()
        if len(items) == 1:
            call = connection.evaluate(items[0].head + items[0].body, timeout=timeout)
        else:
            body = batch_of((item.head, item.body) for item in items)
            call = connection.evaluate_batch(body, timeout=timeout)
        flight = Flight(items, connection, call, gathered=gathered)
        for item in items:
            item.flight = flight
            item.calls += 1
        self._gathered += gathered
        self._flights.add(flight)
        flight.task = self._loop.create_task(self._follow(flight))

    async def _follow(self, flight: Flight) -> None:
        """Wait for a call and settle its items."""
        try:
            reply = await flight.call
        except grpc.aio.AioRpcError as error:
            self._failed(flight, error)
        except asyncio.CancelledError:  # nobody waits any more, or we close
            self._fail(flight.items, failures.closed)
        else:
            self._answered(flight, reply)
        finally:
            flight.items = ()  # items and flight know each other: no work for the collector
            self._flights.discard(flight)
            self._gathered -= flight.gathered
            self._flush()

    def _answered(self, flight: Flight, reply: bytes) -> None:
        items = flight.items
        try:
            if len(items) == 1:
                _settle(items[0], judge_pb2.EvaluateResponse.FromString(reply))
                return
            results = results_of(reply)
        except DecodeError:
            self._fail(items, lambda: failures.unreadable(_NOT_THE_CONTRACTS))
            return
        if len(results) != len(items):
            words = f"{len(results)} results for a batch of {len(items)}"
            self._fail(items, lambda: failures.unreadable(words))
            return
        alone = [
            item
            for item, result in zip(items, results, strict=True)
            if not item.answer.done() and not _taken(item, result)
        ]
        self._send_alone(alone)

    def _failed(self, flight: Flight, error: grpc.aio.AioRpcError) -> None:
        if len(flight.items) > 1:
            unknown = error.code() is grpc.StatusCode.UNIMPLEMENTED
            if unknown:
                flight.connection.batches = False
            if unknown or failures.batch_at_fault(error):
                self._send_alone(item for item in flight.items if not item.answer.done())
                return
        self._fail(flight.items, lambda: failures.failure_of(error))

    def _fail(self, items: Iterable[Item], failure: Callable[[], JudgeFailed]) -> None:
        for item in items:
            if not item.answer.done():
                item.answer.set_exception(failure())

    def _set_alarm(self, when: float) -> None:
        if self._alarm is not None:
            self._alarm.cancel()
        self._alarm_at = when
        self._alarm = self._loop.call_at(when, self._ring)

    def _ring(self) -> None:
        """Fail what is due. One alarm for all: most items never need theirs."""
        now = self._loop.time() + ALARM_SLACK_SECONDS
        self._alarm, self._alarm_at = None, math.inf
        waiting = [*self._queue, *(item for flight in self._flights for item in flight.items)]
        following = math.inf
        for item in waiting:
            if item.answer.done():
                continue
            if item.deadline <= now:
                item.answer.set_exception(failures.late())
                self.drop(item)
            else:
                following = min(following, item.deadline)
        if following < math.inf:
            self._set_alarm(following)


def _settle(item: Item, reply: judge_pb2.EvaluateResponse) -> None:
    if not item.answer.done():
        item.answer.set_result(reply)


def _taken(item: Item, result: judge_pb2.EvaluateBatchResult) -> bool:
    """Settle an item by its result; False asks for a call of its own."""
    match result.WhichOneof("result"):
        case "response":
            item.answer.set_result(result.response)
        case "error":
            if failures.crowded_out(result.error):
                return False
            item.answer.set_exception(failures.item_failure_of(result.error))
        case _:
            item.answer.set_exception(failures.unreadable(_NOT_THE_CONTRACTS))
    return True


async def _ended(flights: Iterable[Flight], seconds: float | None = None) -> None:
    tasks = [flight.task for flight in flights if flight.task is not None]
    if tasks:
        await asyncio.wait(tasks, timeout=seconds)
