"""A rubric out of a task: one judge derives it before anything is judged; every seat uses it."""

import asyncio
import math
import re
from collections.abc import Callable

import anyio
from msgspec import Struct
from msgspec.structs import replace

from consensus.cascade.admission import plain
from consensus.cascade.budget import Budget
from consensus.cascade.costing import worst_cost_of_deriving
from consensus.cascade.failures import cancelled, failure_of
from consensus.cascade.spend import Reservation, Spending, cost
from consensus.domain.errors import CriteriaNotDerived, JudgeFailed, SpendLimitReached
from consensus.domain.evaluation import Evaluation, Ledger
from consensus.domain.gradient import FailureKind, Usage
from consensus.domain.ports import Deriver
from consensus.domain.submission import CRITERION_ID, MAX_CRITERION_TEXT, Criterion

BUDGET_SHARE = 0.5
"""Most of the budget that deriving may take: the rest is for judging."""
_ID = re.compile(CRITERION_ID)


class Derived(Struct, frozen=True):
    """A derived rubric and what it took."""

    rubric: tuple[Criterion, ...] = ()
    usage: Usage | None = None

    def given_to(self, evaluation: Evaluation) -> Evaluation:
        """Return what judges are asked, with this rubric."""
        return evaluation.of(replace(evaluation.submission, rubric=self.rubric))


NOT_DERIVED = Derived()


class Derivation(Struct, frozen=True):
    """Which judge derives a rubric, and of how many criteria at most."""

    judge: Deriver
    max_criteria: int
    on_usage: Callable[[str, Usage], None]
    """Is told the judge's name and what it used, also where it failed."""

    async def run(
        self, evaluation: Evaluation, budget: Budget, spending: Spending | None = None
    ) -> Derived:
        """Derive a rubric from the submission's task.

        Raises CriteriaNotDerived, and SpendLimitReached where it could cost more than is left.
        """
        budget = budget.part(BUDGET_SHARE)
        reservation = await self._reserve(evaluation, budget, spending)
        ledger, cut_off = Ledger(), True
        seconds = budget.left()
        try:
            with anyio.move_on_after(seconds):
                task = evaluation.submission.task
                found = await self.judge.derive(task, self.max_criteria, seconds, ledger)
                cut_off = False
                return Derived(_admitted(found, self.max_criteria), ledger.usage)
        except (Exception, asyncio.CancelledError) as error:
            if isinstance(error, asyncio.CancelledError) and cancelled():
                raise
            failure = failure_of(error)
            cut_off = failure.kind is FailureKind.TIMEOUT
            raise self._failed(failure.reason) from None
        finally:
            if spending is not None:
                spending.settle(reservation, {0: cost(ledger.usage, cut_off=cut_off)})
            if ledger.usage is not None:
                self.on_usage(self.judge.name, ledger.usage)
        raise self._failed(f"no answer within {seconds:.3g} s")

    async def _reserve(
        self, evaluation: Evaluation, budget: Budget, spending: Spending | None
    ) -> Reservation:
        if spending is None:
            return Reservation()
        task, most = evaluation.submission.task, self.max_criteria
        made = spending.take([await worst_cost_of_deriving(self.judge, task, most, budget)])
        if not made.refused:
            return made
        refused = made.refused[0]
        if refused.kind is not FailureKind.SPEND_LIMIT:
            raise self._failed(refused.reason)
        words = f"judge {self.judge.name!r} cannot derive criteria: {refused.reason}"
        raise SpendLimitReached(words, {"judge": self.judge.name})

    def _failed(self, reason: str) -> CriteriaNotDerived:
        judge = self.judge.name
        words = f"judge {judge!r} derived no rubric: {reason}"
        return CriteriaNotDerived(words, {"judge": judge, "cause": reason})


def _admitted(found: object, most: int) -> tuple[Criterion, ...]:
    """Return derived criteria as they may stand in a rubric. Raises JudgeFailed."""
    if not isinstance(found, tuple) or not 1 <= len(found) <= most:
        raise _unreadable(f"it must give 1 to {most} criteria")
    rubric = tuple(_criterion(criterion) for criterion in found)
    if len({criterion.id for criterion in rubric}) < len(rubric):
        raise _unreadable("two criteria have the same id")
    return rubric


def _criterion(found: object) -> Criterion:
    if not isinstance(found, Criterion) or not _ID.fullmatch(found.id):
        raise _unreadable("a criterion's id breaks the contract")
    text = plain(found.text, MAX_CRITERION_TEXT).strip()
    if not text:
        raise _unreadable("a criterion has no text")
    sound = math.isfinite(found.weight) and found.weight > 0
    return Criterion(
        id=found.id, text=text, required=found.required, weight=found.weight if sound else 1.0
    )


def _unreadable(words: str) -> JudgeFailed:
    return JudgeFailed(FailureKind.UNREADABLE, words)
