"""Runs the seats that wait side by side, as plain tasks: a task group of anyio with a scope for
each seat takes 230 us for five seats where these take 50, as much as all the rest of a judgment.
"""

import asyncio
from collections.abc import Callable, Sequence
from functools import partial

import anyio

CLEANUP_SECONDS = 0.25
"""How long a cancelled judge may tidy up. One that holds out longer is not waited for."""

Work = asyncio.Future[None]

_abandoned: set[Work] = set()
"""Tasks that ignore their cancellation: kept, or the loop would lose them half-way."""


class SideBySide:
    """Tasks and other futures that end together: all done, enough done, out of time, or the caller
    gone.
    """

    def __init__(self, enough: Callable[[], bool] | None) -> None:
        """`enough` is asked after each end while others are open; None never has enough."""
        self.stopping = False
        """Whether what is open is being cancelled because it is not waited for any more."""
        self._loop = asyncio.get_running_loop()
        self._enough = enough
        self._futures: list[Work] = []
        self._open = 0
        self._over = False
        self._wake = self._loop.create_future()
        self._together: dict[float, list[Work]] = {}

    def add(
        self, future: Work, seconds: float | None, then: Callable[[Work], None] | None = None
    ) -> None:
        """Wait for this too; it is cancelled after so many seconds of its own.

        `then` is called with it once it has ended, before anyone is told.
        """
        self._open += 1
        self._futures.append(future)
        future.add_done_callback(partial(self._ended, then) if then else self._ended_alone)
        if seconds is not None:
            self._together.setdefault(seconds, []).append(future)

    async def run(self, seconds: float) -> bool:
        """Wait until all have ended, it is enough (True), or `seconds` are over. Nothing outlives
        the call, whoever ends it.
        """
        timers = [
            self._loop.call_later(own, _cancel, futures) for own, futures in self._together.items()
        ]
        timers.append(self._loop.call_later(seconds, self._out_of_time))
        try:
            while self._open and not self._over:
                await self._wake
                self._wake = self._loop.create_future()
                if self._open and self._enough is not None and self._enough():
                    return True
            return False
        finally:
            for timer in timers:
                timer.cancel()
            if self._open:
                await self._stop()
            # A cancelled one holds its frames, and they, by way of the panel, this.
            self._futures.clear()
            self._together.clear()

    def _ended(self, then: Callable[[Work], None], future: Work) -> None:
        then(future)
        self._ended_alone(future)

    def _ended_alone(self, future: Work) -> None:
        self._open -= 1
        if (self._enough is not None or not self._open) and not self._wake.done():
            self._wake.set_result(None)

    def _out_of_time(self) -> None:
        self._over = True
        if not self._wake.done():
            self._wake.set_result(None)

    async def _stop(self) -> None:
        self.stopping = True
        waited_for = [future for future in self._futures if not future.done()]
        if not waited_for:
            return
        _cancel(waited_for)
        with anyio.CancelScope(shield=True):  # whoever waits may be cancelled by a scope of anyio
            _, holding_out = await asyncio.wait(waited_for, timeout=CLEANUP_SECONDS)
        for future in holding_out:
            _abandoned.add(future)
            future.add_done_callback(_abandoned.discard)


def _cancel(futures: Sequence[Work]) -> None:
    for future in futures:
        future.cancel()
