"""Judges the items of a batch beside each other; one bad item never fails its neighbours."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from typing import Generic, TypeVar

import grpc

from consensus.domain.errors import InvalidRequest, RequestError, ResponseTooLarge, Violation
from consensus.service import status
from consensus.service.calls import facts_of, stray_cancellation
from consensus.service.sizes import Reply, too_large
from consensus.v1 import judge_pb2

MAX_ITEMS = 1_000
CONCURRENCY = 64
"""Items of one batch under way at a time."""
TURN_SECONDS = 0.0005
"""Longest work on a batch before others have their turn."""
RESERVED_BYTES = 160
"""Kept for each item: more than its framing takes, or a bare error in its place."""

log = logging.getLogger(__name__)

Item = TypeVar("Item")


async def judge_each(
    items: Sequence[Item],
    judge: Callable[[Item, int], Awaitable[Reply]],
    max_bytes: int,
) -> list[Reply | judge_pb2.ItemError]:
    """Return a reply or an error for each item, in order.

    `judge` gets the item and its index. A reply that does not fit into what the ones before it left
    of `max_bytes` becomes an error. Raises InvalidRequest on an empty or too large batch.
    """
    if not 1 <= len(items) <= MAX_ITEMS:
        words = f"has {len(items)} entries; must have 1 to {MAX_ITEMS}"
        raise InvalidRequest([Violation("requests", words)])
    work = _Work(items, judge)
    await work.done()
    return _fitting(work.replies, max_bytes)


class _Work(Generic[Item, Reply]):
    """The items of one batch, and the workers that judge them.

    One worker does for judges that never wait. Whenever an item waits, the event loop has its turn
    and starts another worker.
    """

    def __init__(
        self, items: Sequence[Item], judge: Callable[[Item, int], Awaitable[Reply]]
    ) -> None:
        self._items = items
        self._judge = judge
        self._next = iter(range(len(items)))
        self._found: dict[int, Reply | judge_pb2.ItemError] = {}
        self._loop = asyncio.get_running_loop()
        self._workers: set[asyncio.Task[None]] = set()
        self._finished = self._loop.create_future()

    @property
    def replies(self) -> list[Reply | judge_pb2.ItemError]:
        """One for each item, in order."""
        return [self._found[index] for index in range(len(self._items))]

    async def done(self) -> None:
        """Judge every item; whoever is cancelled stops the workers."""
        self._hire()
        try:
            await self._finished
        finally:
            self._next = iter(())  # whoever is hired from now on has nothing to do
            if workers := [worker for worker in self._workers if not worker.done()]:
                for worker in workers:
                    worker.cancel()
                await asyncio.wait(workers)

    def _hire(self) -> None:
        if len(self._workers) < CONCURRENCY:
            worker = self._loop.create_task(self._work())
            self._workers.add(worker)
            worker.add_done_callback(self._workers.discard)

    async def _work(self) -> None:
        turn = self._loop.time()
        for index in self._next:
            waits = self._loop.call_soon(self._hire)
            self._found[index] = await _one(self._items[index], index, self._judge)
            waits.cancel()
            if len(self._found) == len(self._items):
                self._finished.set_result(None)
            elif self._loop.time() - turn > TURN_SECONDS:
                await asyncio.sleep(0)  # or a batch would hold up every other call
                turn = self._loop.time()


async def _one(
    item: Item, index: int, judge: Callable[[Item, int], Awaitable[Reply]]
) -> Reply | judge_pb2.ItemError:
    try:
        return await judge(item, index)
    except RequestError as error:
        return item_error(error)
    except asyncio.CancelledError as error:
        if not stray_cancellation():
            raise
        return _internal(error)
    except Exception as error:  # noqa: BLE001 - costs this item alone
        return _internal(error)


def _internal(error: BaseException) -> judge_pb2.ItemError:
    log.error("unhandled error in a batch", extra=facts_of(error))
    return judge_pb2.ItemError(
        code=grpc.StatusCode.INTERNAL.value[0],
        reason=status.INTERNAL_REASON,
        message=status.INTERNAL_MESSAGE,
    )


def item_error(error: RequestError) -> judge_pb2.ItemError:
    """Return an error as an item of a batch carries it."""
    violations = error.violations if isinstance(error, InvalidRequest) else ()
    return judge_pb2.ItemError(
        code=status.TABLE[type(error)].code.value[0],
        reason=error.REASON,
        message=status.message(error),
        violations=[
            judge_pb2.FieldViolation(
                field=status.cut(v.field), description=status.cut(v.description)
            )
            for v in violations[: status.MAX_VIOLATIONS]
        ],
    )


def _fitting(
    replies: Sequence[Reply | judge_pb2.ItemError], max_bytes: int
) -> list[Reply | judge_pb2.ItemError]:
    errors = too_large(replies, max_bytes - len(replies) * RESERVED_BYTES)
    return [
        _bare(reply, error) if error is not None else reply
        for reply, error in zip(replies, errors, strict=True)
    ]


def _bare(reply: object, error: ResponseTooLarge) -> judge_pb2.ItemError:
    """Return what stands for a reply that does not fit; an error keeps its code and reason."""
    if isinstance(reply, judge_pb2.ItemError):
        return judge_pb2.ItemError(code=reply.code, reason=reply.reason)
    return item_error(error)
