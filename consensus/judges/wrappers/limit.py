"""Limit: at most so many calls of one judge at a time; more wait their turn, and not for long."""

import asyncio

from consensus.domain.errors import JudgeFailed
from consensus.domain.evaluation import Evaluation
from consensus.domain.gradient import Answer, FailureKind
from consensus.domain.judges import LimitHabit
from consensus.domain.ports import Clock, WaitingJudge
from consensus.judges.wrappers.observer import HabitObserver
from consensus.judges.wrappers.wrapper import Wrapper


class NoPlace(JudgeFailed):
    """The judge was not asked: every place was taken. Says nothing about its backend."""

    def __init__(self, concurrency: int, waited_seconds: float) -> None:
        words = f"no place among {concurrency} within {waited_seconds:.3g} s"
        super().__init__(FailureKind.OVERLOADED, words)


class Limit(Wrapper):
    """Gives places in the order of asking."""

    def __init__(
        self, judge: WaitingJudge, habit: LimitHabit, clock: Clock, observer: HabitObserver
    ) -> None:
        super().__init__(judge, clock, observer)
        self._habit = habit
        self._places = asyncio.Semaphore(habit.concurrency)
        observer.limited(self.name, habit.concurrency)
        observer.waiting(self.name, 0)

    async def evaluate(self, evaluation: Evaluation, timeout_seconds: float) -> Answer:
        """Ask once there is a place. Raises NoPlace after `max_wait_share` of the time-out."""
        if self._places.locked():
            timeout_seconds -= await self._wait(timeout_seconds * self._habit.max_wait_share)
        else:
            await self._places.acquire()  # without waiting
        try:
            return await self.within.evaluate(evaluation, timeout_seconds)
        finally:
            self._places.release()

    async def _wait(self, most_seconds: float) -> float:
        """Take a place; returns the seconds that this took."""
        began = self._clock.monotonic()
        self._observer.waiting(self.name, 1)
        try:
            async with asyncio.timeout(most_seconds):
                await self._places.acquire()
        except TimeoutError:
            raise NoPlace(self._habit.concurrency, most_seconds) from None
        finally:
            self._observer.waiting(self.name, -1)
        return self._clock.monotonic() - began
