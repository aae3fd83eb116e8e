"""Breaker: no calls for a while to a judge that keeps failing."""

import asyncio
from random import Random

from consensus.domain.errors import JudgeFailed
from consensus.domain.evaluation import Evaluation
from consensus.domain.gradient import Answer, FailureKind
from consensus.domain.judges import BreakerHabit
from consensus.domain.ports import Clock, WaitingJudge
from consensus.judges.wrappers.limit import NoPlace
from consensus.judges.wrappers.observer import HabitObserver
from consensus.judges.wrappers.suspicion import Suspicion
from consensus.judges.wrappers.window import Window
from consensus.judges.wrappers.wrapper import Wrapper

CLOSED, OPEN, HALF_OPEN = "closed", "open", "half_open"
JITTER = 0.2
"""An open breaker stays so for up to this share longer, lest all replicas probe at once."""
_LATE = 0.95
"""A call cancelled after this share of its time-out was late, not unwanted."""
_HASTY = 0.5
"""A call given less than this share of the window's longest time-out is late by its caller."""
_NO_WORD = (FailureKind.RATE_LIMITED, FailureKind.SPEND_LIMIT)
"""Says nothing about the backend's health."""
_ANSWERS = (FailureKind.REFUSED, FailureKind.FILTERED)
"""The backend is well; else one caller's submissions could take the judge away from all."""


class Breaker(Wrapper):
    """Sees what became of each call after its retry and hedge."""

    def __init__(
        self,
        judge: WaitingJudge,
        habit: BreakerHabit,
        clock: Clock,
        observer: HabitObserver,
        random: Random,
    ) -> None:
        super().__init__(judge, clock, observer)
        self._habit = habit
        self._random = random
        self._window = Window(habit.window_seconds)
        self._suspicion = Suspicion(self.name, observer)
        self._openings = 0
        """In a row; each doubles the wait."""
        self._era = 0
        """Counts changes of state: what began in an earlier one is not held against this one."""
        self._probe_at = 0.0
        self._probing = False
        self._become(CLOSED)

    async def evaluate(self, evaluation: Evaluation, timeout_seconds: float) -> Answer:
        """Ask, unless the breaker is open. Raises JudgeFailed (BREAKER_OPEN) at once."""
        began = self._clock.monotonic()
        self._window.asked(began, timeout_seconds)
        probing = self._admit(began)
        era = self._era
        failed: bool | None = True  # anything that is not told apart below is a crash
        try:
            answer = await self.within.evaluate(evaluation, timeout_seconds)
            failed = False
        except JudgeFailed as failure:
            failed = self._failed(failure, timeout_seconds)
            raise
        except asyncio.CancelledError:
            failed = self._cancelled(self._clock.monotonic() - began, timeout_seconds)
            raise
        finally:
            if probing:
                self._probed(failed)
            elif failed is not None and era == self._era:
                self._count(failed)
        self._suspicion.look(evaluation.submission, answer)
        return answer

    def _admit(self, now: float) -> bool:
        """Return whether this call is the probe. Raises JudgeFailed where it may not be made."""
        if self._state == CLOSED:
            return False
        if self._probing or now < self._probe_at:
            raise JudgeFailed(FailureKind.BREAKER_OPEN, "not asked: it kept failing")
        self._become(HALF_OPEN)
        self._probing = True
        return True

    def _failed(self, failure: JudgeFailed, timeout_seconds: float) -> bool | None:
        """Tell whether the backend failed; None where nothing is known."""
        if isinstance(failure, NoPlace) or failure.about_submission or failure.kind in _NO_WORD:
            return None
        if failure.kind is FailureKind.TIMEOUT:
            return self._late(timeout_seconds)
        return failure.kind not in _ANSWERS

    def _cancelled(self, took_seconds: float, timeout_seconds: float) -> bool | None:
        if took_seconds >= _LATE * timeout_seconds:
            return self._late(timeout_seconds)
        task = asyncio.current_task()
        wanted = task is not None and task.cancelling() > 0
        return None if wanted else True

    def _late(self, timeout_seconds: float) -> bool | None:
        longest = self._window.longest(self._clock.monotonic())
        return True if timeout_seconds >= _HASTY * longest else None

    def _count(self, failed: bool) -> None:
        now, habit = self._clock.monotonic(), self._habit
        self._window.add(now, failed)
        if not failed:
            return
        calls, failures = self._window.counted(now)
        if calls >= habit.min_calls and failures >= habit.failure_share * calls:
            self._open(now)

    def _probed(self, failed: bool | None) -> None:
        self._probing = False
        if failed:
            self._open(self._clock.monotonic())
        elif failed is False:
            self._openings = 0
            self._become(CLOSED)
        # else the next call is the next probe

    def _open(self, now: float) -> None:
        habit = self._habit
        seconds = min(habit.open_seconds * 2.0**self._openings, habit.max_open_seconds)
        self._openings = min(self._openings + 1, 64)
        self._probe_at = now + seconds * (1.0 + self._random.uniform(0.0, JITTER))
        self._window.clear()
        self._become(OPEN)

    def _become(self, state: str) -> None:
        self._state = state
        self._era += 1
        self._observer.breaker(self.name, state)
