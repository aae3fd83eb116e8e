"""One question within a budget of time: counted, billed, and put once more where that may help."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

import anyio

from consensus.domain.errors import JudgeFailed
from consensus.domain.evaluation import Ledger
from consensus.domain.gradient import FailureKind, Usage
from consensus.domain.ports import Clock
from consensus.judges.llm.chat import Ask, ChatBackend, Reply
from consensus.judges.llm.failures import BackendFailed

T = TypeVar("T")
LARGER = 2
"""The second reply may be so many times as long where the first was cut off."""
WORTH_ANOTHER = (FailureKind.UNREADABLE, FailureKind.TRUNCATED)
"""A model that refused, or was filtered, is not asked again."""
_UNKNOWN = Usage(cost_usd=None)
"""Of a call that ended without its bill: it may have cost something."""


class Asking:
    """The calls of one seat, until its time is up."""

    def __init__(
        self, backend: ChatBackend, clock: Clock, ledger: Ledger, timeout_seconds: float
    ) -> None:
        self._backend = backend
        self._clock = clock
        self._ledger = ledger
        self._until = clock.monotonic() + timeout_seconds
        self._longest = 0.0

    def time_for(self, calls: int) -> bool:
        """Tell whether the time that is left does for `calls` as long as the longest so far."""
        return self._until - self._clock.monotonic() > calls * self._longest

    async def twice(
        self, ask: Callable[[JudgeFailed | None], Ask], read: Callable[[Reply], T]
    ) -> T:
        """Return what the reply reads as, or that of a second call after an unreadable or cut off
        one, where more time is left than the first call took. Raises JudgeFailed.

        `ask` is told how the first call failed when it is to word the second.
        """
        began = self._clock.monotonic()
        try:
            return read(await self.once(ask(None)))
        except JudgeFailed as failed:
            now = self._clock.monotonic()
            if failed.kind not in WORTH_ANOTHER or self._until - now <= now - began:
                raise
            first = failed
        return read(await self.once(ask(first)))

    async def once(self, ask: Ask) -> Reply:
        """Return the reply to one call. Raises JudgeFailed."""
        self._ledger.attempts += 1
        began = self._clock.monotonic()
        try:
            reply = await self._backend.complete(ask, self._until - began)
        except asyncio.CancelledError:
            self._ledger.add(_UNKNOWN)
            raise
        except JudgeFailed as failed:
            unbilled = failed.kind in (FailureKind.TIMEOUT, *WORTH_ANOTHER)
            if unbilled or (isinstance(failed, BackendFailed) and failed.cut_off):
                self._ledger.add(_UNKNOWN)
            raise
        self._longest = max(self._longest, self._clock.monotonic() - began)
        self._ledger.add(reply.usage)
        return reply


async def at_once(calls: Sequence[Callable[[], Awaitable[T]]]) -> Sequence[T | JudgeFailed]:
    """Put all questions at once; return what each reads as, or how it failed, in their order.

    A single one is just awaited: it raises its failure.
    """
    if len(calls) == 1:
        return [await calls[0]()]
    results: dict[int, T | JudgeFailed] = {}

    async def put(index: int) -> None:
        try:
            results[index] = await calls[index]()
        except JudgeFailed as failed:
            results[index] = failed

    async with anyio.create_task_group() as group:
        for index in range(len(calls)):
            group.start_soon(put, index)
    return [results[index] for index in range(len(calls))]
