"""Hedge: a second call where the first is later than usual; the first good answer counts."""

import asyncio
from collections import deque

import anyio

from consensus.domain.errors import JudgeFailed
from consensus.domain.evaluation import Evaluation
from consensus.domain.gradient import Answer, FailureKind
from consensus.domain.judges import HedgeHabit
from consensus.domain.ports import Clock, WaitingJudge
from consensus.judges.wrappers.allowance import Allowance
from consensus.judges.wrappers.observer import HabitObserver
from consensus.judges.wrappers.quantile import Quantiles
from consensus.judges.wrappers.wrapper import Attempts, Wrapper

FLOOR = 1.0
"""Hedges that are allowed before the first calls have earned any."""
WATCHED_CALLS = 40
MOST_LATE = 10
"""With more late calls among those watched the backend is slow as a whole: no hedges."""
GRACE_SECONDS = 0.25
"""A cancelled call that goes on for longer is no longer waited for."""

_Call = asyncio.Task[Answer]


class Hedge(Wrapper):
    """Learns from its own calls when one is late."""

    most_calls = 2

    def __init__(
        self, judge: WaitingJudge, habit: HedgeHabit, clock: Clock, observer: HabitObserver
    ) -> None:
        super().__init__(judge, clock, observer)
        self._quantile = habit.quantile
        self._allowance = Allowance(habit.max_share, FLOOR)
        self._took = Quantiles()
        self._late: deque[bool] = deque(maxlen=WATCHED_CALLS)
        self._under_way: set[_Call] = set()

    async def evaluate(self, evaluation: Evaluation, timeout_seconds: float) -> Answer:
        """Ask, and once more where the answer is late. Raises JudgeFailed."""
        self._allowance.earn()
        delay = self._took.at(self._quantile)
        if delay is not None:
            self._observer.hedging_delay(self.name, delay)
            if delay < timeout_seconds and self._may_hedge():
                return await self._hedged(evaluation, timeout_seconds, delay)
        return await self._plain(evaluation, timeout_seconds, delay)

    def _may_hedge(self) -> bool:
        return self._allowance.has() and sum(self._late) <= MOST_LATE

    async def _plain(
        self, evaluation: Evaluation, timeout_seconds: float, delay: float | None
    ) -> Answer:
        """Ask once, without a task."""
        attempts, began = Attempts(evaluation, self.name), self._clock.monotonic()
        try:
            answer = await self.within.evaluate(evaluation, timeout_seconds)
            self._took.add(self._clock.monotonic() - began)
            return answer
        finally:
            if delay is not None:
                self._late.append(self._clock.monotonic() - began > delay)
            attempts.write()

    async def _hedged(self, evaluation: Evaluation, timeout_seconds: float, delay: float) -> Answer:
        attempts, began = Attempts(evaluation, self.name), self._clock.monotonic()
        calls = [self._call(evaluation, timeout_seconds)]
        try:
            done, _ = await asyncio.wait(calls, timeout=delay)
            self._late.append(not done)
            if not done and self._may_hedge() and self._allowance.spend():
                attempts.made = 2
                left = timeout_seconds - (self._clock.monotonic() - began)
                calls.append(self._call(evaluation, left))
            good = calls[0] if _answered(calls[0]) else await _first_good(calls)
            if good is not None:
                # Of a call that lost too: without its time the quantile would fall and fall.
                self._took.add(self._clock.monotonic() - began)
            return _result(good or calls[0])
        finally:
            if len(calls) == 2:
                self._observer.hedged(self.name, _outcome(*calls))
            try:
                await self._let_go(calls)
            finally:
                attempts.write()

    def _call(self, evaluation: Evaluation, timeout_seconds: float) -> _Call:
        call = asyncio.create_task(self.within.evaluate(evaluation, timeout_seconds))
        self._under_way.add(call)  # an event loop alone does not keep a task alive
        call.add_done_callback(self._ended)
        return call

    def _ended(self, call: _Call) -> None:
        self._under_way.discard(call)
        if not call.cancelled():
            call.exception()  # of a call that lost nobody else takes note

    async def _let_go(self, calls: list[_Call]) -> None:
        """Cancel what is under way and wait for its end, so that what it used is on the ledger."""
        under_way = [call for call in calls if not call.done()]
        if not under_way:
            return
        for call in under_way:
            call.cancel()
        with anyio.CancelScope(shield=True):  # anyio cancels again at every await
            await asyncio.wait(under_way, timeout=GRACE_SECONDS)


async def _first_good(calls: list[_Call]) -> _Call | None:
    """Return the first call with an answer; None once all have failed."""
    under_way: set[_Call] = set(calls)
    while under_way:
        _, under_way = await asyncio.wait(under_way, return_when=asyncio.FIRST_COMPLETED)
        for call in calls:
            if _answered(call):
                return call
    return None


def _answered(call: _Call) -> bool:
    return call.done() and not call.cancelled() and call.exception() is None


def _result(call: _Call) -> Answer:
    """Return its answer or raise its failure."""
    if call.cancelled():  # by itself, not by us: for this task it would look like our own
        raise JudgeFailed(FailureKind.ERROR, "the call was cancelled from within")
    return call.result()


def _outcome(first: _Call, second: _Call) -> str:
    if _answered(first):
        return "lost"
    if _answered(second):
        return "won"
    return "failed" if second.done() else "cancelled"
