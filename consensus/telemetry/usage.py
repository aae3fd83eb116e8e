"""Counts what judges use: tokens by kind, and money."""

from collections.abc import Callable
from typing import Protocol

from consensus.domain.decision import Decision, SeatResult, StageResult
from consensus.domain.gradient import Failure, FailureKind, Usage

_KINDS = ("input", "cached_input", "cache_write", "output", "reasoning")


class Count(Protocol):
    """Adds to a counter of the table."""

    def __call__(self, name: str, *labels: str, by: float = 1.0) -> None:
        """Add `by`, at least 0."""
        ...


class UsageRecorder:
    """An observer that counts what each seat has used."""

    def __init__(self, count: Count, nested: Callable[[str], bool]) -> None:
        """`nested` tells whether a judge is a policy of this process, whose judges are counted."""
        self._count = count
        self._nested = nested

    def used(self, judge: str, usage: Usage) -> None:
        """A judge has used this."""
        for kind in _KINDS:
            tokens = getattr(usage, f"{kind}_tokens")
            if tokens:
                self._count("consensus_judge_tokens_total", judge, kind, by=tokens)
        if usage.cost_usd is None:
            self._count("consensus_judge_cost_unknown_total", judge)
        else:
            self._count("consensus_judge_cost_usd_total", judge, by=usage.cost_usd)

    def seat_started(self, stage: str, judge: str) -> None:
        """Count nothing."""

    def seat_finished(self, stage: str, seat: SeatResult) -> None:
        """Count what the seat has used."""
        if seat.usage is not None and not self._nested(seat.judge):
            self.used(seat.judge, seat.usage)

    def stage_finished(self, policy: str, stage: StageResult) -> None:
        """Count the seats that were not asked because of a limit."""
        for seat in stage.consensus.seats if stage.consensus else ():
            failure = None if seat.attempts else seat.answer
            if isinstance(failure, Failure) and failure.kind is FailureKind.SPEND_LIMIT:
                self._count("consensus_spend_refused_total", seat.judge)

    def decided(self, decision: Decision) -> None:
        """Count nothing: its seats are counted."""
