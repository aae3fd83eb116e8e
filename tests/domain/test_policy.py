"""What makes a panel or a gate unsound is named: the field, its value and what is allowed."""

import math

import pytest
from msgspec.structs import replace

from consensus.domain.guards import GoalGuards
from consensus.domain.policy import (
    Action,
    ConfidenceFactors,
    Gate,
    Overrides,
    Panel,
    Seat,
    Stage,
    StrategyName,
    Tie,
)
from consensus.domain.soundness import gate_faults, goal_stage_faults, panel_faults

A, B, WEIGHTLESS = Seat(judge="a"), Seat(judge="b"), Seat(judge="c", weight=0.0)
PANEL = Panel(seats=(A, B, WEIGHTLESS))
BEST = replace(PANEL, strategy=StrategyName.BEST_OF_N, n=2)


def weighing(*weights: float) -> Panel:
    """Return a panel with seats of these weights."""
    return Panel(seats=tuple(Seat(judge="a", weight=weight) for weight in weights))


def factors(agreement: float, self_confidence: float) -> Panel:
    """Return a panel with these confidence factors."""
    pair = ConfidenceFactors(agreement=agreement, self_confidence=self_confidence)
    return replace(PANEL, factors=pair)


@pytest.mark.parametrize(
    "panel",
    [
        PANEL,
        BEST,
        replace(BEST, n=1),
        replace(PANEL, quorum=2),
        replace(PANEL, threshold=1.0),
        replace(PANEL, threshold=1e-9),
        replace(PANEL, trim=0.0),
        replace(PANEL, trim=0.499),
        replace(PANEL, tie=Tie.ESCALATE, strategy=StrategyName.MAJORITY),
        factors(1.0, 0.0),
        factors(0.1, 0.9),
        factors(1 / 3, 2 / 3),
        weighing(0.001, 1000.0),
    ],
)
def test_a_sound_panel_has_no_faults(panel: Panel) -> None:
    assert list(panel_faults(panel)) == []


@pytest.mark.parametrize(
    ("panel", "field", "message"),
    [
        (replace(PANEL, threshold=0.0), "threshold", "is 0.0; must be in (0, 1]"),
        (replace(PANEL, threshold=-0.5), "threshold", "is -0.5; must be in (0, 1]"),
        (replace(PANEL, threshold=1.01), "threshold", "is 1.01; must be in (0, 1]"),
        (replace(PANEL, threshold=math.nan), "threshold", "is nan; must be in (0, 1]"),
        (
            replace(PANEL, quorum=0),
            "quorum",
            "is 0; must be 1 to 2, the seats of positive weight",
        ),
        (
            replace(PANEL, quorum=3),
            "quorum",
            "is 3; must be 1 to 2, the seats of positive weight",
        ),
        (
            replace(BEST, n=None),
            "n",
            "is missing; best_of_n needs 1 to 2, the seats of positive weight",
        ),
        (replace(BEST, n=0), "n", "is 0; must be 1 to 2, the seats of positive weight"),
        (replace(BEST, n=3), "n", "is 3; must be 1 to 2, the seats of positive weight"),
        (replace(PANEL, n=2), "n", "is 2; only best_of_n takes n, not weighted_average"),
        (replace(PANEL, trim=-0.1), "trim", "is -0.1; must be in [0, 0.5)"),
        (replace(PANEL, trim=0.5), "trim", "is 0.5; must be in [0, 0.5)"),
        (replace(PANEL, trim=math.nan), "trim", "is nan; must be in [0, 0.5)"),
        (factors(1.5, -0.5), "confidence", "has factors 1.5 and -0.5; each must be in [0, 1]"),
        (factors(math.nan, 0.3), "confidence", "has factors nan and 0.3; each must be in [0, 1]"),
        (factors(0.3, math.inf), "confidence", "has factors 0.3 and inf; each must be in [0, 1]"),
        (factors(0.7, 0.2), "confidence", "has factors that sum to 0.9; must sum to 1"),
    ],
)
def test_a_fault_names_its_field_its_value_and_what_is_allowed(
    panel: Panel, field: str, message: str
) -> None:
    assert list(panel_faults(panel)) == [(field, message)]


@pytest.mark.parametrize(
    ("panel", "faults"),
    [
        (Panel(seats=()), [("seats", "is empty; a panel needs at least one seat")]),
        (
            weighing(0.0, 0.0),
            [("seats", "have a total weight of 0.0; must be positive and finite")],
        ),
        (
            weighing(3.0, -1.0),
            [("seats[1].weight", "is -1.0; must be finite and at least 0")],
        ),
        (
            weighing(1.0, math.nan),
            [
                ("seats[1].weight", "is nan; must be finite and at least 0"),
                ("seats", "have a total weight of nan; must be positive and finite"),
            ],
        ),
        (
            weighing(math.inf, 1.0),
            [
                ("seats[0].weight", "is inf; must be finite and at least 0"),
                ("seats", "have a total weight of inf; must be positive and finite"),
            ],
        ),
        (
            weighing(1e308, 1e308),
            [("seats", "have a total weight of inf; must be positive and finite")],
        ),
    ],
)
def test_weights_are_faulted_by_seat_and_in_total(
    panel: Panel, faults: list[tuple[str, str]]
) -> None:
    assert list(panel_faults(panel)) == faults


def test_a_panel_without_seats_is_not_blamed_for_its_quorum_as_well() -> None:
    assert [field for field, _ in panel_faults(Panel(seats=(), quorum=2))] == ["seats", "quorum"]
    assert [field for field, _ in panel_faults(Panel(seats=()))] == ["seats"]


def test_every_fault_of_a_panel_is_found_at_once() -> None:
    panel = replace(factors(2.0, 0.3), threshold=0.0, quorum=9, n=1, trim=0.6)
    fields = [field for field, _ in panel_faults(panel)]
    assert fields == ["threshold", "quorum", "n", "trim", "confidence"]


@pytest.mark.parametrize("name", ["min_score", "min_confidence", "min_agreement"])
@pytest.mark.parametrize("value", [-0.1, 1.1, math.nan, math.inf])
def test_a_bound_of_a_gate_lies_between_zero_and_one(name: str, value: float) -> None:
    gate = replace(Gate(), **{name: value})
    assert list(gate_faults(gate)) == [(name, f"is {value}; must be in [0, 1]")]


def test_a_gate_of_zeros_or_ones_is_sound() -> None:
    assert list(gate_faults(Gate())) == []
    assert list(gate_faults(Gate(min_score=0.0))) == []
    assert list(gate_faults(Gate(min_score=1.0, min_confidence=1.0, min_agreement=1.0))) == []


@pytest.mark.parametrize("panel", [PANEL, BEST])
def test_without_overrides_nothing_changes(panel: Panel) -> None:
    gate = Gate(min_score=0.6, min_confidence=0.5, min_agreement=0.4)
    assert Overrides().of_panel(panel) == panel
    assert Overrides().of_gate(gate) == gate


def test_an_override_of_zero_is_an_override() -> None:
    gate = Gate(min_score=0.6, min_confidence=0.5, min_agreement=0.4)
    zeros = Overrides(min_score=0.0, min_confidence=0.0, min_agreement=0.0, threshold=0.0, n=0)
    assert zeros.of_gate(gate) == Gate(min_score=0.0, min_confidence=0.0, min_agreement=0.0)
    assert zeros.of_panel(BEST).n == 0
    assert zeros.of_panel(BEST).threshold == 0.0


def test_overrides_change_only_what_they_name() -> None:
    changed = Overrides(threshold=0.9).of_panel(BEST)
    assert changed == replace(BEST, threshold=0.9)
    gate = Gate(min_score=0.6, min_confidence=0.5, min_agreement=0.4)
    assert Overrides(min_agreement=0.9).of_gate(gate) == replace(gate, min_agreement=0.9)


def test_another_strategy_leaves_the_n_of_best_of_n_behind() -> None:
    panel = Overrides(strategy=StrategyName.MEDIAN).of_panel(BEST)
    assert panel == replace(BEST, strategy=StrategyName.MEDIAN, n=None)
    assert list(panel_faults(panel)) == []


def test_an_n_for_another_strategy_is_kept_to_be_faulted() -> None:
    panel = Overrides(n=1).of_panel(PANEL)
    assert [field for field, _ in panel_faults(panel)] == ["n"]


def test_best_of_n_takes_the_n_of_the_override_before_that_of_the_panel() -> None:
    override = Overrides(strategy=StrategyName.BEST_OF_N, n=1)
    assert override.of_panel(PANEL) == replace(BEST, n=1)
    assert override.of_panel(BEST) == replace(BEST, n=1)
    assert Overrides(strategy=StrategyName.BEST_OF_N).of_panel(BEST) == BEST
    missing = Overrides(strategy=StrategyName.BEST_OF_N).of_panel(PANEL)
    assert [field for field, _ in panel_faults(missing)] == ["n"]


def staged(name: str, panel: Panel | None = PANEL) -> Stage:
    retry = Action.RETRY
    return Stage(
        name=name, panel=panel, on_pass=retry, on_fail=retry, on_unsure=retry, on_no_quorum=retry
    )


def seated(*judges: str, shadow: str = "") -> Panel:
    return Panel(seats=tuple(Seat(judge=name, shadow=name == shadow) for name in judges))


STAGES = [
    staged("checks", None),
    staged("hard", seated("checks", "a", shadow="a")),
    staged("soft", seated("checks", "a")),
    staged("unchecked", seated("checks", "a", shadow="checks")),
    staged("fast"),
    staged("strong"),
]


@pytest.mark.parametrize(
    ("names", "field", "words"),
    [
        (("hard", "fast", "strong"), "", ""),
        (("", "fast", ""), "", ""),
        (("checks", "", ""), "validator_stage", "is 'checks'; must be a stage with a panel: hard"),
        (("", "fats", ""), "fast_stage", "is 'fats'; must be a stage with a panel"),
        (("", "strong", "fast"), "strong_stage", "must come behind the stage before it: 'strong'"),
        (("", "fast", "fast"), "strong_stage", "must come behind the stage before it: 'fast'"),
        (("strong", "", ""), "validator_stage", "is 'strong', the last stage"),
        (("soft", "", ""), "validator_stage", "where checks, a count; must be the judge checks"),
        (("unchecked", "", ""), "validator_stage", "is 'unchecked', where a count; must be"),
    ],
)
def test_the_stages_of_a_goal_have_panels_and_an_order(
    names: tuple[str, str, str], field: str, words: str
) -> None:
    validator, fast, strong = names
    goal = GoalGuards(validator_stage=validator, fast_stage=fast, strong_stage=strong)
    found = list(goal_stage_faults(goal, STAGES))
    assert [name for name, _ in found] == ([field] if field else [])
    assert all(words in told for _, told in found)


def test_a_policy_without_panels_has_no_stage_for_a_goal() -> None:
    ((_, words),) = goal_stage_faults(GoalGuards(fast_stage="checks"), STAGES[:1])
    assert "none here" in words
