"""Retry: one more call after a passing failure, where time and budget allow."""

import asyncio
from random import Random

from consensus.domain.errors import JudgeFailed
from consensus.domain.evaluation import Evaluation
from consensus.domain.gradient import Answer, FailureKind
from consensus.domain.judges import RetryHabit
from consensus.domain.ports import Clock, WaitingJudge
from consensus.judges.wrappers.allowance import Allowance
from consensus.judges.wrappers.observer import HabitObserver
from consensus.judges.wrappers.quantile import Quantiles
from consensus.judges.wrappers.wrapper import Attempts, Wrapper

FLOOR = 3.0
"""Retries that are allowed before the first calls have earned any."""
_PASSING = (
    FailureKind.TIMEOUT,
    FailureKind.ERROR,
    FailureKind.OVERLOADED,
    FailureKind.RATE_LIMITED,
)
"""Other kinds are about the submission, the reply or the money: they would be the same again."""


class Retry(Wrapper):
    """Calls a second time, never a third."""

    most_calls = 2

    def __init__(
        self,
        judge: WaitingJudge,
        habit: RetryHabit,
        clock: Clock,
        observer: HabitObserver,
        random: Random,
    ) -> None:
        super().__init__(judge, clock, observer)
        self._most_jitter = min(habit.cap_seconds, habit.base_seconds * 2)
        self._random = random
        self._allowance = Allowance(habit.budget_share, FLOOR)
        self._took = Quantiles()

    async def evaluate(self, evaluation: Evaluation, timeout_seconds: float) -> Answer:
        """Ask, at most twice, within the time-out. Raises JudgeFailed."""
        ends = self._clock.monotonic() + timeout_seconds
        attempts = Attempts(evaluation, self.name)
        self._allowance.earn()
        try:
            try:
                return await self._ask(evaluation, timeout_seconds)
            except JudgeFailed as failure:
                wait = self._wait(failure, ends - self._clock.monotonic())
                if wait is None:
                    raise
                self._observer.retried(self.name, failure.kind.value)
            await asyncio.sleep(wait)
            attempts.made = 2
            return await self._ask(evaluation, ends - self._clock.monotonic())
        finally:
            attempts.write()

    async def _ask(self, evaluation: Evaluation, timeout_seconds: float) -> Answer:
        began = self._clock.monotonic()
        answer = await self.within.evaluate(evaluation, timeout_seconds)
        self._took.add(self._clock.monotonic() - began)
        return answer

    def _wait(self, failure: JudgeFailed, left_seconds: float) -> float | None:
        """Return how long to wait before the retry; None where there is to be none.

        Raises JudgeFailed (RATE_LIMITED) where the backend asks for more time than there is.
        """
        if not failure.passing or failure.kind not in _PASSING:
            return None
        asked, left = failure.retry_after_seconds or 0.0, max(left_seconds, 0.0)
        if asked > left:
            words = f"the backend wants {asked:.3g} s of rest; {left:.3g} s are left"
            raise JudgeFailed(FailureKind.RATE_LIMITED, words) from None
        # On top of what it asked for: else all that it turned away come back at once.
        wait = asked + self._random.uniform(0.0, self._most_jitter)
        usual = self._took.at(0.5) or 0.0
        return wait if wait + usual < left and self._allowance.spend() else None
