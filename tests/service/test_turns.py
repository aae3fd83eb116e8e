"""A turn that breaks the contract is refused, each fault by its field."""

from math import nan
from typing import Any

import pytest

from consensus.service.turns import turn
from consensus.v1 import submission_pb2 as pb


def faults(**fields: Any) -> list[str]:
    return [f"{v.field}: {v.description}" for v in turn(pb.Turn(**fields), "turn")]


def call(**fields: Any) -> pb.ToolCall:
    return pb.ToolCall(**{"name": "search", **fields})


def earlier(**fields: Any) -> list[pb.EarlierTurn]:
    return [pb.EarlierTurn(**fields)]


@pytest.mark.parametrize(
    ("fields", "fault"),
    [
        ({"iteration": -1}, "turn.iteration: is -1; must be at least 0"),
        ({"max_iterations": 0}, "turn.max_iterations: is 0; must be 1 to 10000"),
        ({"max_iterations": 10_001}, "turn.max_iterations: is 10001; must be 1 to 10000"),
        ({"judge_every_n_turns": -2}, "turn.judge_every_n_turns: is -2; must be 1 to 10000"),
        (
            {"success_criteria": "x" * 20_001},
            "turn.success_criteria: has 20001 characters; at most 20000",
        ),
        (
            {"node_description": "x" * 20_001},
            "turn.node_description: has 20001 characters; at most 20000",
        ),
        ({"tool_calls": [call()] * 129}, "turn.tool_calls: has 129 entries; at most 128"),
        (
            {"tool_calls": [call(), call(name="")]},
            "turn.tool_calls[1].name: has 0 characters; must have 1 to 200",
        ),
        (
            {"tool_calls": [call(arguments="x" * 200_001)]},
            "turn.tool_calls[0].arguments: has 200001 characters; at most 200000",
        ),
        (
            {"output_keys": [pb.OutputKey(name=str(i)) for i in range(257)]},
            "turn.output_keys: has 257 entries; at most 256",
        ),
        (
            {"output_keys": [pb.OutputKey(name="a"), pb.OutputKey(name="a")]},
            "turn.output_keys[1].name: is 'a', which output_keys[0] has",
        ),
        (
            {"output_keys": [pb.OutputKey(name="x" * 201)]},
            "turn.output_keys[0].name: has 201 characters; must have 1 to 200",
        ),
        ({"earlier": earlier() * 65}, "turn.earlier: has 65 entries; at most 64"),
        (
            {"earlier": earlier(text="x" * 200_001)},
            "turn.earlier[0].text: has 200001 characters; at most 200000",
        ),
        (
            {"earlier": earlier(tool_calls=[call(name="")])},
            "turn.earlier[0].tool_calls[0].name: has 0 characters; must have 1 to 200",
        ),
        (
            {"earlier": earlier(criteria_met=257)},
            "turn.earlier[0].criteria_met: is 257; must be 0 to 256",
        ),
        (
            {"earlier": earlier(goal_status=99)},
            "turn.earlier[0].goal_status: is 99, which is no status",
        ),
        (
            {"earlier": earlier(goal_confidence=nan)},
            "turn.earlier[0].goal_confidence: is nan; must be in [0, 1]",
        ),
    ],
    ids=lambda given: "" if isinstance(given, dict) else given.partition(":")[0],
)
def test_a_fault_is_told_with_its_field(fields: dict[str, Any], fault: str) -> None:
    assert faults(**fields) == [fault]


def test_an_empty_turn_and_a_full_one_are_sound() -> None:
    assert not faults()
    assert not faults(
        iteration=9_999,
        max_iterations=10_000,
        judge_every_n_turns=1,
        tool_calls=[call(arguments="{}", failed=True)],
        output_keys=[pb.OutputKey(name="plan", nullable=True)],
        earlier=earlier(text="a", criteria_met=256, goal_status=1, goal_confidence=1.0) * 64,
    )
