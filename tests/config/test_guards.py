"""Guards as written: what is left out has the rules' own defaults, and absent ones cost nothing."""

from typing import Any

import pytest
from msgspec.structs import fields

from consensus.config.guards import GoalGuardsSection, ScenarioGuardsSection, TurnGuardsSection
from consensus.domain.guards import (
    Cadence,
    GoalGuards,
    GuardAction,
    Guards,
    ScenarioGuards,
    TurnGuards,
    TurnJudge,
)
from tests.config.policies import default, policy, rules


def guards(**written: Any) -> Guards | None:
    return default(rules({"default": {**policy(), **written}})).guards


def test_a_policy_that_names_no_guards_has_none() -> None:
    assert guards() is None
    assert guards(guards={}) == Guards()


def test_what_is_left_out_has_the_rules_own_default() -> None:
    assert guards(guards={"turns": {}, "goal": {}}) == Guards(turns=TurnGuards(), goal=GoalGuards())


def test_the_guards_of_a_scenario_stand_alone() -> None:
    assert guards(guards={"scenario": {}}) == Guards(scenario=ScenarioGuards())
    assert guards(guards={"scenario": {"max_turns": 5}}) == Guards(
        scenario=ScenarioGuards(max_turns=5)
    )


@pytest.mark.parametrize(
    ("section", "built"),
    [
        (TurnGuardsSection, TurnGuards),
        (GoalGuardsSection, GoalGuards),
        (ScenarioGuardsSection, ScenarioGuards),
    ],
)
def test_every_rule_can_be_written(section: Any, built: Any) -> None:
    assert list(section.model_fields) == [field.name for field in fields(built)]


def test_what_is_written_is_what_holds() -> None:
    written = {
        "max_iterations": 25,
        "turns": {"judge": "stages", "cadence": "all_turns", "control_tools": []},
        "goal": {"t1": 0.8, "checkpoints": [5], "on_plateau": "escalate", "claim_phrases": []},
    }
    assert guards(guards=written) == Guards(
        max_iterations=25,
        turns=TurnGuards(judge=TurnJudge.STAGES, cadence=Cadence.ALL_TURNS, control_tools=()),
        goal=GoalGuards(
            t1=0.8, checkpoints=(5,), on_plateau=GuardAction.ESCALATE, claim_phrases=()
        ),
    )
