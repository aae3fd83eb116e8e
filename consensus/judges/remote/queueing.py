"""Judges behind gRPC: the calls that wait for a batch, and which of them may share one.

A batch is answered as a whole, when its slowest item is. So a judge that takes long shares none
with other judges: that would cost early settlement, and quick judges their time-outs.
"""

from collections.abc import Iterator

from consensus.domain.judges import BatchLimits
from consensus.judges.remote.flights import Flight, Item
from consensus.judges.remote.framing import FRAMING_BYTES

SLOW_SECONDS = 0.25
"""A judge is slow while its calls take longer than this."""


class Queue:
    """Items in order of arrival."""

    def __init__(self, limits: BatchLimits) -> None:
        self._limits = limits
        self._items: dict[Item, None] = {}
        self._slow: set[bytes] = set()

    def __len__(self) -> int:
        return len(self._items)

    def __iter__(self) -> Iterator[Item]:
        return iter(self._items)

    def add(self, item: Item) -> None:
        """Let an item wait."""
        self._items[item] = None

    def discard(self, item: Item) -> None:
        """Forget an item, if it waits."""
        self._items.pop(item, None)

    def take_all(self) -> list[Item]:
        """Return every item; none waits any more."""
        items = list(self._items)
        self._items.clear()
        return items

    def take_batch(self) -> list[Item]:
        """Return the items of the next batch: at least one, and none waits any more."""
        items: list[Item] = []
        room, most = self._limits.max_bytes, self._limits.max_items
        for item in self._items:
            if self._slow and items and self._apart(items[0], item):
                continue
            room -= len(item.head) + len(item.body) + FRAMING_BYTES
            if items and (room < 0 or len(items) == most):
                break
            items.append(item)
        for item in items:
            del self._items[item]
        return items

    def landed(self, flight: Flight, seconds: float) -> None:
        """Learn from a call that is over which judges are slow."""
        heads = {item.head for item in flight.items}
        if seconds > SLOW_SECONDS:
            self._slow |= heads
        else:
            self._slow -= heads

    def _apart(self, one: Item, other: Item) -> bool:
        return one.head != other.head and not self._slow.isdisjoint((one.head, other.head))
