"""What goes wrong while a judge looks things up, and what looking costs."""

import json

import pytest
from consensus_client.testing import (
    LlmAnswer,
    delayed,
    error_in_200,
    garbage,
    hang,
    llm_reply,
    llm_tool_calls,
)

from consensus.v1 import decision_pb2
from tests.systems.scenario_traces.looking import (
    DIALECTS,
    IN,
    Looking,
    decision_call,
    says,
    told,
    traced,
)
from tests.traces.building import SAMPLE

SCORED, FAILED = decision_pb2.SEAT_STATUS_SCORED, decision_pb2.SEAT_STATUS_FAILED


EXPAND = ("expand_trace", {"span_ids": ["c2d3e4f5"]})
GREP = ("grep_trace", {"pattern": "SUNNY"})


async def test_a_server_that_hangs_in_the_middle_costs_the_seat(bench: Looking, kind: str) -> None:
    script: list[LlmAnswer] = [llm_tool_calls(EXPAND), hang()]
    seat, calls = await bench.judge(f"hasty.{kind}", *script, trace=traced(*SAMPLE))
    assert (seat.status, len(calls)) == (FAILED, 2)
    assert seat.failure.kind == decision_pb2.FAILURE_KIND_TIMEOUT
    assert seat.usage.input_tokens == IN
    assert not seat.usage.HasField("cost_usd")


async def test_a_slow_model_is_made_to_decide_while_there_is_time(
    bench: Looking, kind: str
) -> None:
    script: list[LlmAnswer] = [delayed(llm_tool_calls(EXPAND), 0.2), says()]
    seat, calls = await bench.judge(f"hasty.{kind}", *script, trace=traced(*SAMPLE))
    assert seat.status == SCORED
    assert [bool(call.tools) for call in calls] == [True, False]


@pytest.mark.parametrize(
    ("answer", "failure"),
    [
        pytest.param(error_in_200(500), "ERROR", id="a fault of the backend"),
        pytest.param(llm_reply("No.", "refusal"), "REFUSED", id="a refusal"),
        pytest.param(llm_reply("", "content_filter"), "", id="a filter"),
    ],
)
async def test_what_no_second_attempt_mends_costs_the_seat(
    bench: Looking, answer: LlmAnswer, failure: str
) -> None:
    script = [llm_tool_calls(EXPAND), answer]
    seat, calls = await bench.judge("outline.openai_chat", *script, trace=traced(*SAMPLE))
    assert (seat.status, len(calls)) == (FAILED, 2)
    assert (
        decision_pb2.FailureKind.Name(seat.failure.kind) == f"FAILURE_KIND_{failure or 'FILTERED'}"
    )


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(llm_reply("I would say 0.9."), id="prose"),
        pytest.param(llm_reply('{"score": 0.', "length"), id="cut off"),
        pytest.param(garbage(), id="garbage"),
    ],
)
async def test_a_reply_that_cannot_be_used_ends_the_looking_and_it_decides(
    bench: Looking, answer: LlmAnswer
) -> None:
    script = [llm_tool_calls(EXPAND), answer, says(0.6)]
    seat, calls = await bench.judge("outline.openai_chat", *script, trace=traced(*SAMPLE))
    assert (seat.status, seat.gradient.score, len(calls)) == (SCORED, 0.6, 3)
    decision_call(calls[2], DIALECTS[0])
    assert "LOOKUPS" in calls[2].texts[-1]


async def test_samples_and_passes_look_once_and_decide_each(bench: Looking, kind: str) -> None:
    script = [llm_tool_calls(EXPAND), says(0.9)]
    seat, calls = await bench.judge(f"three_samples.{kind}", *script, trace=traced(*SAMPLE))
    assert [bool(call.tools) for call in calls] == [True, True] + [False] * 5
    assert all("expand_trace(" in told(call, "LOOKUPS") for call in calls[2:])
    assert (seat.status, seat.attempts) == (SCORED, 7)
    assert seat.gradient.metadata["samples"] == "3 of 3"
    assert seat.gradient.metadata["flip"] == "false"


async def test_log_probabilities_are_read_of_a_decision_after_looking(bench: Looking) -> None:
    text = json.dumps({"reasoning": "", "abstain": False, "score": 9, "confidence": 0.5})
    before, after = text.split("9")
    logprobs = [{before: 0.0}, {"9": -0.6931471805599453, "0": -0.6931471805599453}, {after: 0.0}]
    script = [llm_tool_calls(EXPAND), llm_reply(text, logprobs=logprobs)]
    seat, _ = await bench.judge("logprobs.openai_chat", *script, trace=traced(*SAMPLE))
    assert seat.gradient.score == pytest.approx(0.5)
    assert seat.gradient.metadata["score_method"] == "logprobs"


@pytest.mark.parametrize("enough", [False, True], ids=["too little", "enough"])
async def test_what_looking_could_cost_is_reserved(bench: Looking, enough: bool) -> None:
    most = 10.0 if enough else 0.05  # ten steps of 4,096 tokens each, told again in every one
    seat, calls = await bench.judge(
        "outline.openai_chat", says(), trace=traced(*SAMPLE), max_cost_usd=most
    )
    assert bool(calls) is enough
    if not enough:
        assert seat.failure.kind == decision_pb2.FAILURE_KIND_SPEND_LIMIT
    seat, calls = await bench.judge(
        "tools.openai_chat", says(), trace=traced(*SAMPLE), max_cost_usd=0.05
    )
    assert seat.status == SCORED  # told whole: nothing to look up
