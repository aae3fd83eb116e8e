"""Submissions: proto <-> domain."""

import math
from collections.abc import Mapping, Sequence

from google.protobuf import struct_pb2

from consensus.domain.ports import Evaluation
from consensus.domain.submission import (
    Check,
    CheckKind,
    CodeBlock,
    CodeRun,
    Contains,
    ContainsAll,
    Criterion,
    JsonSchema,
    LengthLimit,
    Message,
    NotContains,
    NumericAnswer,
    Regex,
    SandboxKind,
    SqlQuery,
    Submission,
    UrlAnswer,
)
from consensus.v1 import submission_pb2 as pb
from consensus.wire.turn import turn_from, turn_to

_MESSAGE = "wire.submission"
_LIMITS = ("min_words", "max_words", "min_chars", "max_chars")


def submission_from(message: pb.Submission) -> Submission:
    """Return the domain's submission; every check must have its kind set."""
    outputs = message.outputs
    return Submission(
        task=message.task,
        candidate=message.candidate,
        outputs={key: plain_value(outputs[key]) for key in sorted(outputs)} if outputs else {},
        rubric=tuple([criterion_from(criterion) for criterion in message.rubric.criteria]),
        messages=tuple([Message(turn.role, turn.content) for turn in message.messages]),
        context=plain_struct(message.context) if message.HasField("context") else {},
        turn=turn_from(message.turn) if message.HasField("turn") else None,
    )


def given_as(message: pb.Submission) -> dict[str, object]:
    """Return the memo of an evaluation whose submission came as this message."""
    return {_MESSAGE: message}


def message_of(evaluation: Evaluation) -> pb.Submission:
    """Return the contract's submission of an evaluation: as it came, or made once."""
    message = evaluation.memo.get(_MESSAGE)
    if not isinstance(message, pb.Submission):
        message = evaluation.memo[_MESSAGE] = submission_to(evaluation.submission)
    return message


def submission_to(submission: Submission) -> pb.Submission:
    """Return the contract's submission."""
    message = pb.Submission(
        task=submission.task,
        candidate=submission.candidate,
        rubric=rubric_to(submission.rubric),
        messages=[pb.Message(role=m.role, content=m.content) for m in submission.messages],
        turn=turn_to(submission.turn) if submission.turn is not None else None,
    )
    for key, value in submission.outputs.items():
        message.outputs[key].CopyFrom(_value_to(value))
    if submission.context:
        message.context.CopyFrom(_struct_to(submission.context))
    return message


def rubric_to(rubric: Sequence[Criterion]) -> pb.Rubric:
    """Return the contract's rubric."""
    return pb.Rubric(criteria=[_criterion_to(criterion) for criterion in rubric])


def plain_value(value: struct_pb2.Value) -> object:
    """Return a Value as plain JSON; whole numbers as int."""
    match value.WhichOneof("kind"):
        case "string_value":
            return value.string_value
        case "number_value":
            number = value.number_value
            whole = number.is_integer() and (number or math.copysign(1, number) > 0)
            return int(number) if whole else number  # -0.0 stays what it is
        case "bool_value":
            return value.bool_value
        case "struct_value":
            return plain_struct(value.struct_value)
        case "list_value":
            return [plain_value(item) for item in value.list_value.values]
        case _:
            return None


def plain_struct(struct: struct_pb2.Struct) -> dict[str, object]:
    """Return a Struct as plain JSON, keys in order: a map on the wire has none of its own, and
    judges must see the same text every time.
    """
    return {key: plain_value(struct.fields[key]) for key in sorted(struct.fields)}


def check_from(message: pb.Check) -> Check:
    """Return the domain's check. Its kind must be set."""
    return Check(_kind_from(message), message.output)


def _kind_from(message: pb.Check) -> CheckKind:
    match message.WhichOneof("kind"):
        case "contains":
            return Contains(message.contains)
        case "contains_all":
            return ContainsAll(tuple(message.contains_all.values))
        case "not_contains":
            return NotContains(message.not_contains)
        case "regex":
            return Regex(message.regex)
        case "json_schema":
            return JsonSchema(plain_struct(message.json_schema))
        case "numeric":
            return NumericAnswer(message.numeric.value, message.numeric.tolerance)
        case "length":
            limit = message.length
            return LengthLimit(
                **{name: getattr(limit, name) for name in _LIMITS if limit.HasField(name)}
            )
        case "code_block":
            return CodeBlock(message.code_block)
        case key:
            return _sandboxed_from(key, message)


def _sandboxed_from(key: str | None, message: pb.Check) -> SandboxKind:
    match key:
        case "sql":
            query = message.sql
            return SqlQuery(query.setup, tuple(query.columns), query.min_rows)
        case "url":
            return UrlAnswer(message.url.contains)
        case "code_run":
            return CodeRun(message.code_run.language, message.code_run.test)
        case unset:
            raise ValueError(f"a check of kind {unset}")


def _check_to(check: Check) -> pb.Check:
    match check.kind:
        case Contains(value):
            return pb.Check(output=check.output, contains=value)
        case ContainsAll(values):
            return pb.Check(output=check.output, contains_all=pb.TextList(values=values))
        case NotContains(value):
            return pb.Check(output=check.output, not_contains=value)
        case Regex(pattern):
            return pb.Check(output=check.output, regex=pattern)
        case JsonSchema(schema):
            return pb.Check(output=check.output, json_schema=_struct_to(schema))
        case NumericAnswer(value, tolerance):
            numeric = pb.NumericAnswer(value=value, tolerance=tolerance)
            return pb.Check(output=check.output, numeric=numeric)
        case LengthLimit() as limit:
            limits = {name: getattr(limit, name) for name in _LIMITS}
            return pb.Check(output=check.output, length=pb.LengthLimit(**limits))
        case CodeBlock(language):
            return pb.Check(output=check.output, code_block=language)
        case SqlQuery() | UrlAnswer() | CodeRun() as kind:
            return _sandboxed_to(kind, pb.Check(output=check.output))


def _sandboxed_to(kind: SandboxKind, message: pb.Check) -> pb.Check:
    match kind:
        case SqlQuery(setup, columns, min_rows):
            message.sql.CopyFrom(pb.SqlQuery(setup=setup, columns=columns, min_rows=min_rows))
        case UrlAnswer(contains):
            message.url.CopyFrom(pb.UrlAnswer(contains=contains))
        case CodeRun(language, test):
            message.code_run.CopyFrom(pb.CodeRun(language=language, test=test))
    return message


def criterion_from(message: pb.Criterion) -> Criterion:
    """Return the domain's criterion; every check must have its kind set."""
    return Criterion(
        id=message.id,
        text=message.text,
        required=message.required,
        weight=message.weight if message.HasField("weight") else 1.0,
        checks=tuple([check_from(check) for check in message.checks]) if message.checks else (),
    )


def _criterion_to(criterion: Criterion) -> pb.Criterion:
    return pb.Criterion(
        id=criterion.id,
        text=criterion.text,
        required=criterion.required,
        weight=criterion.weight,
        checks=[_check_to(check) for check in criterion.checks],
    )


def _value_to(value: object) -> struct_pb2.Value:
    match value:
        case None:
            return struct_pb2.Value(null_value=struct_pb2.NULL_VALUE)
        case bool():
            return struct_pb2.Value(bool_value=value)
        case int() | float():
            return struct_pb2.Value(number_value=value)
        case str():
            return struct_pb2.Value(string_value=value)
        case Mapping():
            return struct_pb2.Value(struct_value=_struct_to(value))
        case list() | tuple():
            items = [_value_to(item) for item in value]
            return struct_pb2.Value(list_value=struct_pb2.ListValue(values=items))
        case _:
            raise TypeError(f"not JSON: {type(value).__name__}")


def _struct_to(values: Mapping[str, object]) -> struct_pb2.Struct:
    struct = struct_pb2.Struct()
    for key, value in values.items():
        struct.fields[key].CopyFrom(_value_to(value))
    return struct
