"""The budget of a call: the caller's deadline, within limits, less a reserve for answering."""

import asyncio

from msgspec import Struct

from consensus.domain.errors import BudgetSpent

RESERVE_SECONDS = 0.1
RESERVE_SHARE = 0.02
MAX_RESERVE_SHARE = 0.25
"""Short deadlines are not eaten up by the reserve."""
LEAST_SECONDS = 0.002
"""Below this no judge could answer."""


class DeadlineLimits(Struct, frozen=True):
    """Deadlines that the server applies."""

    default_seconds: float
    """For calls that set none."""
    max_seconds: float

    def budget(self, remaining: float | None) -> float:
        """Return the seconds for judging. Raises BudgetSpent when there are too few.

        budget = min(remaining or default, max) - min(max(0.1 s, 2 %), 25 %).
        """
        seconds = min(self.default_seconds if remaining is None else remaining, self.max_seconds)
        reserve = min(max(RESERVE_SECONDS, RESERVE_SHARE * seconds), MAX_RESERVE_SHARE * seconds)
        if seconds - reserve < LEAST_SECONDS:
            raise _spent(seconds)
        return seconds - reserve


class Countdown:
    """A budget that runs down while the items of a batch wait for their turn."""

    def __init__(self, seconds: float) -> None:
        self._time = asyncio.get_running_loop().time
        self._end = self._time() + seconds

    def left(self) -> float:
        """Return the seconds that are left. Raises BudgetSpent when there are too few."""
        seconds = self._end - self._time()
        if seconds < LEAST_SECONDS:
            raise _spent(seconds)
        return seconds


def _spent(seconds: float) -> BudgetSpent:
    left = f"{max(seconds, 0.0):.3f}"
    return BudgetSpent(f"{left} s are left, too little to judge", {"left_seconds": left})
