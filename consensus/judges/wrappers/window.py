"""Breaker: the latest calls, how many of them failed, and how long callers would wait."""

from collections import deque

from msgspec import Struct

_SLICES = 10
"""Of the window; old calls leave it by the slice."""


class _Slice(Struct):
    """A tenth of the window."""

    began: float
    calls: int = 0
    failures: int = 0
    longest: float = 0.0


class Window:
    """Calls, failures and time-outs of the latest `seconds`."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._slices: deque[_Slice] = deque()  # oldest first

    def asked(self, now: float, timeout_seconds: float) -> None:
        """Note how long a caller would wait, whether or not its call is made."""
        latest = self._latest(now)
        latest.longest = max(latest.longest, timeout_seconds)

    def longest(self, now: float) -> float:
        """Return the longest time-out; 0 where nobody has asked."""
        self._forget(now)
        return max((each.longest for each in self._slices), default=0.0)

    def add(self, now: float, failed: bool) -> None:
        """Count one call."""
        latest = self._latest(now)
        latest.calls += 1
        latest.failures += failed

    def counted(self, now: float) -> tuple[int, int]:
        """Return how many calls there were, and how many of them failed."""
        self._forget(now)
        return sum(each.calls for each in self._slices), sum(each.failures for each in self._slices)

    def clear(self) -> None:
        """Forget the calls; how long callers would wait stays true."""
        for each in self._slices:
            each.calls = each.failures = 0

    def _latest(self, now: float) -> "_Slice":
        self._forget(now)
        if not self._slices or now - self._slices[-1].began >= self._seconds / _SLICES:
            self._slices.append(_Slice(now))
        return self._slices[-1]

    def _forget(self, now: float) -> None:
        while self._slices and now - self._slices[0].began >= self._seconds:
            self._slices.popleft()
