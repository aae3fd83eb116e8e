"""What the habits of judges tell of themselves."""

from typing import Protocol


class HabitObserver(Protocol):
    """Is told what habits do, and must not wait or raise."""

    def limited(self, judge: str, concurrency: int) -> None:
        """At most so many calls of this judge are under way at a time."""
        ...

    def waiting(self, judge: str, change: int) -> None:
        """A call has begun (1) or ceased (-1) to wait for its place."""
        ...

    def retried(self, judge: str, reason: str) -> None:
        """A call is made again after a failure of this kind."""
        ...

    def hedged(self, judge: str, result: str) -> None:
        """A hedge has ended: `won`, `lost`, `failed` or `cancelled` with its caller."""
        ...

    def hedging_delay(self, judge: str, seconds: float) -> None:
        """A call later than this is late."""
        ...

    def breaker(self, judge: str, state: str) -> None:
        """The breaker is now `closed`, `open` or `half_open`."""
        ...

    def constant(self, judge: str, what: str, suspicious: bool) -> None:
        """Whether the judge's `score` never changes, or its `confidence` is always full."""
        ...

    def cached(self, judge: str, result: str) -> None:
        """An answer was looked up: `hit`, `miss`, or `shared` with a call under way."""
        ...

    def called(self, target: str, items: int) -> None:
        """A call to the judges of a target was sent, for so many submissions."""
        ...


class _Unobserved:
    """Lets everything pass."""

    def limited(self, judge: str, concurrency: int) -> None:
        """Let it pass."""

    def waiting(self, judge: str, change: int) -> None:
        """Let it pass."""

    def retried(self, judge: str, reason: str) -> None:
        """Let it pass."""

    def hedged(self, judge: str, result: str) -> None:
        """Let it pass."""

    def hedging_delay(self, judge: str, seconds: float) -> None:
        """Let it pass."""

    def breaker(self, judge: str, state: str) -> None:
        """Let it pass."""

    def constant(self, judge: str, what: str, suspicious: bool) -> None:
        """Let it pass."""

    def cached(self, judge: str, result: str) -> None:
        """Let it pass."""

    def called(self, target: str, items: int) -> None:
        """Let it pass."""


UNOBSERVED: HabitObserver = _Unobserved()
"""For where nobody looks, such as the commands."""
