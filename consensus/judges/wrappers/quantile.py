"""How long calls take: quantiles of the latest ones."""

from bisect import bisect_left, insort
from collections import deque

LEAST = 10
"""Fewer values have no quantile."""


class Quantiles:
    """Exact quantiles of the latest `size` values, kept in order.

    A window and not an estimator such as P2: it is exact, and it forgets what a backend was like
    before. Adding takes about a microsecond.
    """

    def __init__(self, size: int = 256) -> None:
        """`size` is at least LEAST."""
        self._latest: deque[float] = deque(maxlen=size)
        self._ordered: list[float] = []

    def add(self, value: float) -> None:
        """Take in one finite value; beyond `size` the oldest leaves."""
        if len(self._latest) == self._latest.maxlen:
            del self._ordered[bisect_left(self._ordered, self._latest[0])]
        self._latest.append(value)
        insort(self._ordered, value)

    def at(self, share: float) -> float | None:
        """Return the quantile at `share`, 0 to 1, between two values in proportion; None below
        LEAST values.
        """
        if len(self._ordered) < LEAST:
            return None
        place = share * (len(self._ordered) - 1)
        below = int(place)
        low = self._ordered[below]
        high = self._ordered[min(below + 1, len(self._ordered) - 1)]
        return low + (high - low) * (place - below)
