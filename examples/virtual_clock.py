"""Virtual time: an event loop that never sleeps, and the Clock that reads it.

When nothing is ready to run, time jumps to the next timer. An hour takes no time, and every
duration in it is exact. The tests run on it too.
"""

import asyncio
import datetime
import selectors

EPOCH = datetime.datetime(2026, 1, 1, tzinfo=datetime.UTC)


class _Jumping(selectors.DefaultSelector):
    """A selector that lets time pass instead of waiting."""

    def __init__(self) -> None:
        super().__init__()
        self.now = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        ready = super().select(0)
        if ready or timeout == 0:
            return ready
        if timeout is None:
            raise RuntimeError("nothing can ever happen: every task waits, and no timer is set")
        self.now += timeout
        return ready


class VirtualLoop(asyncio.SelectorEventLoop):
    """An event loop whose time is virtual. It starts at 0 s."""

    def __init__(self) -> None:
        self._jumping = _Jumping()
        super().__init__(self._jumping)
        self._clock_resolution = 1e-9  # takes up the rounding of now + (when - now)

    def time(self) -> float:
        """Return the virtual seconds since the loop was made."""
        return self._jumping.now

    def pass_time(self, seconds: float) -> None:
        """Let so many seconds go by at once."""
        self._jumping.now += seconds


class VirtualClock:
    """The Clock of whatever event loop is running."""

    def monotonic(self) -> float:
        """Return the virtual seconds since the loop was made."""
        return asyncio.get_running_loop().time()

    def now(self) -> datetime.datetime:
        """Return the virtual moment in UTC."""
        return EPOCH + datetime.timedelta(seconds=self.monotonic())
