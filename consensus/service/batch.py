"""Judges the items of a batch beside each other; one bad item never fails its neighbours."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from typing import Protocol, TypeVar

import anyio
import grpc

from consensus.domain.errors import (
    InvalidRequest,
    RequestError,
    ResponseTooLarge,
    Violation,
)
from consensus.service import status
from consensus.v1 import judge_pb2

MAX_ITEMS = 1_000
CONCURRENCY = 64
"""Items of one batch under way at a time."""
ENVELOPE_BYTES = 64
"""More than the framing of one item takes."""

log = logging.getLogger(__name__)

Item = TypeVar("Item")


class Sized(Protocol):
    """A message that knows its size."""

    def ByteSize(self) -> int:  # noqa: N802 - protobuf's name
        """Return the encoded size."""
        ...


Reply = TypeVar("Reply", bound=Sized)


async def judge_each(
    items: Sequence[Item],
    judge: Callable[[Item, int], Awaitable[Reply]],
    max_bytes: int,
) -> list[Reply | judge_pb2.ItemError]:
    """Return a reply or an error for each item, in order.

    `judge` gets the item and its index. Replies that do not fit into `max_bytes` together become
    errors, the last ones first. Raises InvalidRequest on an empty or too large batch.
    """
    if not 1 <= len(items) <= MAX_ITEMS:
        words = f"has {len(items)} entries; must have 1 to {MAX_ITEMS}"
        raise InvalidRequest([Violation("requests", words)])
    replies: list[Reply | judge_pb2.ItemError | None] = [None] * len(items)
    turns = iter(range(len(items)))

    async def work() -> None:
        for index in turns:
            replies[index] = await _one(items[index], index, judge)
            await asyncio.sleep(0)  # judges that never wait would hold up every other call

    async with anyio.create_task_group() as group:
        for _ in range(min(CONCURRENCY, len(items))):
            group.start_soon(work)
    return _fitting([reply for reply in replies if reply is not None], max_bytes)


async def _one(
    item: Item, index: int, judge: Callable[[Item, int], Awaitable[Reply]]
) -> Reply | judge_pb2.ItemError:
    try:
        return await judge(item, index)
    except RequestError as error:
        return item_error(error)
    except Exception as error:  # noqa: BLE001 - costs this item alone
        log.error("unhandled error in a batch", extra={"error": type(error).__name__})  # noqa: TRY400
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
            judge_pb2.FieldViolation(field=v.field, description=v.description)
            for v in violations[: status.MAX_VIOLATIONS]
        ],
    )


def _fitting(
    replies: list[Reply | judge_pb2.ItemError], max_bytes: int
) -> list[Reply | judge_pb2.ItemError]:
    total = 0
    fitting: list[Reply | judge_pb2.ItemError] = []
    limit = max_bytes - len(replies) * 2 * ENVELOPE_BYTES
    for reply in replies:
        total += reply.ByteSize()
        if total > limit and not isinstance(reply, judge_pb2.ItemError):
            words = f"the answers before this one fill the response's {max_bytes} bytes"
            fitting.append(item_error(ResponseTooLarge(words, {"max_bytes": str(max_bytes)})))
        else:
            fitting.append(reply)
    return fitting
