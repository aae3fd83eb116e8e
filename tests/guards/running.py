"""Builders: turns, findings and guards in few words."""

from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace

from consensus.domain.decision import CriterionResult, ReasonCode
from consensus.domain.gradient import Evidence, FindingStatus
from consensus.domain.guards import GoalGuards, Guards, TurnGuards
from consensus.domain.submission import Submission
from consensus.domain.turn import EarlierTurn, OutputKey, ToolCall, Turn
from consensus.guards import GuardOutcome

HIVE = Guards(turns=TurnGuards())
GOAL = Guards(goal=GoalGuards())


def hive(**rules: Any) -> Guards:
    """Return guards over turns with these rules changed."""
    return replace(HIVE, turns=TurnGuards(**rules))


def goal(**rules: Any) -> Guards:
    """Return guards over a goal with these rules changed."""
    return replace(GOAL, goal=GoalGuards(**rules))


def keys(*names: str) -> tuple[OutputKey, ...]:
    """Return output keys; a name that ends in `?` may stay unset."""
    return tuple(OutputKey(name.removesuffix("?"), name.endswith("?")) for name in names)


def calls(*names: str, arguments: str = '{"q": 1}', failed: bool = False) -> tuple[ToolCall, ...]:
    """Return tool calls with the same arguments."""
    return tuple(ToolCall(name=name, arguments=arguments, failed=failed) for name in names)


def before(*turns: str | Sequence[ToolCall] | int) -> tuple[EarlierTurn, ...]:
    """Return earlier turns by their text, their tool calls, or the criteria met in them."""
    return tuple(
        EarlierTurn(text=turn)
        if isinstance(turn, str)
        else EarlierTurn(criteria_met=turn)
        if isinstance(turn, int)
        else EarlierTurn(tool_calls=tuple(turn))
        for turn in turns
    )


def about(text: str = "Here you are.", outputs: Any = None, **facts: Any) -> Submission:
    """Return a submission with a turn of these facts."""
    return Submission(task="Plan.", candidate=text, outputs=outputs or {}, turn=Turn(**facts))


def criterion(
    name: str, status: str = "met", *, required: bool = True, quoted: bool = True
) -> CriterionResult:
    """Return what was found of one criterion; a MET one with evidence unless told."""
    met = FindingStatus(status) is FindingStatus.MET
    return CriterionResult(
        criterion_id=name,
        text=f"Holds {name}",
        required=required,
        status=FindingStatus(status),
        evidence=(Evidence("words"),) if met and quoted else (),
    )


def codes(outcome: GuardOutcome | None) -> list[ReasonCode]:
    """Return the codes of the reasons; none where the guards say nothing."""
    return [reason.code for reason in outcome.reasons] if outcome else []
