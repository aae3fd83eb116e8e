"""What every habit is: a judge that waits, around another one of the same name."""

from typing import Literal

from consensus.domain.evaluation import Evaluation
from consensus.domain.ports import Clock, WaitingJudge
from consensus.judges.wrappers.observer import HabitObserver


class Wrapper:
    """A judge that asks another one. Habits differ in `evaluate` alone."""

    waits: Literal[True] = True
    most_calls = 1
    """Most calls of the judge within for one answer."""

    def __init__(self, judge: WaitingJudge, clock: Clock, observer: HabitObserver) -> None:
        self.name = judge.name
        self.kind = judge.kind
        self.description = judge.description
        self.within = judge
        self._clock = clock
        self._observer = observer

    async def close(self, grace_seconds: float) -> None:
        """Close the judge within."""
        await self.within.close(grace_seconds)


class Attempts:
    """Counts the calls of one evaluation, also for judges that write no attempts themselves."""

    def __init__(self, evaluation: Evaluation, judge: str) -> None:
        self._ledger = evaluation.ledger(judge)
        self._before = self._ledger.attempts
        self.made = 1

    def write(self) -> None:
        """Write them down, where the judge has not done so.

        Only once the calls have ended: a judge that counts for itself would count from here.
        """
        self._ledger.attempts = max(self._ledger.attempts, self._before + self.made)
