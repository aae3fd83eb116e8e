"""THE SOCKETS: what the rooms promise each other."""

import datetime
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, Protocol, runtime_checkable

from msgspec import Struct

from consensus.domain.decision import (
    CheckResult,
    Decision,
    Hierarchy,
    SeatResult,
    StageResult,
)
from consensus.domain.evaluation import Evaluation, Ledger, Proofs
from consensus.domain.gradient import Answer
from consensus.domain.policy import Policy
from consensus.domain.submission import Check, Criterion, SandboxKind, Submission


class InstantJudge(Protocol):
    """A judge that never waits: a plain call, no task."""

    name: str
    kind: str
    description: str
    waits: Literal[False]

    def evaluate_now(self, evaluation: Evaluation) -> Answer:
        """Judge at once. Raises JudgeFailed; anything else counts as a crash of this judge."""
        ...


class WaitingJudge(Protocol):
    """A judge that waits for something outside this process."""

    name: str
    kind: str
    description: str
    waits: Literal[True]

    async def evaluate(self, evaluation: Evaluation, timeout_seconds: float) -> Answer:
        """Judge within `timeout_seconds`; stops its work when cancelled.

        Raises JudgeFailed; anything else counts as a crash of this judge.
        """
        ...

    async def close(self, grace_seconds: float) -> None:
        """Let calls under way finish for up to `grace_seconds`, then let go of everything."""
        ...


class Pending(Protocol):
    """An answer on its way."""

    @property
    def future(self) -> Any:
        """Done when there is an answer or a failure: a future of the running event loop."""
        ...

    def answer(self) -> Answer:
        """Return the answer, once the future is done. Raises JudgeFailed."""
        ...

    def drop(self) -> None:
        """Say that nobody waits any more."""
        ...


class PromptJudge(WaitingJudge, Protocol):
    """A judge that waits and needs no task to do so: it hands out what will be its answer."""

    def begin(self, evaluation: Evaluation, timeout_seconds: float) -> Pending:
        """Ask, and return at once. Raises JudgeFailed."""
        ...


Judge = InstantJudge | WaitingJudge
Judges = Mapping[str, Judge]


@runtime_checkable
class Costed(Protocol):
    """A judge that can tell beforehand what its answer may cost."""

    async def worst_cost(self, evaluation: Evaluation) -> float | None:
        """Return the most US dollars that it may cost; 0 where free, None where unknown.

        Costs nothing itself, and holds up nobody: work that takes long is for a thread. Whatever
        it raises makes the cost unknown.
        """
        ...


@runtime_checkable
class Deriver(WaitingJudge, Protocol):
    """A judge that can also derive a rubric from a task."""

    async def derive(
        self, task: str, max_criteria: int, timeout_seconds: float, ledger: Ledger
    ) -> tuple[Criterion, ...]:
        """Return 1 to `max_criteria` criteria; what it takes is written to `ledger`.

        Raises JudgeFailed; anything else counts as a crash of this judge.
        """
        ...

    async def worst_cost_of_deriving(self, task: str, max_criteria: int) -> float | None:
        """Return the most US dollars that `derive` may cost, as `Costed.worst_cost` does."""
        ...


class NestedPolicies(Protocol):
    """The policies that a judge may be, in this process."""

    async def decide(
        self, policy: str, evaluation: Evaluation, budget_seconds: float, ledger: Ledger
    ) -> Decision:
        """Judge what `evaluation` holds by that policy, as a decision of its hierarchy.

        What its seats use is written to `ledger` seat by seat, so that it outlasts cancellation.
        Raises RequestError.
        """
        ...

    async def worst_cost(self, policy: str, evaluation: Evaluation) -> float | None:
        """Return the most US dollars that a decision may cost; None where unknown."""
        ...


class Validator(Protocol):
    """Evaluates deterministic checks."""

    def __call__(
        self, checks: Sequence[Check], submission: Submission, proofs: Proofs | None = None
    ) -> list[CheckResult]:
        """Return one result for each check, in order. Bounded in work; never raises.

        Checks that need the sandbox hold only where `proofs` says so.
        """
        ...


class Proof(Struct, frozen=True):
    """What the sandbox found out about one check."""

    passed: bool
    message: str
    """What was seen."""
    quotes: tuple[str, ...] = ()
    """What the text holds that shows it, verbatim."""


class Prover(Protocol):
    """Proves what only the world can tell."""

    async def prove(self, kind: SandboxKind, subjects: Sequence[str]) -> Proof:
        """Prove a check of what stands in the text: its query, its code or its URLs.

        Keeps to time-outs of its own; ends what it started when cancelled. Whatever it raises
        makes the check fail.
        """
        ...


class CheckFaults(Protocol):
    """Tells what makes a check unsound."""

    def __call__(self, check: Check) -> Iterator[tuple[str, str]]:
        """Yield (field, what is wrong)."""
        ...


class Observer(Protocol):
    """Is told of every step of a judgment, and must not wait or raise."""

    def begun(self, policy: Policy, place: Hierarchy) -> "Observer":
        """A decision begins; return who is told of its steps, this observer or one of its own.

        `place` is that of what the decision asks for: the decision's own id is its parent's.
        """
        ...

    def stage_started(self, stage: str) -> None:
        """A stage begins."""
        ...

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


class SilentObserver:
    """An observer that says nothing; what it leaves out need not be told to it."""

    def begun(self, policy: Policy, place: Hierarchy) -> Observer:
        """Listen to this decision as to any other."""
        return self

    def stage_started(self, stage: str) -> None:
        """Say nothing."""

    def seat_started(self, stage: str, judge: str) -> None:
        """Say nothing."""

    def seat_finished(self, stage: str, seat: SeatResult) -> None:
        """Say nothing."""

    def stage_finished(self, policy: str, stage: StageResult) -> None:
        """Say nothing."""

    def decided(self, decision: Decision) -> None:
        """Say nothing."""


class Clock(Protocol):
    """Time, so that tests can own it."""

    def monotonic(self) -> float:
        """Seconds since some fixed moment; never goes back."""
        ...

    def now(self) -> datetime.datetime:
        """The present moment in UTC."""
        ...
