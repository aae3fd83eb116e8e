"""Puts the guards around the stages: what they settle beforehand, what they make of a verdict, and
the stop rule of two judges in between.
"""

from collections.abc import Sequence

from consensus.cascade.feedback import MAX_CHARS
from consensus.domain.decision import CriterionResult, Reason, ReasonCode, StageResult, Verdict
from consensus.domain.guards import GoalGuards, Guards
from consensus.domain.policy import Action, Policy
from consensus.domain.ports import Proofs
from consensus.domain.submission import Submission
from consensus.domain.turn import GoalStatus, Turn
from consensus.guards import (
    Claim,
    GuardOutcome,
    Step,
    after_fast,
    after_strong,
    goal_status,
    run_after,
    run_before,
)
from consensus.validators import run_checks

UNCONFIRMED = "The goal seems reached and is not confirmed yet: show each criterion more plainly."
_ACTIONS = {Step.STOP: Action.ACCEPT, Step.CONFIRM: Action.ADVANCE, Step.GO_ON: Action.RETRY}


class Guarding:
    """The guards of one decision."""

    def __init__(self, policy: Policy, guards: Guards, submission: Submission) -> None:
        self._guards = guards
        self._submission = submission
        self._checked: frozenset[str] = frozenset()
        self._before = run_before(submission, guards)
        self._rule = _two_judges(policy, guards, submission.turn)

    @property
    def settled(self) -> Verdict | None:
        """The verdict without any stage; None where the stages are to run."""
        return self._before.verdict if self._before else None

    def look(self, proofs: Proofs | None) -> None:
        """Take in what the sandbox has proven, before any stage runs."""
        if self._guards.goal:
            self._checked = _checked(self._submission, proofs)

    def action(
        self, index: int, result: StageResult, action: Action, criteria: Sequence[CriterionResult]
    ) -> Action:
        """Return what follows from a stage, by its place in the policy."""
        if self._rule is None or action is Action.ESCALATE:
            return action
        return self._rule.action(index, _claim(result, criteria, self._checked), action)

    def outcome(self, verdict: Verdict | None, criteria: Sequence[CriterionResult]) -> GuardOutcome:
        """Return what becomes of the stages' verdict; None where none ran. Always with one."""
        if verdict is None:
            return self._before or GuardOutcome(verdict=Verdict.ESCALATE)
        told = run_after(
            self._submission,
            self._guards,
            verdict,
            criteria,
            claim=self._rule.claim if self._rule else None,
            checked=self._checked,
        )
        if self._rule and verdict is Verdict.RETRY:
            told = self._rule.unconfirmed + told
        return self._before + told if self._before else told

    @property
    def goal_confidence(self) -> float | None:
        """How sure the goal's status is, where the rule of two judges has come to one."""
        return self._rule.claim.confidence if self._rule and self._rule.claim else None

    @property
    def reasons(self) -> tuple[Reason, ...]:
        """What the rule of two judges came to, first of all; nothing where there is none."""
        return self._rule.reasons if self._rule else ()


class _TwoJudges:
    """The stop rule: the first panel is the fast judge, the last stage the strong one."""

    def __init__(self, goal: GoalGuards, turn: Turn, fast: int, strong: int, *, last: bool) -> None:
        self._goal = goal
        self._turn = turn
        self._fast = fast
        self._strong = strong
        self._last = last
        self._first: Claim | None = None
        self._told: list[str] = []
        self.claim: Claim | None = None
        self.reasons: tuple[Reason, ...] = ()

    def action(self, index: int, claim: Claim, action: Action) -> Action:
        if index == self._fast:
            self._first = claim
            answer = after_fast(claim, self._turn, self._goal, last=self._last)
        elif index == self._strong and self._first is not None:
            answer = after_strong(self._first, claim, self._turn, self._goal, last=self._last)
        else:
            return action
        self.claim = answer.claim
        self._told.append(f"{claim.status.name} at {claim.confidence:.2f}")
        if answer.step is not Step.CONFIRM:
            stops = answer.step is Step.STOP
            code = ReasonCode.GOAL_COMPLETE if stops else ReasonCode.GOAL_UNCONFIRMED
            seen = zip(("fast", "strong"), self._told, strict=False)
            words = ", ".join(f"{judge} {told}" for judge, told in seen)
            self.reasons = (Reason(code, f"{code.value} Said: {words}."),)
        return _ACTIONS[answer.step]

    @property
    def unconfirmed(self) -> GuardOutcome:
        """Words for a worker whose goal seems reached and is not confirmed."""
        done = self.claim is not None and self.claim.status is GoalStatus.COMPLETE
        return GuardOutcome(feedback=UNCONFIRMED if done else "")


def _two_judges(policy: Policy, guards: Guards, turn: Turn | None) -> _TwoJudges | None:
    panels = [index for index, stage in enumerate(policy.stages) if stage.panel is not None]
    strong = len(policy.stages) - 1
    if guards.goal is None or turn is None or len(panels) < 2 or panels[-1] != strong:
        return None
    most = min(turn.max_iterations, guards.max_iterations or turn.max_iterations)
    last = turn.iteration + 1 >= most
    return _TwoJudges(guards.goal, turn, panels[0], strong, last=last)


def _claim(
    result: StageResult, criteria: Sequence[CriterionResult], checked: frozenset[str]
) -> Claim:
    confidence = result.consensus.confidence if result.consensus else None
    return Claim(goal_status(criteria, checked=checked), confidence or 0.0)


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
