"""Mistakes that Python would let pass, or name in words of protobuf, are named in the caller's."""

from collections.abc import Callable
from typing import Any

import pytest
from consensus_client import (
    AsyncConsensusClient,
    ConsensusClient,
    contains,
    contains_all,
    criterion,
    judge_request,
    regex,
    sql,
    submission,
    tool_call_request,
    turn,
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
}


@pytest.mark.parametrize("words", OTHER_TYPES)
def test_an_argument_of_another_type_is_named(words: str) -> None:
    with pytest.raises(TypeError) as raised:
        OTHER_TYPES[words]()
    assert str(raised.value).startswith(words)


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
