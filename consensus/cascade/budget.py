"""The time that is left for a decision."""

from consensus.domain.ports import Clock


class Budget:
    """Counts down from the moment it is made."""

    def __init__(self, clock: Clock, seconds: float) -> None:
        self._clock = clock
        self._end = clock.monotonic() + seconds
        self.missed = False
        """Whether it ended before every seat had answered; whoever waited for them tells."""

    def left(self) -> float:
        """Return the seconds that are left, at least 0."""
        return max(self._end - self._clock.monotonic(), 0.0)

    def part(self, share: float) -> "Budget":
        """Return a budget of its own, which is this share (0 to 1) of what is left."""
        return Budget(self._clock, self.left() * share)

    def reserve(self, seconds: float) -> float:
        """Return what is left less `seconds` for later work, but at least half of it."""
        left = self.left()
        return max(left - seconds, left / 2)
