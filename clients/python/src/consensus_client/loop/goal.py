"""The goal's scorecard: how far a run has come, measured at its end. It steers nothing."""

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import chain, islice
from typing import Literal, TypeAlias, get_args

from consensus.v1.submission_pb2 import Criterion
from consensus_client import expect
from consensus_client.loop.turns import Turn

MET_FROM = 0.8
"""Progress from which a criterion without a target of its own is met."""
SUCCESS_FROM = 0.9
"""Share of the weight that must be met for success."""
COMPLETE_FROM = 0.95
ADJUST_BELOW = 0.3
ADJUST_AFTER_DECISIONS = 10
MAX_EVIDENCE = 5
_SLACK = 1e-9
"""Sums of weights such as 0.1 are off by their rounding."""
_PERCENT = re.compile(r"\s*(\d+(?:\.\d+)?)\s*%\s*")

Counting: TypeAlias = Literal["every", "last"]


class Recommendation(StrEnum):
    """What the scorecard would do next."""

    COMPLETE = "complete"
    ADJUST = "adjust"
    CONTINUE = "continue"


@dataclass(frozen=True, slots=True)
class GoalCriterion:
    """One line of the checklist. Raises ValueError on a weight out of range or a bad target."""

    id: str
    """Of the rubric's criterion whose findings count."""
    text: str = ""
    weight: float = 1.0
    """0 to 1, both inclusive."""
    target: str = ""
    """Progress from which it is met, such as `90%`; empty means 80%."""

    def __post_init__(self) -> None:
        expect.text("GoalCriterion.id", self.id, such_as="C1")
        expect.text(f"text of {self.id}", self.text)
        expect.number(f"weight of {self.id}", self.weight, 0, 1)
        expect.text(f"target of {self.id}", self.target)
        if self.target and not (0 <= self.met_from <= 1):
            raise ValueError(f"target of {self.id} is above 100%")

    @property
    def met_from(self) -> float:
        """Progress from which it is met, 0 to 1."""
        percent = _PERCENT.fullmatch(self.target)
        return float(percent[1]) / 100 if percent else MET_FROM


@dataclass(frozen=True, slots=True)
class Constraint:
    """A rule for the whole job: violated where a decision finds its criterion UNMET."""

    id: str
    text: str = ""
    hard: bool = True
    """Hard: a violation means adjust. Soft: it is reported."""

    def __post_init__(self) -> None:
        expect.text("Constraint.id", self.id, such_as="C1")
        expect.text(f"text of {self.id}", self.text)
        expect.flag(f"hard of {self.id}", self.hard)


@dataclass(frozen=True, slots=True)
class Goal:
    """What the whole job is for.

    `counting`: with `every`, each decision that speaks of a criterion is an outcome, so that a
    mended fault still tells; with `last`, only the latest one is.
    Raises TypeError on other criteria and constraints, ValueError on another counting.
    """

    criteria: Sequence[GoalCriterion]
    constraints: Sequence[Constraint] = ()
    counting: Counting = "every"

    def __post_init__(self) -> None:
        expect.each("Goal.criteria", self.criteria, GoalCriterion, "a GoalCriterion")
        expect.each("Goal.constraints", self.constraints, Constraint, "a Constraint")
        if self.counting not in get_args(Counting):
            words = " or ".join(get_args(Counting))
            raise ValueError(f"Goal.counting is {self.counting!r}; must be {words}")


@dataclass(frozen=True, slots=True)
class CriterionScore:
    """How one criterion of the goal stands."""

    id: str
    text: str
    weight: float
    progress: float
    """Share of the outcomes that were MET, 0 to 1, as it is: not raised to 1 when met."""
    met: bool
    met_count: int
    outcome_count: int
    """MET and UNMET; INCONCLUSIVE is no outcome."""
    latest: str
    """MET, UNMET or INCONCLUSIVE in the latest decision that names it; else empty."""
    evidence: tuple[str, ...]
    """The first 5 quotations."""

    @property
    def unmet_count(self) -> int:
        """How many outcomes were UNMET."""
        return self.outcome_count - self.met_count


@dataclass(frozen=True, slots=True)
class Scorecard:
    """How a goal stands."""

    criteria: tuple[CriterionScore, ...]
    overall_progress: float
    """Weighted, a met criterion counting 1; 0 to 1."""
    raw_progress: float
    """Weighted, every criterion counting its progress; 0 to 1."""
    is_success: bool
    """At least 0.9 of the weight is met. A lower bar than COMPLETE's."""
    recommendation: Recommendation
    hard_violations: tuple[str, ...]
    soft_violations: tuple[str, ...]
    not_evaluated: tuple[str, ...]
    """Criteria without an outcome. They stay in the denominator, with progress 0."""
    decision_count: int


def goal_of(criteria: Sequence[Criterion], counting: Counting = "every") -> Goal:
    """Return the goal that a rubric amounts to; weights in proportion, the largest 1."""
    weights = [each.weight if each.HasField("weight") else 1.0 for each in criteria]
    top = max(weights, default=1.0)
    lines = [
        GoalCriterion(each.id, each.text, weight / top)
        for each, weight in zip(criteria, weights, strict=True)
    ]
    return Goal(lines, counting=counting)


def scorecard(goal: Goal, turns: Sequence[Turn]) -> Scorecard:
    """Return how a goal stands after these turns; those that no judge saw do not count."""
    decisions = [turn for turn in turns if turn.request_id]
    scores = tuple(_score(each, decisions, goal.counting) for each in goal.criteria)
    overall = _weighted((each.weight, 1.0 if each.met else each.progress) for each in scores)
    violated = [each for each in goal.constraints if _is_violated(each, decisions, goal.counting)]
    hard = tuple(each.id for each in violated if each.hard)
    return Scorecard(
        criteria=scores,
        overall_progress=overall,
        raw_progress=_weighted((each.weight, each.progress) for each in scores),
        is_success=_weighted((each.weight, float(each.met)) for each in scores)
        >= SUCCESS_FROM - _SLACK,
        recommendation=recommend(overall, len(decisions), violated_hard=bool(hard)),
        hard_violations=hard,
        soft_violations=tuple(each.id for each in violated if not each.hard),
        not_evaluated=tuple(each.id for each in scores if not each.outcome_count),
        decision_count=len(decisions),
    )


def recommend(overall: float, decision_count: int, *, violated_hard: bool) -> Recommendation:
    """Return what to do next; the first rule that fits."""
    if violated_hard:
        return Recommendation.ADJUST
    if overall >= COMPLETE_FROM - _SLACK:
        return Recommendation.COMPLETE
    if overall < ADJUST_BELOW - _SLACK and decision_count > ADJUST_AFTER_DECISIONS:
        return Recommendation.ADJUST
    return Recommendation.CONTINUE


def _score(line: GoalCriterion, decisions: Sequence[Turn], counting: Counting) -> CriterionScore:
    named = [turn.findings[line.id] for turn in decisions if line.id in turn.findings]
    outcomes = _outcomes(line.id, decisions, counting)
    progress = outcomes.count("MET") / len(outcomes) if outcomes else 0.0
    quotations = chain.from_iterable(turn.evidence.get(line.id, ()) for turn in decisions)
    return CriterionScore(
        id=line.id,
        text=line.text,
        weight=line.weight,
        progress=progress,
        met=bool(outcomes) and progress >= line.met_from,
        met_count=outcomes.count("MET"),
        outcome_count=len(outcomes),
        latest=named[-1] if named else "",
        evidence=tuple(islice(quotations, MAX_EVIDENCE)),
    )


def _is_violated(rule: Constraint, decisions: Sequence[Turn], counting: Counting) -> bool:
    return "UNMET" in _outcomes(rule.id, decisions, counting)


def _outcomes(criterion_id: str, decisions: Sequence[Turn], counting: Counting) -> list[str]:
    found = [turn.findings.get(criterion_id, "") for turn in decisions]
    outcomes = [status for status in found if status in ("MET", "UNMET")]
    return outcomes[-1:] if counting == "last" else outcomes


def _weighted(pairs: Iterable[tuple[float, float]]) -> float:
    """Return the weighted mean; 0 where nothing has weight."""
    listed = list(pairs)
    total = math.fsum(weight for weight, _ in listed)
    return math.fsum(weight * value for weight, value in listed) / total if total else 0.0
