"""A submission crosses the wire without loss."""

import math
from typing import Any

import pytest
from google.protobuf import json_format, struct_pb2
from hypothesis import given, settings

from consensus.domain.submission import (
    Check,
    CodeBlock,
    Criterion,
    ExitCode,
    LengthLimit,
    Submission,
)
from consensus.v1 import submission_pb2 as pb
from consensus.wire.check import check_from
from consensus.wire.json_values import plain_struct, plain_value
from consensus.wire.submission import submission_from, submission_to
from tests.builders import criteria, submission
from tests.wire.submissions import submissions


@settings(max_examples=80)
@given(submissions)
def test_what_is_sent_is_what_arrives(sent: Submission) -> None:
    message = pb.Submission.FromString(submission_to(sent).SerializeToString())
    assert submission_from(message) == sent


@settings(max_examples=50)
@given(submissions)
def test_a_message_that_crossed_over_and_back_is_the_same(sent: Submission) -> None:
    message = submission_to(sent)
    assert submission_to(submission_from(message)) == message


def test_json_keeps_its_kinds() -> None:
    values: dict[str, object] = {
        "a": None,
        "b": True,
        "c": 0,
        "d": 1.5,
        "e": "1",
        "f": [],
        "g": {},
        "h": [[None]],
    }
    arrived = submission_from(submission_to(submission(outputs=values, context=values)))
    assert arrived.outputs == values
    assert arrived.context == values
    kinds = {key: type(value) for key, value in arrived.outputs.items()}
    assert kinds == {key: type(value) for key, value in values.items()}


def test_a_tuple_counts_as_a_list_and_anything_else_is_no_json() -> None:
    assert submission_from(submission_to(submission(outputs={"a": (1, 2)}))).outputs == {
        "a": [1, 2]
    }
    with pytest.raises(TypeError, match="not JSON: set"):
        submission_to(submission(outputs={"a": {1}}))


@pytest.mark.parametrize("number", [0, -1, 2**53, 0.1, -1e-300, 1.7976931348623157e308])
def test_a_number_keeps_its_value(number: float) -> None:
    value = struct_pb2.Value(number_value=number)
    assert plain_value(value) == number
    assert isinstance(plain_value(value), int) is float(number).is_integer()


def test_an_endless_number_is_left_for_the_door_to_refuse() -> None:
    assert plain_value(struct_pb2.Value(number_value=math.inf)) == math.inf


def test_a_value_without_a_kind_is_null() -> None:
    struct = struct_pb2.Struct(fields={"a": struct_pb2.Value()})
    assert plain_struct(struct) == {"a": None}


def test_what_the_caller_leaves_out_has_the_contracts_default() -> None:
    message = pb.Submission(
        task="t", candidate="c", rubric=pb.Rubric(criteria=[pb.Criterion(id="C1", text="x")])
    )
    assert submission_from(message) == Submission(
        task="t",
        candidate="c",
        rubric=(Criterion(id="C1", text="x", required=False, weight=1.0, checks=()),),
    )


def test_a_weight_of_zero_is_not_a_missing_one() -> None:
    criterion = pb.Criterion(id="C1", text="x", weight=0.0)
    message = pb.Submission(rubric=pb.Rubric(criteria=[criterion]))
    assert submission_from(message).rubric[0].weight == 0.0


def test_a_limit_of_zero_is_not_a_missing_one() -> None:
    check = check_from(pb.Check(length=pb.LengthLimit(max_words=0)))
    assert check == Check(LengthLimit(max_words=0))
    about = submission(rubric=(Criterion(id="C1", text="x", checks=(check,)),))
    length = submission_to(about).rubric.criteria[0].checks[0].length
    fields = ("min_words", "max_words", "min_chars", "max_chars")
    assert [name for name in fields if length.HasField(name)] == ["max_words"]


def test_every_kind_of_check_in_the_contract_has_one_in_the_domain() -> None:
    examples: dict[str, Any] = {
        "contains": "a",
        "contains_all": {"values": ["a", "b"]},
        "not_contains": "a",
        "regex": "a",
        "json_schema": {"type": "object"},
        "numeric": {"value": 3, "tolerance": 0.5},
        "length": {"min_chars": 1},
        "code_block": "python",
        "exit_code": {"expected": 3, "stderr_score": 0.85, "min_score": 0.5},
        "sql": {"setup": "CREATE TABLE t(a)", "columns": ["a"], "min_rows": 1},
        "url": {"contains": "Paris"},
        "code_run": {"language": "python", "test": "assert f(2, 3) == 5"},
    }
    kinds = [field.name for field in pb.Check.DESCRIPTOR.oneofs_by_name["kind"].fields]
    assert sorted(kinds) == sorted(examples)
    for name, example in examples.items():
        message = json_format.ParseDict({"output": "plan", name: example}, pb.Check())
        check = check_from(message)
        assert check.output == "plan"
        about = submission(rubric=(Criterion(id="C1", text="x", checks=(check,)),))
        assert submission_to(about).rubric.criteria[0].checks[0] == message
    assert check_from(pb.Check(code_block="*")).kind == CodeBlock("*")


def test_an_exit_code_needs_all_of_the_score_unless_it_is_told_less() -> None:
    assert check_from(pb.Check(exit_code={})).kind == ExitCode(0, stderr_score=1.0, min_score=1.0)
    none = pb.Check(exit_code={"stderr_score": 0.0, "min_score": 0.0})
    assert check_from(none).kind == ExitCode(0, stderr_score=0.0, min_score=0.0)


def test_a_check_without_a_kind_is_a_mistake_of_the_door() -> None:
    with pytest.raises(ValueError, match="a check of kind None"):
        check_from(pb.Check(output="plan"))


def test_an_empty_context_is_not_sent() -> None:
    assert not submission_to(submission()).HasField("context")
    assert len(submission_to(submission(rubric=criteria("a", "b"))).rubric.criteria) == 2
