"""Builders: plain Python values in, the contract's messages out."""

import pytest
from consensus_client import (
    Check,
    Message,
    Overrides,
    Strategy,
    code_block,
    contains,
    contains_all,
    criterion,
    exit_code,
    json_schema,
    judge_request,
    length,
    not_contains,
    numeric,
    of_stderr,
    regex,
    submission,
)
from google.protobuf.json_format import MessageToDict

EVERYTHING = {"a": None, "b": True, "c": 1.5, "d": "text", "e": [1, {"f": []}], "g": {"h": "i"}}


def test_a_submission_holds_what_was_given() -> None:
    made = submission(
        "Task",
        "Candidate",
        criteria=[criterion("C1", "First."), criterion("C2", "Second.", required=True, weight=2)],
        outputs={"report": "text", "numbers": [1, 2]},
        messages=[{"role": "user", "content": "Hello"}, Message(role="tool", content="42")],
        context=EVERYTHING,
    )
    assert MessageToDict(made, preserving_proto_field_name=True) == {
        "task": "Task",
        "candidate": "Candidate",
        "rubric": {
            "criteria": [
                {"id": "C1", "text": "First."},
                {"id": "C2", "text": "Second.", "required": True, "weight": 2.0},
            ]
        },
        "outputs": {"report": "text", "numbers": [1.0, 2.0]},
        "messages": [{"role": "user", "content": "Hello"}, {"role": "tool", "content": "42"}],
        "context": EVERYTHING,
    }


def test_what_was_not_given_is_not_set() -> None:
    made = submission("Task", "Candidate")
    assert not made.HasField("rubric")
    assert not made.HasField("context")
    assert not criterion("C1", "Text.").HasField("weight")
    for field in ("overrides", "derive_criteria", "max_cost_usd"):
        assert not judge_request(made).HasField(field)


@pytest.mark.parametrize(
    ("check", "expected"),
    [
        (contains("Paris"), {"contains": "Paris"}),
        (contains_all("a", "b"), {"contains_all": {"values": ["a", "b"]}}),
        (not_contains("sorry"), {"not_contains": "sorry"}),
        (regex(r"\d+"), {"regex": r"\d+"}),
        (json_schema({"type": "object"}), {"json_schema": {"type": "object"}}),
        (numeric(42, tolerance=0.5), {"numeric": {"value": 42.0, "tolerance": 0.5}}),
        (length(min_words=0, max_chars=9), {"length": {"min_words": 0, "max_chars": 9}}),
        (code_block(), {"code_block": "*"}),
        (exit_code(), {"exit_code": {"stderr_score": 1.0, "min_score": 1.0}}),
        (
            exit_code(3, stderr_score=0.85, min_score=0.5),
            {"exit_code": {"expected": 3, "stderr_score": 0.85, "min_score": 0.5}},
        ),
        (of_stderr(contains("x")), {"contains": "x", "target": "CHECK_TARGET_STDERR"}),
        (contains("x", output="report"), {"contains": "x", "output": "report"}),
    ],
)
def test_each_check_has_its_function(check: Check, expected: dict[str, object]) -> None:
    assert MessageToDict(check, preserving_proto_field_name=True) == expected


def test_every_kind_of_check_looks_at_an_output_when_told_to() -> None:
    made = [
        contains("x", output="o"),
        contains_all("x", output="o"),
        not_contains("x", output="o"),
        regex("x", output="o"),
        json_schema({}, output="o"),
        numeric(1, output="o"),
        length(max_words=1, output="o"),
        code_block(output="o"),
    ]
    kinds = {check.WhichOneof("kind") for check in made}
    known = {field.name for field in Check.DESCRIPTOR.oneofs_by_name["kind"].fields}
    assert kinds == known - {"exit_code"}, "which looks at no text"
    assert {check.output for check in made} == {"o"}


@pytest.mark.parametrize(
    ("item", "path"),
    [({1, 2}, "outputs.key"), ({"a": [0, b"raw"]}, r"outputs.key.a\[1\]")],
)
def test_what_is_not_json_is_named(item: object, path: str) -> None:
    with pytest.raises(TypeError, match=f"{path} is of type (set|bytes), which is not JSON"):
        submission("Task", outputs={"key": item})


def test_a_message_with_other_keys_is_refused() -> None:
    with pytest.raises(ValueError, match="tool_calls"):
        submission("Task", "Answer", messages=[{"role": "user", "tool_calls": "..."}])


def test_a_request_holds_what_was_given() -> None:
    overrides = Overrides(strategy=Strategy.MAJORITY, threshold=0.75)
    made = judge_request(
        submission("Task", "Answer"),
        policy="strict",
        overrides=overrides,
        request_id="r-1",
        include_validation_results=True,
    )
    assert made.include_validation_results
    assert MessageToDict(made)["overrides"] == {"strategy": "STRATEGY_MAJORITY", "threshold": 0.75}
    assert (made.policy, made.request_id) == ("strict", "r-1")
