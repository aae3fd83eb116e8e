"""The engine: guards no judge and knows no transport; runs a policy's stages into a Decision."""

from collections.abc import Callable
from typing import NamedTuple

from msgspec.structs import replace

from consensus.cascade.actions import action_of, may_all_fail
from consensus.cascade.budget import Budget
from consensus.cascade.derivation import NOT_DERIVED, Derivation
from consensus.cascade.feedback import feedback
from consensus.cascade.guarding import Guarding, told
from consensus.cascade.panel import Fanout
from consensus.cascade.proving import prove, sandboxed
from consensus.cascade.reasons import stage_reasons
from consensus.cascade.run import Run
from consensus.cascade.spend import Purses, Spending, costs_of
from consensus.cascade.tally import Slots, Tally
from consensus.domain.decision import (
    Decision,
    Hierarchy,
    Reason,
    ReasonCode,
    ScenarioOutcome,
    StageResult,
    Verdict,
)
from consensus.domain.evaluation import Evaluation, Proofs
from consensus.domain.ids import random_uuid
from consensus.domain.policy import Action, Policy, Stage
from consensus.domain.ports import Clock, Judges, Observer, Prover
from consensus.domain.submission import Submission
from consensus.gates import checks_gate
from consensus.guards import GuardOutcome
from consensus.validators import run_checks

_VERDICTS = {
    Action.ACCEPT: Verdict.ACCEPT,
    Action.RETRY: Verdict.RETRY,
    Action.ESCALATE: Verdict.ESCALATE,
}


class Engine:
    """Runs submissions through policies."""

    def __init__(self, clock: Clock, new_id: Callable[[], str] = random_uuid) -> None:
        self._clock = clock
        self._new_id = new_id
        self._purses = Purses(clock)

    async def judge(
        self,
        submission: Submission,
        policy: Policy,
        judges: Judges,
        observer: Observer,
        *,
        budget_seconds: float,
        hierarchy: Hierarchy | None = None,
        max_cost_usd: float | None = None,
        derivation: Derivation | None = None,
        memo: dict[str, object] | None = None,
        prover: Prover | None = None,
        proofs: Proofs | None = None,
    ) -> Decision:
        """Return the decision of `policy` about `submission` within the budget.

        Every seat's judge must be in `judges`; `memo` is what they need not work out any more.
        `prover` proves the checks that need the sandbox, less those that `proofs` knows already.
        `max_cost_usd` is a limit beside the policy's; what a `derivation` derives replaces the
        rubric. Raises AllJudgesUnavailable where the policy says `on_no_quorum: fail` and no judge
        answered, SpendLimitReached, CriteriaNotDerived; judges' own failures never raise.
        """
        began, create_time = self._clock.monotonic(), self._clock.now()
        budget = Budget(self._clock, min(budget_seconds, policy.deadline_seconds))
        hierarchy = hierarchy or Hierarchy()
        decision_id = self._new_id()
        evaluation = Evaluation(submission, hierarchy.child(decision_id), memo or {}, proofs)
        guarding = None
        if policy.guards is not None:
            deriving = derivation is not None
            guarding = Guarding(policy, policy.guards, submission, deriving=deriving)
            evaluation = evaluation.of(guarding.shown)
        observer = observer.begun(policy, evaluation.hierarchy)
        spending = self._purses.open(policy, max_cost_usd)
        derived, run = NOT_DERIVED, Run()
        if guarding is None or guarding.settled is None:
            if derivation is not None:
                derived = await derivation.run(evaluation, budget, spending)
                evaluation = derived.given_to(evaluation)
            if checks := sandboxed(policy, evaluation.submission):
                proven = await prove(checks, evaluation, prover, budget)
                evaluation = replace(evaluation, proofs=proven)
            asked = _Asked(evaluation, judges, budget, observer, spending)
            await self._stages(run, policy, guarding, asked)
        if budget.missed:
            run.reasons.append(Reason(ReasonCode.DEADLINE, ReasonCode.DEADLINE.value))
        outcome = _outcome(run, guarding)
        decision = Decision(
            decision_id=decision_id,
            verdict=outcome.verdict or Verdict.ESCALATE,
            reasons=(*outcome.reasons, *run.reasons),
            feedback=_feedback(run, policy, outcome),
            effective_score=run.lowest_score(),
            criteria=run.criteria(),
            stages=run.results,
            policy=policy.name,
            policy_revision=policy.revision,
            hierarchy=hierarchy,
            create_time=create_time,
            duration_seconds=self._clock.monotonic() - began,
            usage=run.usage(derived.usage),
            goal_status=outcome.goal_status,
            goal_confidence=guarding.goal_confidence if guarding else None,
            derived_rubric=derived.rubric,
            scenario_outcome=outcome.scenario_outcome,
        )
        observer.decided(decision)
        return decision

    async def _stages(
        self,
        run: Run,
        policy: Policy,
        guarding: Guarding | None,
        asked: "_Asked",
    ) -> None:
        """Run stages until one does not advance; the last never does."""
        if guarding is not None:
            guarding.look(asked.evaluation.proofs)
        for index, stage in enumerate(policy.stages):
            asked.observer.stage_started(stage.name)
            result = await self._stage(stage, *asked)
            run.results.append(result)
            asked.observer.stage_finished(policy.name, result)
            action = action_of(stage, result)
            if guarding is not None:
                action = guarding.action(index, result, action, run.criteria())
            run.reasons = [*stage_reasons(stage, result, action), *run.reasons]
            if action is not Action.ADVANCE:
                run.verdict = _VERDICTS[action]
                return

    async def _stage(
        self,
        stage: Stage,
        evaluation: Evaluation,
        judges: Judges,
        budget: Budget,
        observer: Observer,
        spending: Spending | None,
    ) -> StageResult:
        began = self._clock.monotonic()
        if stage.panel is None:
            checks = tuple(run_checks(stage.checks, evaluation.submission, evaluation.proofs))
            return StageResult(
                stage=stage.name,
                gate=checks_gate(all(check.passed for check in checks)),
                checks=checks,
                duration_seconds=self._clock.monotonic() - began,
            )
        tally = Tally(stage.panel, stage.gate, evaluation.submission.rubric)
        fanout = Fanout(
            stage.panel,
            judges,
            evaluation,
            stage=stage.name,
            clock=self._clock,
            observer=observer,
        )

        def certain(slots: Slots) -> bool:
            return not may_all_fail(stage, slots) and tally.settled(slots)

        if spending is None:
            seats, settled = await fanout.run(budget, certain)
        else:
            seated = [judges[seat.judge] for seat in stage.panel.seats]
            reservation = await spending.reserve(seated, fanout.given, budget)
            try:
                fanout.refuse(reservation.refused)
                seats, settled = await fanout.run(budget, certain)
            finally:
                spending.settle(reservation, costs_of(fanout.slots))
        consensus, gate, criteria = tally.consensus(seats)
        return StageResult(
            stage=stage.name,
            gate=gate,
            consensus=consensus,
            criteria=criteria,
            settled=settled,
            duration_seconds=self._clock.monotonic() - began,
        )


class _Asked(NamedTuple):
    """What the stages of one decision share."""

    evaluation: Evaluation
    judges: Judges
    budget: Budget
    observer: Observer
    spending: Spending | None


def _outcome(run: Run, guarding: Guarding | None) -> GuardOutcome:
    if guarding is None:
        return GuardOutcome(verdict=run.verdict)
    outcome = guarding.outcome(run.verdict, run.criteria(), run.results)
    return GuardOutcome(reasons=guarding.reasons) + outcome


def _feedback(run: Run, policy: Policy, outcome: GuardOutcome) -> str:
    """Return what the worker is told; one that is accepted, or only goes on, is told nothing."""
    if outcome.verdict is Verdict.ACCEPT or outcome.scenario_outcome is ScenarioOutcome.CONTINUE:
        return ""
    attempt = policy.guards is None or policy.guards.of_attempts
    return told(outcome.feedback, feedback(run.results, attempt=attempt))
