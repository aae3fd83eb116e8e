"""What a guard has to say: a verdict that settles the turn, or words for the worker, or both."""

from msgspec import Struct

from consensus.domain.decision import Reason, ReasonCode, ScenarioOutcome, Verdict
from consensus.domain.turn import GoalStatus

MAX_NAMED = 32
"""Most names that one sentence lists."""
_MAX_NAME = 100


class GuardOutcome(Struct, frozen=True, kw_only=True):
    """What one guard says, or all of them together."""

    verdict: Verdict | None = None
    """None: the turn is not settled, judging goes on."""
    reasons: tuple[Reason, ...] = ()
    """Most important first."""
    feedback: str = ""
    """What the worker should know, beside what the stages tell it; at most a few lines."""
    goal_status: GoalStatus | None = None
    """None where no goal is watched, or nothing was found out about it."""
    scenario_outcome: ScenarioOutcome | None = None
    """None where no scenario is watched, or nothing was found out about it."""

    def __add__(self, later: "GuardOutcome") -> "GuardOutcome":
        """Return both: the later verdict, status and outcome hold; its words come first."""
        told = [later.feedback, self.feedback]
        return GuardOutcome(
            verdict=self.verdict if later.verdict is None else later.verdict,
            reasons=(*later.reasons, *self.reasons),
            feedback="\n".join(words for words in told if words),
            goal_status=self.goal_status if later.goal_status is None else later.goal_status,
            scenario_outcome=later.scenario_outcome or self.scenario_outcome,
        )


def said(
    code: ReasonCode, message: str = "", *, verdict: Verdict | None = None, feedback: str = ""
) -> GuardOutcome:
    """Return the outcome of one guard for one reason; its own sentence unless there is another."""
    return GuardOutcome(
        verdict=verdict, reasons=(Reason(code, message or code.value),), feedback=feedback
    )


def listed(names: list[str]) -> str:
    """Return names in a sentence: long ones cut, many left out, control characters shown."""
    shown = [name[:_MAX_NAME] for name in names[:MAX_NAMED]]
    more = f" and {len(names) - MAX_NAMED} more" if len(names) > MAX_NAMED else ""
    return ", ".join(n if n.isprintable() else repr(n) for n in shown) + more
