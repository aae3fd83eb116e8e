"""Idempotency: within a window, the same request_id with the same content gets the same decision.

Kept in memory, for this process alone.
"""

import hashlib
from collections import OrderedDict
from collections.abc import Awaitable, Callable

from msgspec import Struct

from consensus.domain.errors import RequestIdReused, RequestInProgress
from consensus.domain.ports import Clock

WINDOW_SECONDS = 600.0
MAX_BYTES = 16 << 20
"""Most memory for remembered decisions; the oldest are forgotten first."""


class _Entry(Struct):
    digest: bytes
    time: float
    reply: bytes | None = None
    """None while the request is being judged."""


class Replays:
    """Remembers decisions by request_id."""

    def __init__(self, clock: Clock, on_replay: Callable[[], None]) -> None:
        self._clock = clock
        self._on_replay = on_replay
        self._entries: OrderedDict[str, _Entry] = OrderedDict()
        self._bytes = 0

    async def once(
        self, request_id: str, content: bytes, judge: Callable[[], Awaitable[bytes]]
    ) -> bytes:
        """Return `judge`'s reply, or the earlier one to the same content.

        Raises RequestIdReused (other content) and RequestInProgress. A failure is not remembered.
        """
        digest = hashlib.sha256(content).digest()
        self._forget()
        entry = self._entries.get(request_id)
        if entry is not None:
            return self._earlier(request_id, entry, digest)
        entry = self._entries[request_id] = _Entry(digest, self._clock.monotonic())
        try:
            entry.reply = await judge()
        except BaseException:
            del self._entries[request_id]
            raise
        self._bytes += len(entry.reply)
        self._forget()
        return entry.reply

    def _earlier(self, request_id: str, entry: _Entry, digest: bytes) -> bytes:
        if entry.digest != digest:
            words = f"request_id {request_id!r} came with other content before"
            raise RequestIdReused(words, {"request_id": request_id})
        if entry.reply is None:
            words = f"request_id {request_id!r} is being judged"
            raise RequestInProgress(words, {"request_id": request_id})
        self._on_replay()
        return entry.reply

    def _forget(self) -> None:
        """Drop what is older than the window or above the memory, oldest first."""
        oldest = self._clock.monotonic() - WINDOW_SECONDS
        stale: list[str] = []
        for request_id, entry in self._entries.items():
            if entry.reply is None:
                continue
            if entry.time >= oldest and self._bytes <= MAX_BYTES:
                break
            self._bytes -= len(entry.reply)
            stale.append(request_id)
        for request_id in stale:
            del self._entries[request_id]
