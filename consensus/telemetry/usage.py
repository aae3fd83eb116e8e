"""Counts what judges use: tokens by kind, and money."""

from collections.abc import Callable

from consensus.domain.decision import SeatResult, StageResult
from consensus.domain.gradient import Failure, FailureKind, Usage
from consensus.domain.ports import SilentObserver
from consensus.telemetry.metrics import Instruments

_KINDS = ("input", "cached_input", "cache_write", "output", "reasoning")


class UsageRecorder(SilentObserver):
    """An observer that counts what each seat has used."""

    def __init__(self, instruments: Instruments, nested: Callable[[str], bool]) -> None:
        """`nested` tells whether a judge is a policy of this process, whose judges are counted."""
        self._tokens = instruments.counter("consensus_judge_tokens_total")
        self._cost = instruments.counter("consensus_judge_cost_usd_total")
        self._unknown = instruments.counter("consensus_judge_cost_unknown_total")
        self._refused = instruments.counter("consensus_spend_refused_total")
        self._nested = nested

    def used(self, judge: str, usage: Usage) -> None:
        """A judge has used this."""
        for kind in _KINDS:
            tokens = getattr(usage, f"{kind}_tokens")
            if tokens:
                self._tokens.inc(judge, kind, by=tokens)
        if usage.cost_usd is None:
            self._unknown.inc(judge)
        else:
            self._cost.inc(judge, by=usage.cost_usd)

    def seat_finished(self, stage: str, seat: SeatResult) -> None:
        """Count what the seat has used."""
        if seat.usage is not None and not self._nested(seat.judge):
            self.used(seat.judge, seat.usage)

    def stage_finished(self, policy: str, stage: StageResult) -> None:
        """Count the seats that were not asked because of a limit."""
        for seat in stage.consensus.seats if stage.consensus else ():
            failure = None if seat.attempts else seat.answer
            if isinstance(failure, Failure) and failure.kind is FailureKind.SPEND_LIMIT:
                self._refused.inc(seat.judge)
