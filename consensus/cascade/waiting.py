"""Runs the seats that wait side by side, as plain tasks: a task group of anyio with a scope for
each seat takes 230 us for five seats where these take 50, as much as all the rest of a judgment.
"""

import asyncio
from collections.abc import Callable, Coroutine, Sequence

import anyio

CLEANUP_SECONDS = 0.25
"""How long a cancelled judge may tidy up. One that holds out longer is not waited for."""

_abandoned: set["asyncio.Task[None]"] = set()
"""Tasks that ignore their cancellation: kept, or the loop would lose them half-way."""

Work = Coroutine[object, object, None]


class SideBySide:
    """Tasks that end together: all done, enough done, out of time, or the caller gone."""

    def __init__(
        self, work: Sequence[tuple[Work, float | None]], enough: Callable[[], bool] | None
    ) -> None:
        """Start each piece of work; it is cancelled after so many seconds of its own.

        `enough` is asked after each end while others are open; None never has enough.
        """
        self.stopping = False
        """Whether what is open is being cancelled because it is not waited for any more."""
        self._loop = asyncio.get_running_loop()
        self._enough = enough
        self._tasks = [self._loop.create_task(piece) for piece, _ in work]
        self._open = len(self._tasks)
        self._over = False
        self._wake = self._loop.create_future()
        together: dict[float, list[asyncio.Task[None]]] = {}
        for task, (_, seconds) in zip(self._tasks, work, strict=True):
            task.add_done_callback(self._ended)
            if seconds is not None:
                together.setdefault(seconds, []).append(task)
        self._timers = [
            self._loop.call_later(seconds, _cancel, tasks) for seconds, tasks in together.items()
        ]

    async def run(self, seconds: float) -> bool:
        """Wait until all have ended, it is enough (True), or `seconds` are over. Nothing outlives
        the call, whoever ends it.
        """
        self._timers.append(self._loop.call_later(seconds, self._out_of_time))
        try:
            while self._open and not self._over:
                await self._wake
                self._wake = self._loop.create_future()
                if self._open and self._enough is not None and self._enough():
                    return True
            return False
        finally:
            for timer in self._timers:
                timer.cancel()
            if self._open:
                await self._stop()

    def _ended(self, task: "asyncio.Task[None]") -> None:
        self._open -= 1
        if (self._enough is not None or not self._open) and not self._wake.done():
            self._wake.set_result(None)

    def _out_of_time(self) -> None:
        self._over = True
        if not self._wake.done():
            self._wake.set_result(None)

    async def _stop(self) -> None:
        self.stopping = True
        open_tasks = [task for task in self._tasks if not task.done()]
        if not open_tasks:
            return
        _cancel(open_tasks)
        with anyio.CancelScope(shield=True):  # whoever waits may be cancelled by a scope of anyio
            _, holding_out = await asyncio.wait(open_tasks, timeout=CLEANUP_SECONDS)
        for task in holding_out:
            _abandoned.add(task)
            task.add_done_callback(_abandoned.discard)


def _cancel(tasks: "Sequence[asyncio.Task[None]]") -> None:
    for task in tasks:
        task.cancel()
