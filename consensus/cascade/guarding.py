"""Puts the guards around the stages: what they settle beforehand, what they make of a verdict, and
the stop rules of a goal in between.
"""

from collections.abc import Sequence

from consensus.cascade.feedback import MAX_CHARS
from consensus.cascade.stop_rules import Validators, two_judges
from consensus.domain.decision import (
    CriterionResult,
    GateAnswer,
    Reason,
    SeatStatus,
    StageResult,
    Verdict,
)
from consensus.domain.evaluation import Proofs
from consensus.domain.guards import Guards
from consensus.domain.policy import Action, Policy
from consensus.domain.submission import Submission
from consensus.guards import (
    Claim,
    GuardOutcome,
    as_watched,
    goal_status,
    run_after,
    run_before,
)
from consensus.validators import run_checks


class Guarding:
    """The guards of one decision."""

    def __init__(
        self, policy: Policy, guards: Guards, submission: Submission, *, deriving: bool = False
    ) -> None:
        self._guards = guards
        self._submission = submission
        self._checked: frozenset[str] = frozenset()
        self._validators = Validators(policy, guards.goal, submission) if guards.goal else None
        self._before = run_before(submission, guards, deriving=deriving)
        self._rule = two_judges(policy, guards, submission.turn)

    @property
    def settled(self) -> Verdict | None:
        """The verdict without any stage; None where the stages are to run."""
        return self._before.verdict if self._before else None

    @property
    def shown(self) -> Submission:
        """The submission as judges see it: the same one, or with what only the guards know."""
        return as_watched(self._submission, self._guards)

    def look(self, proofs: Proofs | None) -> None:
        """Take in what the sandbox has proven, before any stage runs."""
        if self._guards.goal:
            self._checked = _checked(self._submission, proofs)

    def action(
        self, index: int, result: StageResult, action: Action, criteria: Sequence[CriterionResult]
    ) -> Action:
        """Return what follows from a stage, by its place in the policy."""
        if action is Action.ESCALATE:
            return action
        if self._validators is not None and index == self._validators.stage:
            return self._validators.action(result, action)
        if self._rule is None:
            return action
        return self._rule.action(index, _claim(result, criteria, self._checked), action)

    def outcome(
        self,
        verdict: Verdict | None,
        criteria: Sequence[CriterionResult],
        results: Sequence[StageResult] = (),
    ) -> GuardOutcome:
        """Return what becomes of the stages' verdict; None where none ran. Always with one."""
        if verdict is None:
            return self._before or GuardOutcome(verdict=Verdict.ESCALATE)
        told = run_after(
            self._submission,
            self._guards,
            verdict,
            criteria,
            claim=self._claim,
            checked=self._checked,
            came_to_one=not results or _came_to_one(results[-1]),
        )
        if self._rule and verdict is Verdict.RETRY:
            told = self._rule.unconfirmed + told
        return self._before + told if self._before else told

    @property
    def goal_confidence(self) -> float | None:
        """How sure the goal's status is, where validators or the rule of two judges came to one."""
        return self._claim.confidence if self._claim else None

    @property
    def reasons(self) -> tuple[Reason, ...]:
        """What validators or the rule of two judges came to, first of all; nothing without them."""
        if self._validators is not None and self._validators.claim is not None:
            return self._validators.reasons
        return self._rule.reasons if self._rule else ()

    @property
    def _claim(self) -> Claim | None:
        if self._validators is not None and self._validators.claim is not None:
            return self._validators.claim
        return self._rule.claim if self._rule else None


def _claim(
    result: StageResult, criteria: Sequence[CriterionResult], checked: frozenset[str]
) -> Claim:
    confidence = result.consensus.confidence if result.consensus else None
    return Claim(goal_status(criteria, checked=checked), confidence or 0.0)


def _came_to_one(last: StageResult) -> bool:
    """Tell whether the last stage's word is about the criteria: not where a check that does not
    hold ended the stages, nor where the quorum was missed because judges failed. A quorum missed
    by abstentions alone is: these judges have looked, and cannot tell.
    """
    if last.consensus is None:
        return last.gate.answer is not GateAnswer.FAIL
    return last.gate.quorum_ok or not any(
        seat.status is SeatStatus.FAILED and seat.votes for seat in last.consensus.seats
    )


def _checked(submission: Submission, proofs: Proofs | None) -> frozenset[str]:
    """Return the criteria whose own checks hold: these need no quotation."""
    with_checks = [criterion for criterion in submission.rubric if criterion.checks]
    every = [check for criterion in with_checks for check in criterion.checks]
    results = iter(run_checks(every, submission, proofs)) if every else iter(())
    held = {
        criterion.id: all([next(results).passed for _ in criterion.checks])  # noqa: C419 - each one
        for criterion in with_checks
    }
    return frozenset(name for name, holds in held.items() if holds)


def told(words: str, feedback: str) -> str:
    """Return the guards' words before the stages' feedback, within its length."""
    whole = "\n".join(part for part in (words, feedback) if part)
    return whole if len(whole) <= MAX_CHARS else whole[: MAX_CHARS - 1] + "…"
