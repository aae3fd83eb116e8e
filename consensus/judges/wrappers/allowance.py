"""How many calls more than one each a habit may make."""

_ROUNDING = 1e-9
"""Twenty times 0.05 is 1."""


class Allowance:
    """Extra calls as a share of the calls. Never more than `share` of all calls plus `floor`."""

    def __init__(self, share: float, floor: float, most: float = 10.0) -> None:
        """`floor` is there from the start; no more than `most`, at least `floor`, is ever saved
        up, so that a quiet day does not pay for a storm.
        """
        self._share = share
        self._saved = floor
        self._most = most

    def earn(self) -> None:
        """Count one call."""
        self._saved = min(self._saved + self._share, self._most)

    def has(self) -> bool:
        """Tell whether an extra call is allowed now."""
        return self._saved >= 1.0 - _ROUNDING

    def spend(self) -> bool:
        """Take an extra call; False where none is allowed."""
        if not self.has():
            return False
        self._saved -= 1.0
        return True
