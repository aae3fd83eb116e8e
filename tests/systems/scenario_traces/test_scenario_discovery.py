"""LangWatch Scenario's steps before the decision: expand, grep, and what a model may get wrong."""

import json

import pytest
from consensus_client.testing import (
    llm_tool_calls,
)

from consensus.v1 import decision_pb2
from tests.systems.scenario_traces.looking import (
    COST,
    IN,
    OUT,
    Looking,
    decision_call,
    looked_up,
    says,
    told,
    traced,
)
from tests.traces.building import SAMPLE, span

SCORED, FAILED = decision_pb2.SEAT_STATUS_SCORED, decision_pb2.SEAT_STATUS_FAILED


EXPAND = ("expand_trace", {"span_ids": ["c2d3e4f5"]})
GREP = ("grep_trace", {"pattern": "SUNNY"})


async def test_a_judge_expands_greps_and_then_decides(bench: Looking, kind: str) -> None:
    script = [llm_tool_calls(EXPAND), llm_tool_calls(GREP, EXPAND), says()]
    seat, calls = await bench.judge(f"outline.{kind}", *script, trace=traced(*SAMPLE))
    assert [call.tools for call in calls] == [("expand_trace", "grep_trace")] * 3
    assert all(call.body["tool_choice"] in ("auto", {"type": "auto"}) for call in calls)
    assert {call.body["temperature"] for call in calls} == {0.0}
    expanded, *more = looked_up(calls[2])
    assert expanded.startswith("[c2d3e4f5] 2023-11-14T22:13:20.600Z tool.fetch_weather (300ms)")
    assert '    tool.input: {"city": "Paris"}' in expanded
    assert "--- [c2d3e4f5] tool.fetch_weather (300ms) ---" in more[0]
    assert more[1] == expanded
    assert (seat.status, seat.attempts) == (SCORED, 3)
    assert seat.gradient.metadata["discovery_steps"] == "3"
    assert (seat.usage.input_tokens, seat.usage.output_tokens) == (3 * IN, 3 * OUT)
    assert seat.usage.cost_usd == pytest.approx(3 * COST)


async def test_what_was_called_and_what_came_of_it_belong_together(
    bench: Looking, kind: str
) -> None:
    script = [llm_tool_calls(EXPAND, GREP), llm_tool_calls(EXPAND), says()]
    _, calls = await bench.judge(f"outline.{kind}", *script, trace=traced(*SAMPLE))
    made: list[str] = []
    answered: list[str] = []
    for message in calls[2].body["messages"]:
        blocks = message["content"] if isinstance(message["content"], list) else []
        made += [call["id"] for call in message.get("tool_calls", ())]
        made += [each["id"] for each in blocks if each["type"] == "tool_use"]
        answered += [message["tool_call_id"]] if message["role"] == "tool" else []
        answered += [each["tool_use_id"] for each in blocks if each["type"] == "tool_result"]
    assert made == answered
    assert len(set(made)) == 3


async def test_a_judge_that_needs_no_tool_decides_at_once(bench: Looking, kind: str) -> None:
    seat, calls = await bench.judge(f"outline.{kind}", says(0.7), trace=traced(*SAMPLE))
    assert (seat.gradient.score, seat.attempts, len(calls)) == (0.7, 1, 1)


@pytest.mark.parametrize("judge", ["two_steps", "by_tool"])
async def test_after_the_last_step_it_decides_without_tools_in_the_usual_form(
    bench: Looking, kind: str, judge: str
) -> None:
    steps = 2 if judge == "two_steps" else 10
    script = [llm_tool_calls(EXPAND)] * steps
    seat, calls = await bench.judge(f"{judge}.{kind}", *script, says(), trace=traced(*SAMPLE))
    assert [bool(call.tools) for call in calls[:-1]] == [True] * steps
    if judge == "two_steps":
        decision_call(calls[-1], kind)
    else:
        assert (calls[-1].tools, calls[-1].tool) == (("answer",), "answer")
    found = told(calls[-1], "LOOKUPS")
    assert found.count('expand_trace({"span_ids": ["c2d3e4f5"]})\n[c2d3e4f5] ') == steps
    assert seat.status == SCORED
    assert seat.gradient.metadata["discovery_steps"] == str(steps)
    assert seat.usage.cost_usd == pytest.approx((steps + 1) * COST)


async def test_a_model_that_looks_for_ever_is_made_to_decide(bench: Looking, kind: str) -> None:
    seat, calls = await bench.judge(f"outline.{kind}", llm_tool_calls(GREP), trace=traced(*SAMPLE))
    assert [bool(call.tools) for call in calls] == [True] * 10 + [False] * 2
    assert (seat.status, seat.attempts) == (FAILED, 12)
    assert seat.failure.kind == decision_pb2.FAILURE_KIND_UNREADABLE
    assert seat.usage.input_tokens == 12 * IN


BIG = {"pattern": "x" * 2_000_000}
QUESTIONS: dict[str, tuple[tuple[str, object], str]] = {
    "no match lists the names": (
        ("grep_trace", {"pattern": "rainy"}),
        (
            'No matches found for "rainy". Available span names: agent.run, llm.call, '
            "tool.fetch_weather, llm.completion"
        ),
    ),
    "no such span lists the ids": (
        ("expand_trace", {"span_ids": ["ffff"]}),
        "Error: no span has such an id (4 digits at least). There are: f0000000, a0b1c2d3",
    ),
    "an empty id is not everything": (
        ("expand_trace", {"span_ids": [""]}),
        "Error: no span has such an id (4 digits at least).",
    ),
    "three digits are too few": (
        ("expand_trace", {"span_ids": ["c2d"]}),
        "Error: no span has such an id (4 digits at least).",
    ),
    "an id in brackets": (("expand_trace", {"span_ids": ["[C2D3E4F5]"]}), "[c2d3e4f5] "),
    "an empty pattern": (("grep_trace", {"pattern": ""}), "Error: the pattern has 0 characters"),
    "a pattern of 1001 characters": (
        ("grep_trace", {"pattern": "x" * 1_001}),
        "Error: the pattern has 1001 characters",
    ),
    "a pattern is no expression": (("grep_trace", {"pattern": ".*"}), "No matches found"),
    "a pattern of 2 MB": (("grep_trace", BIG), "Error: the arguments are no JSON object"),
    "a pattern that is no text": (
        ("grep_trace", {"pattern": ["x"]}),
        "Error: pattern must be a text",
    ),
    "no pattern": (("grep_trace", {}), "Error: pattern must be a text"),
    "500 ids": (("expand_trace", {"span_ids": ["a"] * 500}), "Error: span_ids must be"),
    "ids that are no texts": (("expand_trace", {"span_ids": [7]}), "Error: span_ids must be"),
    "ids that are no list": (("expand_trace", {"span_ids": "c2d3"}), "Error: span_ids must be"),
    "no JSON": (("expand_trace", '{"span_ids": ["c2d3'), "Error: the arguments are no JSON object"),
    "a list": (("expand_trace", "[1]"), "Error: the arguments are no JSON object"),
    "NaN": (("grep_trace", '{"pattern": NaN}'), "Error: the arguments are no JSON object"),
    "half a pair": (
        ("grep_trace", '{"pattern": "\\ud800"}'),
        "Error: the arguments are no JSON object",
    ),
    "deep": (("grep_trace", "[" * 4_000), "Error: the arguments are no JSON object"),
    "no such tool": (("rm -rf", {}), "Error: there is no such tool. There are: expand_trace"),
    "a tool for what is told": (
        ("grep_transcript", {"pattern": "x"}),
        "Error: there is no such tool",
    ),
}


@pytest.mark.parametrize("what", QUESTIONS)
async def test_a_wrong_question_is_answered_and_the_judge_goes_on(
    bench: Looking, kind: str, what: str
) -> None:
    call, answer = QUESTIONS[what]
    script = [llm_tool_calls(call), says()]
    seat, calls = await bench.judge(f"outline.{kind}", *script, trace=traced(*SAMPLE))
    assert looked_up(calls[1])[0].startswith(answer)
    assert (seat.status, seat.attempts) == (SCORED, 2)
    assert len(json.dumps(calls[1].body)) < 40_000


async def test_many_calls_at_once_share_the_budget_of_one_step(bench: Looking, kind: str) -> None:
    spans = [span(f"abcd{n:04x}", attributes={"k": "match " * 500}) for n in range(40)]
    many = [("expand_trace", {"span_ids": ["abcd"]}), ("grep_trace", {"pattern": "match"})]
    script = [llm_tool_calls(*many * 100), says()]
    _, calls = await bench.judge(f"outline.{kind}", *script, trace=traced(*spans))
    results = looked_up(calls[1])
    assert len(results) == 4
    first, hint = results[0].split("\n\n[TRUNCATED] ")
    assert (len(first), hint[:17]) == (16_384, "More than 4096 to")
    assert sum(map(len, results)) <= 16_384 + 512


async def test_20_spans_are_shown_and_the_others_counted(bench: Looking, kind: str) -> None:
    spans = [span(f"abcd{n:04x}", attributes={"k": "match"}) for n in range(23)]
    script = [llm_tool_calls(("grep_trace", {"pattern": "match"})), says()]
    _, calls = await bench.judge(f"outline.{kind}", *script, trace=traced(*spans))
    found = looked_up(calls[1])[0]
    assert found.count("--- [") == 20
    assert found.endswith("[3 more matches omitted. Refine the pattern.]")
