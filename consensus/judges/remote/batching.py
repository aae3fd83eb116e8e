"""Judges behind gRPC: calls that go to one backend at about the same time travel together.

A call to grpc.aio costs far more than what it carries, so the whole gain is in making few of them.
Nothing waits without need: an idle server asks a few turns of its event loop later, with no timer;
a busy one gathers as long as its turns bring more; and while `max_inflight` batches are under way,
arrivals wait for the next one, but no longer than a batch may gather: judges may take seconds.
"""

import asyncio
import math
from collections.abc import Callable, Iterable, Sequence

import grpc.aio

from consensus.domain.judges import BatchLimits
from consensus.judges.remote import failures
from consensus.judges.remote.connection import Connection
from consensus.judges.remote.flights import Flight, Item, fail, settle
from consensus.judges.remote.framing import batch_of
from consensus.judges.remote.queueing import Queue

QUIET_TURNS = 4
"""Turns of the event loop without an arrival after which a batch departs: tens of microseconds for
an idle loop. A busy one takes in about one request a turn, however long its turns are."""
MAX_LINGER_SECONDS = 0.05
"""The longest that a batch gathers while more keeps coming or waits for a place; at most this"""
LINGER_SHARE = 0.1
"""of the time-out of its first item."""
ALARM_SLACK_SECONDS = 0.001
"""Items end together that are due within this time: one alarm instead of two."""


class Batcher:
    """Gathers the calls of one depth to one backend."""

    def __init__(
        self, connection: Connection, limits: BatchLimits, on_call: Callable[[int], None]
    ) -> None:
        """Must run inside the event loop. `on_call` is told how many items each call carries."""
        self._loop = asyncio.get_running_loop()
        self._on_call = on_call
        self._connection = connection
        self._limits = limits
        self._queue = Queue(limits)
        self._flights: set[Flight] = set()
        self._gathered = 0
        self._departure: asyncio.Handle | None = None
        self._overdue: asyncio.TimerHandle | None = None
        self._quiet = 0
        self._latest = 0.0
        self._seen = 0
        self._alarm: asyncio.TimerHandle | None = None
        self._alarm_at = math.inf
        self._closed = False

    def ask(self, head: bytes, body: bytes, timeout_seconds: float) -> Item:
        """Take a call; whoever stops waiting for its answer must say so with `drop`."""
        loop = self._loop
        now = loop.time()
        item = Item(head, body, now + timeout_seconds, loop.create_future())
        if item.deadline < self._alarm_at and not self._closed:
            self._set_alarm(item.deadline)
        if self._closed or not self._connection.batches:
            self._send_alone((item,))
            return item
        self._queue.add(item)
        if self._departure is None and self._overdue is None:
            self._latest = now + min(MAX_LINGER_SECONDS, LINGER_SHARE * timeout_seconds)
            if self._gathered < self._limits.max_inflight:
                self._departure = loop.call_soon(self._linger)
            else:
                self._wait_for_place()
        return item

    def drop(self, item: Item) -> None:
        """Forget an item; a call that carries nothing else is cancelled at the backend."""
        flight, item.flight = item.flight, None
        if flight is None:
            self._queue.discard(item)
            return
        flight.live -= 1
        if not flight.live:
            flight.call.cancel()

    @property
    def held(self) -> int:
        """Items that wait and calls under way."""
        return len(self._queue) + len(self._flights)

    async def move(self, connection: Connection) -> None:
        """Use another connection from now on; returns once the calls of the old one are done."""
        self._connection = connection
        await _ended(flight for flight in self._flights if flight.connection is not connection)

    async def close(self, grace_seconds: float) -> None:
        """Let the calls finish for up to `grace_seconds`, then end them."""
        until = self._loop.time() + grace_seconds
        while self.held and (left := until - self._loop.time()) > 0:
            await asyncio.sleep(0)  # what waits for its turn is sent
            await _ended(self._flights, left)
        self._closed = True
        fail(self._queue.take_all(), failures.closed)
        for flight in self._flights:
            flight.call.cancel()
        await _ended(self._flights)
        for timer in (self._alarm, self._departure, self._overdue):
            if timer is not None:
                timer.cancel()

    def _linger(self) -> None:
        """Depart, unless more has come within the last turns of the loop."""
        waiting = len(self._queue)
        if waiting > self._seen:
            self._seen, self._quiet = waiting, 0
        else:
            self._quiet += 1
        full = waiting >= self._limits.max_items
        if full or self._quiet >= QUIET_TURNS or self._loop.time() >= self._latest:
            self._depart()
        else:
            self._departure = self._loop.call_soon(self._linger)

    def _depart(self, most: float | None = None) -> None:
        """Send what waits, as long as fewer than `most` batches are under way."""
        self._departure = None
        self._seen = self._quiet = 0
        most = self._limits.max_inflight if most is None else most
        queue = self._queue
        while queue and self._gathered < most and not self._closed:
            if not self._connection.batches:
                self._send_alone(queue.take_all())
            else:
                self._send(queue.take_batch(), gathered=True)
        if self._overdue is not None:
            self._overdue.cancel()
            self._overdue = None
        if queue:
            self._wait_for_place()

    def _wait_for_place(self) -> None:
        self._overdue = self._loop.call_at(self._latest, self._depart, math.inf)

    def _send_alone(self, items: Iterable[Item]) -> None:
        """Send each in a call of its own, at once."""
        for item in items:
            if self._closed:
                fail((item,), failures.closed)
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
            connection.batches_under_way += 1
        self._on_call(len(items))
        flight = Flight(items, connection, call, self._loop.time(), gathered=gathered)
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
            fail(flight.items, failures.closed)
        else:
            self._send_alone(settle(flight.items, reply))
        finally:
            self._queue.landed(flight, self._loop.time() - flight.began)
            flight.connection.batches_under_way -= len(flight.items) > 1
            flight.items = ()  # items and flight know each other: no work for the collector
            self._flights.discard(flight)
            self._gathered -= flight.gathered
            if self._departure is None:
                self._depart()

    def _failed(self, flight: Flight, error: grpc.aio.AioRpcError) -> None:
        if len(flight.items) > 1:
            unknown = error.code() is grpc.StatusCode.UNIMPLEMENTED
            if unknown:
                flight.connection.refuse_batches()
            if unknown or failures.batch_at_fault(error):
                self._send_alone(item for item in flight.items if not item.answer.done())
                return
        fail(flight.items, lambda: failures.failure_of(error))

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


async def _ended(flights: Iterable[Flight], seconds: float | None = None) -> None:
    tasks = [flight.task for flight in flights if flight.task is not None]
    if tasks:
        await asyncio.wait(tasks, timeout=seconds)
