"""What LangWatch Scenario's digest does to spans, as a model is told it by a running server."""

import json
from collections.abc import Sequence

import pytest
from consensus_client.testing import llm_tool_calls

from consensus.domain.trace import Span
from tests.systems.scenario_traces.looking import (
    Looking,
    looked_up,
    rubric,
    says,
    told,
    traced,
)
from tests.traces.building import STRUCTURE_SAMPLE, span
from tests.traces.test_digest import STRUCTURE_PAGE

LONG = "Bring an umbrella, for it may rain in the afternoon. " * 2
IMAGE = "data:image/png;base64," + "iVBORw0K" * 40


def holding(**attributes: object) -> list[Span]:
    return [span("f0", attributes=attributes)]


TOLD: list[tuple[str, Sequence[Span], Sequence[str], Sequence[str]]] = [
    (
        "children by start, and a parent that is not there makes a root",
        [span("f0", "root"), span("b", "late", 50, 60, "f0"), span("a", "soon", 5, 9, "f0"),
         span("c", "stray", 70, 80, "dead")],
        ["root (100ms)", "├── [a0000000] soon (4ms)", "└── [b0000000] late (10ms)",
         "\nstray (10ms)"],
        [],
    ),
    ("999 ms", [span("f0", end=999)], ["step (999ms)"], []),
    ("a second", [span("f0", end=1_000)], ["step (1.00s)"], []),
    ("2,050 ms", [span("f0", end=2_050)], ["step (2.05s)"], []),
    (
        "ids of thread and scenario, and the prefix",
        [span("f0", attributes={"langwatch.thread.id": "t", "langwatch.scenario.id": "s",
                                "langwatch.input": "first", "input": "second"})],
        ["input: first"],
        ["thread", "scenario", "langwatch", "second"],
    ),
    ("media", holding(shown=IMAGE), ["IMAGE"], ["iVBORw0KiVBORw0K"]),
    (
        "a text of JSON",
        holding(k=json.dumps({"picture": IMAGE, "words": "Hello."})),
        ["IMAGE", "Hello."],
        ["iVBORw0KiVBORw0K"],
    ),
    ("a repeated text", holding(a=LONG, b=LONG), ["b: [DUPLICATE - SEE ABOVE]"], []),
    ("a short text twice", holding(a="Rain.", b="Rain."), ["a: Rain.", "b: Rain."], ["DUPLICATE"]),
]  # fmt: skip


@pytest.mark.parametrize(
    ("spans", "there", "gone"), [c[1:] for c in TOLD], ids=[c[0] for c in TOLD]
)
async def test_a_model_is_told_spans_as_scenario_tells_them(
    bench: Looking, spans: Sequence[Span], there: Sequence[str], gone: Sequence[str]
) -> None:
    _, calls = await bench.judge("bare.openai_chat", says(), trace=traced(*spans))
    digest = told(calls[0])
    assert [words for words in there if words.lower() not in digest.lower()] == []
    assert [words for words in gone if words in digest] == []


async def test_tokens_of_a_span_are_told_in_the_tree_alone(bench: Looking) -> None:
    trace = traced(*STRUCTURE_SAMPLE)
    _, calls = await bench.judge("bare_outline.openai_chat", says(), trace=trace)
    assert told(calls[0]) + "\n" == STRUCTURE_PAGE
    assert "1500 tokens" in told(calls[0])
    _, calls = await bench.judge("bare.openai_chat", says(), trace=trace)
    assert "1500 tokens" not in told(calls[0])


async def test_an_empty_trace_is_told_as_not_recorded(bench: Looking) -> None:
    _, calls = await bench.judge("bare.openai_chat", says(), trace=traced())
    assert "ids and durations:\n(not recorded)" in calls[0].texts[-1]


@pytest.mark.parametrize("pattern", ['said "hi"', r"said \"hi\"", r"\nand"])
async def test_a_search_by_a_model_finds_what_json_escapes(bench: Looking, pattern: str) -> None:
    trace = traced(*holding(k='[{"t": "he said \\"hi\\",\\nand left"}]'))
    script = llm_tool_calls(("grep_trace", {"pattern": pattern})), says()
    _, calls = await bench.judge("outline.openai_chat", *script, trace=trace)
    (found,) = looked_up(calls[1])
    assert "No matches" not in found
    assert "f0000000" in found


async def test_the_prompt_states_role_form_and_criteria_by_their_own_ids(bench: Looking) -> None:
    _, calls = await bench.judge("tools.openai_chat", says(), rubric=rubric("books_room", "C2"))
    system, user = calls[0].texts[0], calls[0].texts[-1]
    assert system.startswith("You are a strict and fair judge.")
    order = ["requirement", "evidence", "reasoning", "status"]
    places = [system.index(f'"{key}"', system.index('"criterion_id"')) for key in order]
    assert places == sorted(places)
    assert {"books_room (required)", "C2 (required)"} <= {
        line.partition(":")[0] for line in user.splitlines()
    }
