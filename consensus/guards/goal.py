"""Goal: how far a run has come, by its findings, and when it may stop.

The stop rule of the research blueprint, as written there and not as in its sample: `complete` of
the fast judge only asks for the strong one; both together stop, or two fast ones running.
"""

from collections.abc import Collection, Sequence
from enum import Enum

from msgspec import Struct

from consensus.domain.decision import CriterionResult
from consensus.domain.fold import reaches
from consensus.domain.gradient import FindingStatus
from consensus.domain.guards import GoalGuards
from consensus.domain.turn import GoalStatus, Turn


class Step(Enum):
    """What follows from the judges of a goal."""

    STOP = "stop"
    CONFIRM = "confirm"
    """Ask the strong judge."""
    GO_ON = "go_on"


class Claim(Struct, frozen=True):
    """What one stage's findings come to."""

    status: GoalStatus
    confidence: float
    """The stage's consensus confidence, 0 to 1."""

    def complete(self, bound: float) -> bool:
        """Tell whether this is `complete` with at least so much confidence."""
        return self.status is GoalStatus.COMPLETE and reaches(self.confidence, bound)


class Answer(Struct, frozen=True):
    """What follows, and what is known of the goal so far."""

    step: Step
    claim: Claim


def unshown(criteria: Sequence[CriterionResult], checked: Collection[str] = ()) -> list[str]:
    """Return the ids of the required criteria that are not shown; of all where none is required.

    A criterion is shown when it is MET with evidence, which admission has verified, or when its
    id is in `checked`: its own deterministic checks hold and need no quotation.
    """
    essential = [criterion for criterion in criteria if criterion.required] or criteria
    return [c.criterion_id for c in essential if not _shown(c, checked)]


def goal_status(
    criteria: Sequence[CriterionResult], *, checked: Collection[str] = ()
) -> GoalStatus:
    """Return the status that the findings show; `checked` as in `unshown`."""
    if criteria and not unshown(criteria, checked):
        return GoalStatus.COMPLETE
    if any(_shown(criterion, checked) for criterion in criteria):
        return GoalStatus.PARTIAL
    if all(c.status is FindingStatus.INCONCLUSIVE for c in criteria):
        return GoalStatus.UNKNOWN
    return GoalStatus.NOT_YET


def _shown(criterion: CriterionResult, checked: Collection[str]) -> bool:
    proof = bool(criterion.evidence) or criterion.criterion_id in checked
    return criterion.status is FindingStatus.MET and proof


def banded(claim: Claim, guards: GoalGuards) -> Claim:
    """Return the claim, less a `complete` that is not sure enough: NOT_YET, or UNKNOWN."""
    if claim.status is not GoalStatus.COMPLETE or claim.complete(guards.t1):
        return claim
    unsure = claim.confidence <= guards.abstain_above
    return Claim(GoalStatus.UNKNOWN if unsure else GoalStatus.NOT_YET, claim.confidence)


def validated(
    criteria: Sequence[CriterionResult], decided: Collection[str], guards: GoalGuards
) -> Answer | None:
    """Return what hard validators settle without any other judge; None where they leave it open.

    `decided`: ids of the criteria that carry checks. Each essential one decided and MET: a pass.
    One of them decided and UNMET: a failure, whatever the others say.
    """
    essential = [criterion for criterion in criteria if criterion.required] or criteria
    if any(c.status is FindingStatus.UNMET for c in essential if c.criterion_id in decided):
        return Answer(Step.GO_ON, Claim(GoalStatus.NOT_YET, guards.hard_fail_confidence))
    if essential and all(
        c.status is FindingStatus.MET and c.criterion_id in decided for c in essential
    ):
        return Answer(Step.STOP, Claim(GoalStatus.COMPLETE, guards.hard_pass_confidence))
    return None


def after_fast(fast: Claim, turn: Turn, guards: GoalGuards, *, last: bool = False) -> Answer:
    """Return what follows from the fast judge's claim; `last` marks the run's last turn.

    The strong judge is asked for a `complete` of at least t1, at checkpoints and in the last turn.
    """
    if _pair(fast, turn, guards):
        return Answer(Step.STOP, fast)
    if fast.complete(guards.t1) or _checkpoint(turn, guards, last=last):
        return Answer(Step.CONFIRM, banded(fast, guards))
    return Answer(Step.GO_ON, banded(fast, guards))


def after_strong(
    fast: Claim, strong: Claim, turn: Turn, guards: GoalGuards, *, last: bool = False
) -> Answer:
    """Return what follows from both claims.

    Both complete: stop. At a checkpoint a strong one suffices where the fast one is unsure. Judges
    that contradict each other leave the goal NOT_YET.
    """
    confirmed = strong.complete(guards.t2)
    if confirmed and fast.complete(guards.t1):
        return Answer(Step.STOP, strong)
    unsure = not reaches(fast.confidence, guards.t1)
    if confirmed and unsure and _checkpoint(turn, guards, last=last):
        return Answer(Step.STOP, strong)
    if (fast.status is GoalStatus.COMPLETE) is (strong.status is GoalStatus.COMPLETE):
        complete = fast.status is GoalStatus.COMPLETE
        return Answer(Step.GO_ON, banded(fast, guards) if complete else strong)
    return Answer(Step.GO_ON, Claim(GoalStatus.NOT_YET, strong.confidence))


def _pair(fast: Claim, turn: Turn, guards: GoalGuards) -> bool:
    """Tell whether this claim and the one before it are sure enough together."""
    if guards.pair_turns < 2 or not fast.complete(guards.pair_confidence):
        return False
    for earlier in reversed(turn.earlier[1 - guards.pair_turns :]):
        if earlier.goal_status is not None:
            before = Claim(earlier.goal_status, earlier.goal_confidence)
            return before.complete(guards.pair_confidence)
    return False


def _checkpoint(turn: Turn, guards: GoalGuards, *, last: bool) -> bool:
    return last or turn.iteration + 1 in guards.checkpoints
