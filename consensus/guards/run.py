"""The order of the guards: before the stages and after them."""

from collections.abc import Collection, Iterator, Sequence

from consensus.domain.decision import CriterionResult, Verdict
from consensus.domain.guards import Guards
from consensus.domain.submission import Submission
from consensus.domain.turn import Turn
from consensus.guards import caps
from consensus.guards.claims import unsupported
from consensus.guards.goal import Claim, goal_status, unshown
from consensus.guards.outcome import GuardOutcome
from consensus.guards.outputs import complete, outputs, override
from consensus.guards.plateau import no_progress, plateau
from consensus.guards.refusal import refusal
from consensus.guards.scenario import scenario, without_criteria
from consensus.guards.stall import stall
from consensus.guards.tool_loop import tool_loop
from consensus.guards.tools import not_due, pending

_SILENT = GuardOutcome()


def run_before(
    submission: Submission, guards: Guards, *, deriving: bool = False
) -> GuardOutcome | None:
    """Return what the guards say before any stage runs; None where they say nothing.

    With a verdict the turn is settled and no stage runs. Without one, what it says belongs to the
    decision that the stages come to: see `GuardOutcome.__add__`. `deriving`: whether the rubric
    is still to be derived.
    """
    told: GuardOutcome | None = None
    for outcome in _before(submission, guards, deriving=deriving):
        if outcome is None:
            continue
        told = outcome if told is None else told + outcome
        if told.verdict is not None:
            return _capped(submission.turn, guards, told)
    return told


def run_after(
    submission: Submission,
    guards: Guards,
    verdict: Verdict,
    criteria: Sequence[CriterionResult],
    *,
    claim: Claim | None = None,
    checked: Collection[str] = (),
    came_to_one: bool = True,
) -> GuardOutcome:
    """Return what becomes of the stages' verdict, always with one; it may only become stricter.
    The one exception is a scenario, whose findings settle the verdict.

    `criteria`: what the stages found, latest answers. `claim`: what is known of the goal, where a
    validator or the stop rule settled it (`goal.validated`, `after_fast`, `after_strong`); None:
    derive it from `criteria`. `checked`: see `goal_status`. `came_to_one`: whether the stages'
    last word is about the submission, and not about judges that failed.
    """
    goal, turn = guards.goal, submission.turn
    told = GuardOutcome(verdict=verdict)
    if guards.scenario is not None and came_to_one:
        told += scenario(submission, guards, criteria) or _SILENT
    if turn is not None and verdict is Verdict.ACCEPT:
        told += override(submission, turn, guards) or _SILENT
    if goal is not None:
        status = claim.status if claim is not None else goal_status(criteria, checked=checked)
        told += GuardOutcome(goal_status=status)
        if verdict is not Verdict.ESCALATE:
            still = unshown(criteria, checked)
            told += unsupported(submission, goal, verdict, status, still) or _SILENT
        if turn is not None and told.verdict is Verdict.RETRY:
            told += plateau(submission, turn, goal, criteria) or _SILENT
            told += no_progress(turn, goal, criteria) or _SILENT
    return _capped(turn, guards, told)


def _before(
    submission: Submission, guards: Guards, *, deriving: bool
) -> Iterator[GuardOutcome | None]:
    turn, rules, goal = submission.turn, guards.turns, guards.goal
    if guards.scenario is not None and not deriving:
        yield without_criteria(submission, guards)
    if turn is not None:
        yield caps.spent(turn, guards)
        if rules is not None:
            yield stall(submission, turn, rules)
    if goal is not None:
        yield refusal(submission, turn, goal)
    if turn is not None and rules is not None:
        yield tool_loop(submission, turn, rules)
        yield pending(submission, turn, rules)
        yield not_due(submission, turn, rules)
        yield outputs(submission, turn, guards)
        yield complete(submission, turn, guards)


def _capped(turn: Turn | None, guards: Guards, told: GuardOutcome) -> GuardOutcome:
    if turn is None:
        return told
    return told + (caps.last_turn(turn, guards, told.verdict) or _SILENT)
