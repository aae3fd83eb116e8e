"""Judges behind gRPC: the calls of judges on their way, and how each gets what is its own."""

import asyncio
from collections.abc import Callable, Iterable, Sequence

from google.protobuf.message import DecodeError

from consensus.domain.errors import JudgeFailed
from consensus.judges.remote import failures
from consensus.judges.remote.connection import Call, Connection
from consensus.judges.remote.framing import results_of
from consensus.v1 import judge_pb2

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

    __slots__ = ("began", "call", "connection", "gathered", "items", "live", "task")

    def __init__(
        self,
        items: Sequence[Item],
        connection: Connection,
        call: Call,
        began: float,
        *,
        gathered: bool,
    ) -> None:
        self.items = items
        self.connection = connection
        self.call = call
        self.began = began
        """In the event loop's time."""
        self.gathered = gathered
        """Whether it holds one of the places of `max_inflight`."""
        self.live = len(items)
        """Items that somebody waits for still."""
        self.task: asyncio.Task[None] | None = None


def fail(items: Iterable[Item], failure: Callable[[], JudgeFailed]) -> None:
    """Fail every item that somebody waits for, each with a failure of its own."""
    for item in items:
        if not item.answer.done():
            item.answer.set_exception(failure())


def settle(items: Sequence[Item], reply: bytes) -> list[Item]:
    """Give each item what a reply holds for it; returns those that need a call of their own."""
    try:
        if len(items) == 1:
            _settle_one(items[0], judge_pb2.EvaluateResponse.FromString(reply))
            return []
        results = results_of(reply)
    except DecodeError:
        fail(items, lambda: failures.unreadable(_NOT_THE_CONTRACTS))
        return []
    if len(results) != len(items):
        words = f"{len(results)} results for a batch of {len(items)}"
        fail(items, lambda: failures.unreadable(words))
        return []
    return [
        item
        for item, result in zip(items, results, strict=True)
        if not item.answer.done() and not _taken(item, result)
    ]


def _settle_one(item: Item, reply: judge_pb2.EvaluateResponse) -> None:
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
