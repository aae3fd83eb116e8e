"""The fan-out: asks every seat at once, each under its own time-out and the budget.

A judge that fails, hangs, crashes or lies costs its own seat. Instant judges are plain calls;
judges that wait get a task each, all of which end with the panel.
"""

import asyncio
from collections.abc import Callable, Mapping
from functools import partial
from typing import cast

from consensus.cascade.admission import admit
from consensus.cascade.budget import Budget
from consensus.cascade.failures import cancelled, failure_of
from consensus.cascade.sight import Sight
from consensus.cascade.tally import Slots
from consensus.cascade.waiting import SideBySide
from consensus.domain.decision import SeatResult, SeatStatus
from consensus.domain.errors import JudgeFailed
from consensus.domain.evaluation import Evaluation, Ledger
from consensus.domain.gradient import Answer, Failure, FailureKind, GradientResult
from consensus.domain.policy import Panel, Seat, Settle
from consensus.domain.ports import (
    Clock,
    InstantJudge,
    Judge,
    Judges,
    Observer,
    Pending,
    WaitingJudge,
)
from consensus.validators import Locator

AGGREGATE_RESERVE_SECONDS = 0.05
"""Kept of the budget for folding what came back."""
_NO_LEDGER = Ledger()


class Fanout:
    """One panel asked about one submission."""

    def __init__(
        self,
        panel: Panel,
        judges: Judges,
        evaluation: Evaluation,
        *,
        stage: str,
        clock: Clock,
        observer: Observer,
    ) -> None:
        self._panel = panel
        self._judges = judges
        self._evaluation = evaluation
        self._sight = None if panel.sees is None else Sight(evaluation, panel.sees)
        self._stage = stage
        self._clock = clock
        self._observer = observer
        self._rubric = evaluation.submission.rubric
        self._locator = Locator(evaluation.submission)
        self._started: list[float | None] = [None] * len(panel.seats)
        self.slots: list[SeatResult | None] = [None] * len(panel.seats)
        self._open = len(panel.seats)

    def given(self, judge: Judge) -> Evaluation:
        """Return what a judge of this panel is asked."""
        return self._evaluation if self._sight is None else self._sight.given(judge)

    def refuse(self, failures: Mapping[int, Failure]) -> None:
        """Fail these seats, by place in the panel: their judges are not asked."""
        for index, failure in failures.items():
            self._fill(index, self._panel.seats[index], SeatStatus.FAILED, failure)

    async def run(
        self, budget: Budget, settled: Callable[[Slots], bool]
    ) -> tuple[list[SeatResult], bool]:
        """Return one result for each seat in panel order, and whether the stage settled early.

        `settled` is asked after each answer when the panel settles early.
        """
        early = self._panel.settle is Settle.EARLY
        try:
            waiting: list[tuple[int, Seat, WaitingJudge]] = []
            for index, seat in enumerate(self._panel.seats):
                judge = self._judges[seat.judge]
                if self.slots[index] is not None:
                    continue  # refused
                if judge.waits:
                    waiting.append((index, seat, judge))
                else:
                    self._ask_now(index, seat, judge)
            done = early and bool(waiting) and settled(self.slots)
            if waiting and not done:
                done = await self._wait(waiting, budget, settled if early else None)
        except BaseException:  # the caller is gone: whoever was asked is not needed any more
            self._abandon()
            raise
        if self._open == 0:
            return cast("list[SeatResult]", self.slots), done
        budget.missed |= not done
        return [self._final(index, done) for index in range(len(self.slots))], done

    def _abandon(self) -> None:
        for index, began in enumerate(self._started):
            if began is not None and self.slots[index] is None:
                self._fill(index, self._panel.seats[index], SeatStatus.SKIPPED, None)

    def _ask_now(self, index: int, seat: Seat, judge: InstantJudge) -> None:
        self._start(index, seat)
        try:
            self._answered(index, seat, judge.evaluate_now(self._evaluation))
        except (Exception, asyncio.CancelledError) as error:  # noqa: BLE001 - its seat alone
            self._failed(index, seat, error)

    async def _wait(
        self,
        waiting: list[tuple[int, Seat, WaitingJudge]],
        budget: Budget,
        settled: Callable[[Slots], bool] | None,
    ) -> bool:
        left = budget.reserve(AGGREGATE_RESERVE_SECONDS)
        self._beside = SideBySide(partial(settled, self.slots) if settled else None)
        for index, seat, judge in waiting:
            self._start(index, seat)
            timeout = min(seat.timeout_seconds, left)
            own = timeout if timeout < left else None
            begin: Callable[[Evaluation, float], Pending] | None = getattr(judge, "begin", None)
            if begin is None:
                task = asyncio.create_task(self._ask(index, seat, judge, timeout))
                self._beside.add(task, own)
                continue
            try:
                pending = begin(self.given(judge), timeout)
            except Exception as error:  # noqa: BLE001 - costs this seat alone
                self._failed(index, seat, error)
            else:
                came = partial(self._came, index, seat, pending, timeout)
                self._beside.add(pending.future, own, came)
        return await self._beside.run(left)

    def _came(
        self,
        index: int,
        seat: Seat,
        pending: Pending,
        timeout: float,
        future: "asyncio.Future[None]",
    ) -> None:
        try:
            if not future.cancelled():
                self._answered(index, seat, pending.answer())
                return
            pending.drop()
        except Exception as error:  # noqa: BLE001 - costs this seat alone
            self._failed(index, seat, error)
            return
        if not self._beside.stopping:
            self._failed(index, seat, _late(timeout))

    async def _ask(self, index: int, seat: Seat, judge: WaitingJudge, timeout: float) -> None:
        try:
            self._answered(index, seat, await judge.evaluate(self.given(judge), timeout))
        except (Exception, asyncio.CancelledError) as error:  # noqa: BLE001 - its seat alone
            if not cancelled():
                self._failed(index, seat, error)
            elif not self._beside.stopping:
                self._failed(index, seat, _late(timeout))  # else nobody waits for it any more

    def _start(self, index: int, seat: Seat) -> None:
        self._started[index] = self._clock.monotonic()
        self._observer.seat_started(self._stage, seat.judge)

    def _answered(self, index: int, seat: Seat, answer: object) -> None:
        if self._sight is not None:
            answer = self._sight.counted(self._judges[seat.judge], answer)
        admitted, struck = admit(answer, self._rubric, self._locator)
        scored = isinstance(admitted, GradientResult)
        status = SeatStatus.SCORED if scored else SeatStatus.ABSTAINED
        self._fill(index, seat, status, admitted, struck)

    def _failed(self, index: int, seat: Seat, error: BaseException) -> None:
        self._fill(index, seat, SeatStatus.FAILED, failure_of(error))

    def _fill(
        self,
        index: int,
        seat: Seat,
        status: SeatStatus,
        answer: Answer | Failure | None,
        struck: int = 0,
    ) -> SeatResult:
        if (given_up := self.slots[index]) is not None:  # and answered after all
            return given_up
        began, attempts, usage = self._started[index], 0, None
        if began is not None:
            ledger = self._evaluation.ledgers.pop(seat.judge, _NO_LEDGER)
            attempts, usage = ledger.attempts or 1, ledger.usage
        result = SeatResult(
            judge=seat.judge,
            weight=seat.weight,
            status=status,
            answer=answer,
            duration_seconds=0.0 if began is None else self._clock.monotonic() - began,
            attempts=attempts,
            struck=struck,
            shadow=seat.shadow,
            usage=usage,
        )
        self.slots[index] = result
        self._open -= 1
        if began is not None:
            self._observer.seat_finished(self._stage, result)
        return result

    def _final(self, index: int, settled: bool) -> SeatResult:
        """Return the seat's result; a seat still open was cancelled or ran out of budget."""
        if (result := self.slots[index]) is not None:
            return result
        seat = self._panel.seats[index]
        if settled:
            return self._fill(index, seat, SeatStatus.SKIPPED, None)
        late = Failure(FailureKind.TIMEOUT, "no answer before the budget ended")
        return self._fill(index, seat, SeatStatus.FAILED, late)


def _late(timeout: float) -> JudgeFailed:
    return JudgeFailed(FailureKind.TIMEOUT, f"no answer within {timeout:g} s")
