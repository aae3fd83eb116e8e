"""Policies that judge for policies, in this process."""

import math
from collections.abc import Mapping

from msgspec.structs import replace

from consensus.cascade.costing import worst_cost
from consensus.cascade.engine import Engine
from consensus.domain.decision import Decision, Hierarchy, SeatResult, StageResult
from consensus.domain.errors import InvalidRequest, Violation
from consensus.domain.evaluation import Evaluation, Ledger
from consensus.domain.gradient import Failure
from consensus.domain.policy import Policy
from consensus.domain.ports import Judges, Observer, Prover


class Nesting:
    """The policies of one file, for judges that are policies."""

    def __init__(
        self,
        engine: Engine,
        policies: Mapping[str, Policy],
        judges: Judges,
        observer: Observer,
        prover: Prover | None = None,
    ) -> None:
        """`judges` may be filled later; `observer` is told of the nested decisions' steps."""
        self._engine = engine
        self._policies = policies
        self._judges = judges
        self._observer = observer
        self._prover = prover

    async def decide(
        self, policy: str, evaluation: Evaluation, budget_seconds: float, ledger: Ledger
    ) -> Decision:
        """Judge by that policy and write what its seats use to `ledger`. Raises RequestError."""
        rules = self._policies[policy]
        asked = _with_rubric(evaluation, rules).submission
        if rules.rubric_required and not asked.rubric:
            words = f"is empty; policy {policy!r} needs at least one criterion"
            raise InvalidRequest([Violation("submission.rubric.criteria", words)])
        return await self._engine.judge(
            asked,
            rules,
            self._judges,
            _Bookkeeper(self._observer, ledger),
            budget_seconds=budget_seconds,
            hierarchy=evaluation.hierarchy,
            memo=evaluation.memo_of_trace(),
            prover=self._prover,
            proofs=evaluation.proofs,
        )

    async def worst_cost(self, policy: str, evaluation: Evaluation) -> float | None:
        """Return the most US dollars that all stages together may cost; None where unknown.

        A policy with a limit of its own never costs more.
        """
        rules = self._policies[policy]
        evaluation = _with_rubric(evaluation, rules)
        costs = [
            await worst_cost(self._judges[seat.judge], evaluation)
            for stage in rules.stages
            if stage.panel is not None
            for seat in stage.panel.seats
        ]
        limit = rules.spend.per_request_usd
        worst = sum(math.inf if isinstance(cost, Failure) else cost for cost in costs)
        worst = worst if limit is None else min(worst, limit)
        return None if math.isinf(worst) else worst


def _with_rubric(evaluation: Evaluation, rules: Policy) -> Evaluation:
    """Return what a nested policy is asked: by its own rubric where there is no other."""
    if not rules.rubric or evaluation.submission.rubric:
        return evaluation
    return evaluation.of(replace(evaluation.submission, rubric=rules.rubric))


class _Bookkeeper:
    """An observer of one decision that also writes down what each seat used."""

    def __init__(self, observer: Observer, ledger: Ledger) -> None:
        self._observer = observer
        self._ledger = ledger

    def begun(self, policy: Policy, place: Hierarchy) -> Observer:
        self._observer = self._observer.begun(policy, place)
        return self

    def stage_started(self, stage: str) -> None:
        self._observer.stage_started(stage)

    def seat_started(self, stage: str, judge: str) -> None:
        self._observer.seat_started(stage, judge)

    def seat_finished(self, stage: str, seat: SeatResult) -> None:
        if seat.usage is not None:
            self._ledger.add(seat.usage)
        self._observer.seat_finished(stage, seat)

    def stage_finished(self, policy: str, stage: StageResult) -> None:
        self._observer.stage_finished(policy, stage)

    def decided(self, decision: Decision) -> None:
        self._observer.decided(decision)
