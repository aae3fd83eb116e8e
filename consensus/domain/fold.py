"""What the arithmetic hands over: one panel's numbers, and intervals that hold them."""

from msgspec import Struct

ROUNDING = 1e-9
"""Slack of every inclusive bound, far below any meant difference: (.65 + .75 + .7) / 3 is
0.6999999999999998 in doubles, and must pass a gate of 0.7."""


def reaches(value: float, bound: float) -> bool:
    """Tell whether `value` >= `bound`, less rounding."""
    return value >= bound - ROUNDING


class Folded(Struct, frozen=True, kw_only=True):
    """One panel's numbers, with at least one scored seat of positive weight."""

    final: float
    """Folded score, 0 to 1."""
    confidence: float
    """Consensus confidence, 0 to 1."""
    agreement: float | None
    """0 to 1; None with fewer than two scored seats of positive weight."""
    coverage: float
    """Share of the configured weight that scored, 0 to 1."""
    tie: bool = False


class Interval(Struct, frozen=True):
    """Every value from `low` to `high`, both inclusive."""

    low: float
    high: float

    def always_reaches(self, bound: float) -> bool:
        """Tell whether every value reaches `bound`."""
        return reaches(self.low, bound)

    def never_reaches(self, bound: float) -> bool:
        """Tell whether no value reaches `bound`."""
        return not reaches(self.high, bound)


class Bounds(Struct, frozen=True, kw_only=True):
    """Intervals over all ways in which the outstanding seats could still answer, or not."""

    final: Interval
    confidence: Interval
    agreement: Interval
    """Holds the agreement of every completion that has one."""
    agreement_certain: bool
    """Whether every completion has an agreement."""
