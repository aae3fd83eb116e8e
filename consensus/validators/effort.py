"""Bounds the work of all checks of one submission, so that no input can hold up the service."""

from consensus.domain.errors import ConsensusError

STEPS = 30_000_000
"""Steps for the checks of one submission; RE2 at its worst takes 11 ns for one, 0.3 s in all."""


class EffortSpentError(ConsensusError):
    """The checks of one submission have used up their effort."""


class Effort:
    """Counts down the steps that checks may still take."""

    def __init__(self, steps: int = STEPS) -> None:
        self.left = steps

    def spend(self, steps: int) -> None:
        """Take `steps` off; raises EffortSpentError when there are not as many left."""
        if steps > self.left:
            raise EffortSpentError(f"needs {steps} steps, {self.left} are left")
        self.left -= steps
