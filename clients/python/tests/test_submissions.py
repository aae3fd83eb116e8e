"""Builders: plain Python values in, the contract's messages out."""

from functools import partial
from pathlib import Path
from typing import Any

import pytest
from consensus_client import (
    Check,
    Decision,
    FindingStatus,
    GoalStatus,
    Message,
    OutputKey,
    Overrides,
    Strategy,
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
    not_contains,
    numeric,
    process_result,
    regex,
    scenario,
    sql,
    submission,
    tool_call,
    trace,
    turn,
    url,
)
from google.protobuf.json_format import MessageToDict

from consensus.v1 import submission_pb2

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
    for field in ("rubric", "context", "turn", "process", "trace", "scenario"):
        assert not made.HasField(field)
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
        (contains("x", target="stderr"), {"contains": "x", "target": "CHECK_TARGET_STDERR"}),
        (contains("x", output="report"), {"contains": "x", "output": "report"}),
        (sql(), {"sql": {}}),
        (
            sql(setup="CREATE TABLE t (a)", columns=["a"], min_rows=1),
            {"sql": {"setup": "CREATE TABLE t (a)", "columns": ["a"], "min_rows": 1}},
        ),
        (url(contains="Paris"), {"url": {"contains": "Paris"}}),
        (
            code_run(test="assert f(2) == 4"),
            {"code_run": {"language": "python", "test": "assert f(2) == 4"}},
        ),
        (regex("^$", target="stderr"), {"regex": "^$", "target": "CHECK_TARGET_STDERR"}),
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
        sql(output="o"),
        url(output="o"),
        code_run(output="o"),
    ]
    kinds = {check.WhichOneof("kind") for check in made} | {exit_code().WhichOneof("kind")}
    assert kinds == {field.name for field in Check.DESCRIPTOR.oneofs_by_name["kind"].fields}
    assert {check.output for check in made} == {"o"}


@pytest.mark.parametrize(
    "make",
    [
        partial(contains, "x"),
        partial(contains_all, "x"),
        partial(not_contains, "x"),
        partial(regex, "x"),
        partial(json_schema, {}),
        partial(numeric, 1),
        partial(length, max_words=1),
        code_block,
        sql,
        url,
        code_run,
    ],
)
def test_every_kind_of_check_of_a_text_looks_at_standard_error_when_told_to(make: Any) -> None:
    assert make(target="stderr").target == submission_pb2.CHECK_TARGET_STDERR
    assert make(target="candidate") == make()
    with pytest.raises(ValueError, match="target is 'stdout'; must be one of candidate, stderr"):
        make(target="stdout")


def test_a_turn_holds_what_was_given() -> None:
    decision = Decision(goal_status=GoalStatus.PARTIAL, goal_confidence=0.75)
    for status in (FindingStatus.MET, FindingStatus.UNMET, FindingStatus.MET):
        decision.criteria.add(status=status)
    made = turn(
        2,
        max_iterations=9,
        judge_every_n_turns=3,
        tool_calls=[tool_call("search", {"q": 1}, failed=True), tool_call("done", "{}")],
        output_keys=["plan", OutputKey(name="notes", nullable=True)],
        client_facing=True,
        success_criteria="Flight numbers.",
        node_description="Finds flights.",
        earlier=[
            earlier_turn("I look.", tool_calls=[tool_call("search", {"q": 2})]),
            earlier_turn("Found.", decision=decision),
        ],
    )
    assert MessageToDict(made, preserving_proto_field_name=True) == {
        "iteration": 2,
        "max_iterations": 9,
        "judge_every_n_turns": 3,
        "tool_calls": [
            {"name": "search", "arguments": '{"q": 1}', "failed": True},
            {"name": "done", "arguments": "{}"},
        ],
        "output_keys": [{"name": "plan"}, {"name": "notes", "nullable": True}],
        "client_facing": True,
        "success_criteria": "Flight numbers.",
        "node_description": "Finds flights.",
        "earlier": [
            {"text": "I look.", "tool_calls": [{"name": "search", "arguments": '{"q": 2}'}]},
            {
                "text": "Found.",
                "criteria_met": 2,
                "goal_status": "GOAL_STATUS_PARTIAL",
                "goal_confidence": 0.75,
            },
        ],
    }
    assert not turn().HasField("max_iterations")
    assert not earlier_turn(decision=Decision()).HasField("criteria_met")


def test_what_surrounds_a_candidate_goes_along() -> None:
    made = submission(
        "Task",
        "Output",
        turn=turn(1),
        process=process_result(3, "Traceback"),
        policy_violations=["fs.write"],
        scenario=scenario("A tired traveller.", verdict_required=True),
    )
    assert MessageToDict(made, preserving_proto_field_name=True) == {
        "task": "Task",
        "candidate": "Output",
        "turn": {"iteration": 1},
        "process": {"exit_code": 3, "stderr": "Traceback"},
        "policy_violations": ["fs.write"],
        "scenario": {"description": "A tired traveller.", "verdict_required": True},
    }


SPANS = '{"resourceSpans": []}'


def test_a_trace_may_be_bytes_text_a_file_or_a_message(tmp_path: Path) -> None:
    text, raw = tmp_path / "trace.json", tmp_path / "trace.bin"
    text.write_text(f"\n {SPANS}")
    raw.write_bytes(b"\x0a\x00")
    assert submission("T", "C", trace=SPANS).trace.otlp_json == SPANS
    assert submission("T", "C", trace=b"\x0a\x00").trace == trace(raw)
    assert trace(text).otlp_json == f"\n {SPANS}"
    assert trace(raw).WhichOneof("kind") == "otlp_protobuf"
    assert trace(trace(SPANS)) == trace(SPANS)
    with pytest.raises(OSError, match="nowhere"):
        trace(tmp_path / "nowhere")


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
    )
    assert MessageToDict(made)["overrides"] == {"strategy": "STRATEGY_MAJORITY", "threshold": 0.75}
    assert (made.policy, made.request_id) == ("strict", "r-1")
    assert not made.include_validation_results
    asked = judge_request(submission("Task", "Answer"), include_validation_results=True)
    assert asked.include_validation_results
