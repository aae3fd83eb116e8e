"""Mistakes that Python would let pass, or name in words of protobuf, are named in the caller's."""

from collections.abc import Callable
from typing import Any

import pytest
from consensus_client import (
    AsyncConsensusClient,
    ConsensusClient,
    code_block,
    code_run,
    contains,
    contains_all,
    criterion,
    earlier_turn,
    exit_code,
    json_schema,
    judge_request,
    length,
    numeric,
    process_result,
    regex,
    scenario,
    sql,
    submission,
    tool_call,
    tool_call_request,
    trace,
    turn,
    url,
)
from consensus_client.loop import Step, ToolRules
from consensus_client.testing import FakeConsensus

ONE_TEXT: dict[str, Callable[[Any], object]] = {
    "columns": lambda text: sql(columns=text),
    "output_keys": lambda text: turn(1, output_keys=text),
    "policy_violations": lambda text: submission("T", "C", policy_violations=text),
    "available_tools": lambda text: tool_call_request("T", "t", available_tools=text),
}


@pytest.mark.parametrize("name", ONE_TEXT)
def test_one_text_in_place_of_a_list_is_not_taken_letter_by_letter(name: str) -> None:
    with pytest.raises(TypeError, match=rf"{name} is one str; must be a list: \['day'\]"):
        ONE_TEXT[name]("day")
    assert ONE_TEXT[name](["day"])
    assert ONE_TEXT[name](key for key in ("day", "hour"))


OTHER_TYPES: dict[str, Callable[[], object]] = {
    "task is 7; must be a str": lambda: submission(7, "C"),  # type: ignore[arg-type]
    "candidate is None; must be a str": lambda: submission("T", None),  # type: ignore[arg-type]
    "criteria is one str; must be a list": lambda: submission("T", "C", criteria="C1"),  # type: ignore[arg-type]
    "criteria[0] is of type str; must be a Criterion: make it with criterion()": lambda: submission(
        "T",
        "C",
        criteria=["C1"],  # type: ignore[list-item]
    ),
    "id is 1; must be a str": lambda: criterion(1, "Is in time."),  # type: ignore[arg-type]
    "checks[0] is of type str; must be a Check": lambda: criterion("C1", "Day.", checks=["day"]),  # type: ignore[list-item]
    "text is of type list; must be a str": lambda: contains(["day"]),  # type: ignore[arg-type]
    "texts[0] is of type list; must be a str": lambda: contains_all(["day"]),  # type: ignore[arg-type]
    "pattern is None; must be a str": lambda: regex(None),  # type: ignore[arg-type]
    "outputs is of type list; must be a mapping": lambda: submission("T", outputs=["C"]),  # type: ignore[arg-type]
    "context is of type str; must be a mapping": lambda: submission("T", "C", context="C"),  # type: ignore[arg-type]
    "messages is one str; must be a list": lambda: submission("T", "C", messages="Hello."),  # type: ignore[arg-type]
    "messages[0] is of type str; must be": lambda: submission("T", "C", messages=["Hello."]),  # type: ignore[list-item]
    "turn is 1; must be a Turn": lambda: submission("T", "C", turn=1),  # type: ignore[arg-type]
    "derive_criteria is True; must be": lambda: judge_request({}, derive_criteria=True),  # type: ignore[arg-type]
    "policy is 7; must be a str": lambda: judge_request({}, policy=7),  # type: ignore[arg-type]
    "submission is of type str; must be a Submission": lambda: judge_request("C"),  # type: ignore[arg-type]
    "weight is of type str; must be a number": lambda: criterion("C1", "Day.", weight="2"),  # type: ignore[arg-type]
    "required is of type str; must be True": lambda: criterion("C1", "Day.", required="no"),  # type: ignore[arg-type]
    "max_cost_usd is of type str; must be a number": lambda: judge_request({}, max_cost_usd="1"),  # type: ignore[arg-type]
    "include_validation_results is 1; must be True or False": lambda: judge_request(
        {},  # type: ignore[arg-type]
        include_validation_results=1,  # type: ignore[arg-type]
    ),
    "policy_violations[0] is 7; must be a str": lambda: submission("T", policy_violations=[7]),  # type: ignore[list-item]
    # checks
    "value is of type str; must be a number": lambda: numeric("3"),  # type: ignore[arg-type]
    "value is True; must be a number": lambda: numeric(True),
    "tolerance is None; must be a number": lambda: numeric(3, tolerance=None),  # type: ignore[arg-type]
    "max_words is of type str; must be a whole number": lambda: length(max_words="3"),  # type: ignore[arg-type]
    "min_chars is 2.5; must be a whole number": lambda: length(min_chars=2.5),  # type: ignore[arg-type]
    "schema is of type str; must be a mapping": lambda: json_schema("{}"),  # type: ignore[arg-type]
    "language is None; must be a str": lambda: code_block(None),  # type: ignore[arg-type]
    "expected is of type str; must be a whole number": lambda: exit_code("0"),  # type: ignore[arg-type]
    "stderr_score is None; must be a number": lambda: exit_code(stderr_score=None),  # type: ignore[arg-type]
    "min_score is of type str; must be a number": lambda: exit_code(min_score="1"),  # type: ignore[arg-type]
    "setup is None; must be a str": lambda: sql(setup=None),  # type: ignore[arg-type]
    "columns is 3; must be a list": lambda: sql(columns=3),  # type: ignore[arg-type]
    "columns[1] is 3; must be a str": lambda: sql(columns=["day", 3]),  # type: ignore[list-item]
    "min_rows is of type str; must be a whole number": lambda: sql(min_rows="1"),  # type: ignore[arg-type]
    "contains is 200; must be a str": lambda: url(contains=200),  # type: ignore[arg-type]
    "language is 3; must be a str": lambda: code_run(3),  # type: ignore[arg-type]
    "test is None; must be a str": lambda: code_run(test=None),  # type: ignore[arg-type]
    "output is 1; must be a str": lambda: contains("x", output=1),  # type: ignore[arg-type]
    "target is 1; must be a str": lambda: contains("x", target=1),  # type: ignore[arg-type]
    # what surrounds a candidate
    "exit_code is None; must be a whole number": lambda: process_result(None),  # type: ignore[arg-type]
    "stderr is of type bytes; must be a str": lambda: process_result(0, b"x"),  # type: ignore[arg-type]
    "description is 1; must be a str": lambda: scenario(1),  # type: ignore[arg-type]
    "verdict_required is 1; must be True or False": lambda: scenario(verdict_required=1),  # type: ignore[arg-type]
    "trace is of type list; must be OTLP": lambda: trace([]),  # type: ignore[arg-type]
    # turns
    "iteration is of type str; must be a whole number": lambda: turn("1"),  # type: ignore[arg-type]
    "max_iterations is 1.5; must be a whole number": lambda: turn(max_iterations=1.5),  # type: ignore[arg-type]
    "tool_calls[0] is of type str; must be a ToolCall": lambda: turn(tool_calls=["t"]),  # type: ignore[list-item]
    "output_keys[0] is 1; must be a str or an OutputKey": lambda: turn(output_keys=[1]),  # type: ignore[list-item]
    "earlier[0] is of type str; must be an EarlierTurn": lambda: turn(earlier=["t"]),  # type: ignore[list-item]
    "client_facing is 1; must be True or False": lambda: turn(client_facing=1),  # type: ignore[arg-type]
    "success_criteria is 1; must be a str": lambda: turn(success_criteria=1),  # type: ignore[arg-type]
    "node_description is 1; must be a str": lambda: turn(node_description=1),  # type: ignore[arg-type]
    "name is 1; must be a str": lambda: tool_call(1),  # type: ignore[arg-type]
    "failed is None; must be True or False": lambda: tool_call("t", failed=None),  # type: ignore[arg-type]
    "text is 1; must be a str": lambda: earlier_turn(1),  # type: ignore[arg-type]
    "decision is of type str; must be a Decision": lambda: earlier_turn(decision="ACCEPT"),  # type: ignore[arg-type]
    # tool calls
    "tool is 1; must be a str": lambda: tool_call_request("T", 1),  # type: ignore[arg-type]
    "arguments is 1; must be a mapping": lambda: tool_call_request("T", "t", 1),  # type: ignore[arg-type]
    "available_tools[0] is 1; must be a str": lambda: tool_call_request(
        "T",
        "t",
        available_tools=[1],  # type: ignore[list-item]
    ),
    "worker_mounts[0] is of type str; must be": lambda: tool_call_request(
        "T",
        "t",
        worker_mounts=["/project"],  # type: ignore[list-item]
    ),
    "tool_audit_history[0] is of type str; must be": lambda: tool_call_request(
        "T",
        "t",
        tool_audit_history=["fs.read"],  # type: ignore[list-item]
    ),
    "execution_id is 1; must be a str": lambda: tool_call_request("T", "t", execution_id=1),  # type: ignore[arg-type]
}


@pytest.mark.parametrize("words", OTHER_TYPES)
def test_an_argument_of_another_type_is_named(words: str) -> None:
    with pytest.raises(TypeError) as raised:
        OTHER_TYPES[words]()
    assert str(raised.value).startswith(words)


def test_a_number_that_no_message_can_hold_is_named() -> None:
    with pytest.raises(ValueError, match="max_chars is 2147483648; must be -2147483648 to"):
        length(max_chars=2**31)


def test_a_loop_is_told_so_before_it_runs() -> None:
    with pytest.raises(TypeError, match="output_keys is one str"):
        Step(output_keys="day")
    with pytest.raises(TypeError, match="available_tools is one str"):
        ToolRules(available_tools="day")
    with pytest.raises(TypeError, match="policy_violations is one str"):
        tool_call_request("T", "t", policy_violations="mail.send")


def test_a_batch_says_which_item_is_no_request() -> None:
    words = r"requests\[0\] is of type Submission; must be a JudgeRequest, from judge_request\(\)"
    with FakeConsensus() as fake:
        with ConsensusClient(fake.target) as client, pytest.raises(TypeError, match=words):
            client.batch_judge([submission("T", "C")])  # type: ignore[list-item]
        assert not fake.requests


async def test_a_tool_call_says_what_is_no_request() -> None:
    words = r"request is of type Submission; must be one, of tool_call_request\(\)"
    call: Any = submission("T", "C")
    with FakeConsensus() as fake:
        with ConsensusClient(fake.target) as client, pytest.raises(TypeError, match=words):
            client.judge_tool_call(call)
        async with AsyncConsensusClient(fake.target) as asked:
            with pytest.raises(TypeError, match=words):
                await asked.judge_tool_call(call)
        assert not fake.calls


async def test_a_batch_says_so_to_asyncio_programs_too() -> None:
    with FakeConsensus() as fake:
        async with AsyncConsensusClient(fake.target) as client:
            with pytest.raises(TypeError, match=r"requests\[0\] is of type Submission"):
                await client.batch_judge([submission("T", "C")])  # type: ignore[list-item]
