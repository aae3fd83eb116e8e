"""THE SWEEP: when the process looks for garbage, so that judgments seldom wait for it.

Python frees nearly all by itself; what has to be looked for are cycles: a small one for each call
of grpc.aio, and those of failed calls in libraries, which may hold a whole request.
"""

import gc
import os
from collections.abc import Callable
from pathlib import Path

YOUNG = 20_000
"""New objects, less those let go, after which the new ones are looked at, for some 20 ms. Python's
own 700 took a third of the processor with 10,000 calls under way, all of them alive."""
OLD = 1_000
"""Such looks after which the older objects are looked at too. With 2,000 judgments under way that
takes a second in which nobody is answered; Python's own 10 made it happen every few seconds.
"""
GROWTH = 2.0
"""Where the process has grown so many times since the last sweep, it may well be by garbage: a
count of objects says nothing about how large they are."""
_STATM = Path("/proc/self/statm")


def resident_bytes() -> int:
    """Return the memory that the process takes; 0 where the system does not tell."""
    try:
        return int(_STATM.read_text("ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return 0


class Sweeper:
    """Looks at everything in idle moments, and in a busy one where memory has grown much."""

    def __init__(self, memory: Callable[[], int] = resident_bytes) -> None:
        """Look seldom from now on, and never at what start-up made: it stays."""
        gc.set_threshold(YOUNG, OLD)
        gc.freeze()
        self._memory = memory
        self._swept = memory()

    def look(self, *, idle: bool) -> None:
        """Sweep if it is worth it; to be called now and then. `idle`: nobody waits."""
        grown = self._memory() > self._swept * GROWTH
        if grown or (idle and gc.get_count()[1]):
            gc.collect()
            self._swept = self._memory()
