"""What makes a panel or a gate unsound, wherever it was written."""

import math
from collections.abc import Iterator, Sequence

from consensus.domain.gradient import unit
from consensus.domain.guards import GoalGuards
from consensus.domain.policy import ConfidenceFactors, Gate, Panel, Stage, StrategyName


def panel_faults(panel: Panel) -> Iterator[tuple[str, str]]:
    """Yield (field, what is wrong) for everything that makes a panel unsound."""
    yield from _weight_faults(panel)
    voters = panel.voters
    if not (unit(panel.threshold) and panel.threshold > 0):
        yield "threshold", f"is {panel.threshold}; must be in (0, 1]"
    if not 1 <= panel.quorum <= max(voters, 1):
        yield "quorum", f"is {panel.quorum}; must be 1 to {voters}, the seats of positive weight"
    if panel.strategy is StrategyName.BEST_OF_N:
        if panel.n is None:
            yield "n", f"is missing; best_of_n needs 1 to {voters}, the seats of positive weight"
        elif not 1 <= panel.n <= voters:
            yield "n", f"is {panel.n}; must be 1 to {voters}, the seats of positive weight"
    elif panel.n is not None:
        yield "n", f"is {panel.n}; only best_of_n takes n, not {panel.strategy.value}"
    if not (math.isfinite(panel.trim) and 0 <= panel.trim < 0.5):
        yield "trim", f"is {panel.trim}; must be in [0, 0.5)"
    yield from _factor_faults(panel.factors)


def _weight_faults(panel: Panel) -> Iterator[tuple[str, str]]:
    if not panel.seats:
        yield "seats", "is empty; a panel needs at least one seat"
        return
    for index, seat in enumerate(panel.seats):
        if not (math.isfinite(seat.weight) and seat.weight >= 0):
            yield f"seats[{index}].weight", f"is {seat.weight}; must be finite and at least 0"
    total = sum(panel.weights)
    if not (total > 0 and math.isfinite(total)):
        yield "seats", f"have a total weight of {total}; must be positive and finite"


def _factor_faults(factors: ConfidenceFactors) -> Iterator[tuple[str, str]]:
    pair = (factors.agreement, factors.self_confidence)
    if not (unit(pair[0]) and unit(pair[1])):
        yield "confidence", f"has factors {pair[0]} and {pair[1]}; each must be in [0, 1]"
    elif abs(sum(pair) - 1) > 1e-9:
        yield "confidence", f"has factors that sum to {sum(pair):g}; must sum to 1"


def goal_stage_faults(goal: GoalGuards, stages: Sequence[Stage]) -> Iterator[tuple[str, str]]:
    """Yield (field, what is wrong) for the stages that the guards of a goal name."""
    panels = [stage.name for stage in stages if stage.panel is not None]
    before = -1
    for key in ("validator_stage", "fast_stage", "strong_stage"):
        name = getattr(goal, key)
        if not name:
            continue
        if name not in panels:
            known = ", ".join(panels) or "none here"
            yield key, f"is {name!r}; must be a stage with a panel: {known}"
            continue
        if panels.index(name) <= before:
            yield key, f"is {name!r}; must come behind the stage before it: {panels[before]!r}"
        before = panels.index(name)
        if key == "validator_stage":
            yield from _validator_faults(name, stages)


def _validator_faults(name: str, stages: Sequence[Stage]) -> Iterator[tuple[str, str]]:
    if name == stages[-1].name:
        yield "validator_stage", f"is {name!r}, the last stage; a judge's must follow"
        return
    panels = [stage.panel for stage in stages if stage.panel is not None and stage.name == name]
    counted = [seat.judge for seat in panels[0].seats if seat.weight and not seat.shadow]
    if counted != ["checks"]:
        words = f"is {name!r}, where {', '.join(counted)} count; must be the judge checks alone"
        yield "validator_stage", words


def gate_faults(gate: Gate) -> Iterator[tuple[str, str]]:
    """Yield (field, what is wrong) for everything that makes a gate unsound."""
    for name in ("min_score", "min_confidence", "min_agreement"):
        value = getattr(gate, name)
        if not unit(value):
            yield name, f"is {value}; must be in [0, 1]"
