"""LangWatch Scenario's long conversations: the skeleton, and what is looked up in it."""

from typing import Any

import pytest
from consensus_client.testing import (
    llm_tool_calls,
)

from consensus.v1 import decision_pb2, gradient_pb2, submission_pb2
from tests.systems.scenario_traces.looking import (
    Looking,
    looked_up,
    met,
    rubric,
    says,
    told,
)

SCORED, FAILED = decision_pb2.SEAT_STATUS_SCORED, decision_pb2.SEAT_STATUS_FAILED


ROLES = ("user", "assistant", "tool")


def transcript(count: int, words: int = 300) -> list[submission_pb2.Message]:
    return [
        submission_pb2.Message(role=ROLES[n % 3], content=f"Message {n}: " + "word " * words)
        for n in range(count)
    ]


async def test_a_long_conversation_is_told_as_its_skeleton_and_looked_up(
    bench: Looking, kind: str
) -> None:
    expand = ("expand_transcript", {"indices": [3, 29]})
    grep = ("grep_transcript", {"pattern": "MESSAGE 7:"})
    script = [llm_tool_calls(expand, grep), says()]
    seat, calls = await bench.judge(f"tools.{kind}", *script, messages=transcript(30))
    assert calls[0].tools == ("expand_transcript", "grep_transcript")
    skeleton = told(calls[0], "MESSAGES")
    assert skeleton.startswith("Messages: 30\n\n[0] user (~")
    assert "Message 3" not in skeleton
    expanded, found = looked_up(calls[1])
    assert expanded.startswith('[3] user: "Message 3: word')
    assert '\n[29] tool: "Message 29: word' in expanded
    assert found.startswith("--- [7] assistant ---")
    assert seat.gradient.metadata["messages_told"] == "0 of 30"


@pytest.mark.parametrize(
    ("call", "answer"),
    [
        pytest.param({"indices": [99]}, "Error: no message has such an index", id="no such one"),
        pytest.param({"indices": list(range(200))}, "Error: indices must be", id="too many"),
        pytest.param({"indices": [True]}, "Error: indices must be", id="no number"),
        pytest.param({"indices": "0"}, "Error: indices must be", id="no list"),
        pytest.param({"indices": [10**400]}, "Error: no message has such", id="a huge number"),
    ],
)
async def test_a_wrong_index_is_answered(bench: Looking, call: object, answer: str) -> None:
    script = [llm_tool_calls(("expand_transcript", call)), says()]
    seat, calls = await bench.judge("tools.openai_chat", *script, messages=transcript(30))
    assert looked_up(calls[1])[0].startswith(answer)
    assert seat.status == SCORED


@pytest.mark.parametrize(
    ("characters", "whole"),
    [
        pytest.param(32_768, True, id="32768 characters are told"),
        pytest.param(32_769, False, id="32769 characters are not"),
    ],
)
async def test_a_conversation_has_the_threshold_of_a_trace(
    bench: Looking, characters: int, whole: bool
) -> None:
    content = "x" * (characters - len("[0] user: "))
    message = submission_pb2.Message(role="user", content=content)
    _, calls = await bench.judge("tools.openai_chat", says(), messages=[message])
    assert (content in told(calls[0], "MESSAGES")) is whole
    assert bool(calls[0].tools) is not whole


async def test_without_tools_a_long_conversation_keeps_its_last_messages(bench: Looking) -> None:
    _, calls = await bench.judge("blind.openai_chat", says(), messages=transcript(60))
    assert "[0..39] left out: 40 messages" in told(calls[0], "MESSAGES")
    assert "[59] tool: Message 59" in told(calls[0], "MESSAGES")


async def test_a_message_quoted_as_it_was_looked_up_is_held(bench: Looking, kind: str) -> None:
    messages = [*transcript(30), submission_pb2.Message(role="tool", content='{"city":"Paris"}')]
    finding = met("C1", '{"city": "Paris"}')
    evidence: Any = finding["evidence"]
    evidence[0]["message_index"] = 30
    seat, _ = await bench.judge(
        f"tools.{kind}", says(0.9, [finding]), messages=messages, rubric=rubric("C1")
    )
    assert seat.gradient.findings[0].status == gradient_pb2.FINDING_STATUS_MET
