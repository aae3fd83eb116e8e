"""Bounds the work of all checks of one submission, so that no input can hold up the service."""

from consensus.domain.errors import ConsensusError

STEPS = 50_000_000
"""Steps for the checks of one submission. A step is 10 ns of the worst input that could be found
for each kind of work (15 ns for RE2), so all of them take about half a second at the very worst."""


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

    def give_back(self, steps: int) -> None:
        """Return what was set aside and not used."""
        self.left += steps
