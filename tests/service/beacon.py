"""A counter that tests wait for instead of sleeping."""

import anyio

PATIENCE_SECONDS = 60.0
"""Far more than anything here takes: it ends a test that would hang, and times nothing."""


class Beacon:
    """Counts what happens and lets a test wait for it."""

    def __init__(self) -> None:
        self.count = 0
        self._changed = anyio.Event()

    def light(self) -> None:
        """Count one more."""
        self.count += 1
        self._changed.set()
        self._changed = anyio.Event()

    async def reaches(self, count: int = 1) -> None:
        """Wait until it has happened `count` times."""
        with anyio.fail_after(PATIENCE_SECONDS):
            while self.count < count:
                await self._changed.wait()
