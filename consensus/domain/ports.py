"""THE SOCKETS: what the rooms promise each other."""

import datetime
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

from consensus.domain.decision import (
    CheckResult,
    Decision,
    Hierarchy,
    SeatResult,
    StageResult,
)
from consensus.domain.gradient import Answer
from consensus.domain.submission import Check, Submission


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What the judges of one panel are asked; all seats share one instance."""

    submission: Submission
    hierarchy: Hierarchy
    """Of the judges' own decisions: one deeper than the asking one."""
    memo: dict[str, object] = field(default_factory=dict, compare=False, repr=False)
    """What judges work out once for the whole panel, such as the encoded submission."""


@runtime_checkable
class InstantJudge(Protocol):
    """A judge that never waits: a plain call, no task."""

    name: str
    kind: str
    description: str

    def evaluate_now(self, evaluation: Evaluation) -> Answer:
        """Judge at once. Raises JudgeFailed; anything else counts as a crash of this judge."""
        ...


@runtime_checkable
class WaitingJudge(Protocol):
    """A judge that waits for something outside this process."""

    name: str
    kind: str
    description: str

    async def evaluate(self, evaluation: Evaluation, timeout_seconds: float) -> Answer:
        """Judge within `timeout_seconds`; stops its work when cancelled.

        Raises JudgeFailed; anything else counts as a crash of this judge.
        """
        ...

    async def close(self, grace_seconds: float) -> None:
        """Let calls under way finish for up to `grace_seconds`, then let go of everything."""
        ...


Judge = InstantJudge | WaitingJudge
Judges = Mapping[str, Judge]


class Validator(Protocol):
    """Evaluates one deterministic check."""

    def __call__(self, check: Check, submission: Submission) -> CheckResult:
        """Tell whether `check` holds for `submission`. Never raises on any input."""
        ...


class Observer(Protocol):
    """Is told of every step of a judgment, and must not wait or raise."""

    def seat_started(self, stage: str, judge: str) -> None:
        """A judge was asked."""
        ...

    def seat_finished(self, stage: str, seat: SeatResult) -> None:
        """A seat has its result. Not called for seats that were never asked."""
        ...

    def stage_finished(self, policy: str, stage: StageResult) -> None:
        """A stage has its gate's answer."""
        ...

    def decided(self, decision: Decision) -> None:
        """The decision is made."""
        ...


class Clock(Protocol):
    """Time, so that tests can own it."""

    def monotonic(self) -> float:
        """Seconds since some fixed moment; never goes back."""
        ...

    def now(self) -> datetime.datetime:
        """The present moment in UTC."""
        ...
