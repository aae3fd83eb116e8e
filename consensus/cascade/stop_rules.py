"""The stop rules of a goal: hard validators, which need no judge, and a fast judge whom a strong
one confirms.
"""

from consensus.domain.decision import GateAnswer, Reason, ReasonCode, StageResult
from consensus.domain.guards import GoalGuards, Guards
from consensus.domain.policy import Action, Policy
from consensus.domain.submission import Submission
from consensus.domain.turn import GoalStatus, Turn
from consensus.guards import Claim, GuardOutcome, Step, after_fast, after_strong, validated

UNCONFIRMED = "The goal seems reached and is not confirmed yet: show each criterion more plainly."
_ACTIONS = {Step.STOP: Action.ACCEPT, Step.CONFIRM: Action.ADVANCE, Step.GO_ON: Action.RETRY}


class Validators:
    """The hard validators: what the checks of a criterion say of the goal is said."""

    def __init__(self, policy: Policy, goal: GoalGuards, submission: Submission) -> None:
        self.stage = _named(policy, goal.validator_stage, -1)
        self.claim: Claim | None = None
        self.reasons: tuple[Reason, ...] = ()
        self._goal = goal
        self._decided = {c.id for c in submission.rubric if c.checks}

    def action(self, result: StageResult, action: Action) -> Action:
        """Return what follows from their stage; where they settle nothing, the next stage."""
        answer = validated(result.criteria, self._decided, self._goal)
        if answer is None:
            return action if result.gate.answer is GateAnswer.NO_QUORUM else Action.ADVANCE
        self.claim = answer.claim
        if answer.step is Step.STOP:
            words = "Checks decide every required criterion, and all of them hold."
            self.reasons = (Reason(ReasonCode.GOAL_COMPLETE, words),)
        else:
            words = "Checks of a required criterion fail; no later judge was asked."
            self.reasons = (Reason(ReasonCode.GOAL_NOT_COMPLETE, words),)
        return _ACTIONS[answer.step]


class TwoJudges:
    """The stop rule of a fast and a strong judge."""

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
        """Return what follows from a stage, by its place; its own action where it is neither's."""
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


def two_judges(policy: Policy, guards: Guards, turn: Turn | None) -> TwoJudges | None:
    """Return the rule of two judges; None where the policy or the turn gives no cause for it."""
    goal = guards.goal
    if goal is None or turn is None:
        return None
    panels = [
        index
        for index, stage in enumerate(policy.stages)
        if stage.panel is not None and stage.name != goal.validator_stage
    ]
    fast = _named(policy, goal.fast_stage, panels[0] if panels else -1)
    strong = _named(policy, goal.strong_stage, len(policy.stages) - 1)
    if fast not in panels or strong not in panels or fast >= strong:
        return None
    most = min(turn.max_iterations, guards.max_iterations or turn.max_iterations)
    last = turn.iteration + 1 >= most
    return TwoJudges(goal, turn, fast, strong, last=last)


def _named(policy: Policy, name: str, otherwise: int) -> int:
    """Return the place of the stage of that name."""
    names = [stage.name for stage in policy.stages]
    return names.index(name) if name else otherwise
