"""Admission: how many judgments may be under way, and none while the server stops."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

import anyio

from consensus.domain.errors import Draining, Overloaded


class LoadObserver(Protocol):
    """Is told of the load."""

    def inflight(self, judgments: int) -> None:
        """So many judgments are under way."""
        ...

    def shed(self, reason: str) -> None:
        """A judgment was refused."""
        ...


class Admission:
    """Counts judgments under way and refuses those above the limit."""

    def __init__(self, limit: int, observer: LoadObserver) -> None:
        self._limit = limit
        self._observer = observer
        self._idle: anyio.Event | None = None
        self.inflight = 0
        self.draining = False
        self.refused = 0
        """Calls refused because the server stops."""

    @contextmanager
    def enter(self) -> Iterator[None]:
        """Hold one place. Raises Draining or Overloaded at once instead of waiting."""
        if self.draining:
            self.refused += 1
            self._observer.shed("draining")
            raise Draining("the server is stopping")
        if self.inflight >= self._limit:
            self._observer.shed("overloaded")
            limit = str(self._limit)
            raise Overloaded(f"{limit} judgments are under way, the most", {"limit": limit})
        self._count(1)
        try:
            yield
        finally:
            self._count(-1)

    async def idle(self) -> None:
        """Wait until no judgment is under way."""
        if self.inflight:
            self._idle = self._idle or anyio.Event()
            await self._idle.wait()

    def _count(self, change: int) -> None:
        self.inflight += change
        self._observer.inflight(self.inflight)
        if self.inflight == 0 and self._idle is not None:
            self._idle.set()
            self._idle = None
