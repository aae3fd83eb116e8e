"""Submissions: proto <-> domain."""

import math
from collections.abc import Mapping, Sequence

from google.protobuf import struct_pb2

from consensus.domain.ports import OF_TRACE, Evaluation
from consensus.domain.submission import (
    Check,
    CheckKind,
    CheckTarget,
    CodeBlock,
    Contains,
    ContainsAll,
    Criterion,
    ExitCode,
    JsonSchema,
    LengthLimit,
    Message,
    NotContains,
    NumericAnswer,
    ProcessResult,
    Regex,
    Scenario,
    Submission,
)
from consensus.domain.trace import Span, TraceLimits
from consensus.v1 import submission_pb2 as pb
from consensus.wire.otlp import Encoding, otlp_bytes, spans_from
from consensus.wire.turn import turn_from, turn_to

_MESSAGE = "wire.submission"
_TRACE = f"{OF_TRACE}message"
_LIMITS = ("min_words", "max_words", "min_chars", "max_chars")
TARGET_FROM = {
    pb.CHECK_TARGET_UNSPECIFIED: CheckTarget.CANDIDATE,
    pb.CHECK_TARGET_CANDIDATE: CheckTarget.CANDIDATE,
    pb.CHECK_TARGET_STDERR: CheckTarget.STDERR,
}


def submission_from(message: pb.Submission) -> Submission:
    """Return the domain's submission without its trace, which `trace_from` reads; every check must
    have its kind set.
    """
    outputs = message.outputs
    return Submission(
        task=message.task,
        candidate=message.candidate,
        outputs={key: plain_value(outputs[key]) for key in sorted(outputs)} if outputs else {},
        rubric=tuple([criterion_from(criterion) for criterion in message.rubric.criteria]),
        messages=tuple([Message(turn.role, turn.content) for turn in message.messages]),
        context=plain_struct(message.context) if message.HasField("context") else {},
        turn=turn_from(message.turn) if message.HasField("turn") else None,
        scenario=_scenario_from(message.scenario) if message.HasField("scenario") else None,
        process=_process_from(message.process) if message.HasField("process") else None,
        policy_violations=tuple(message.policy_violations),
    )


def given_as(message: pb.Submission) -> dict[str, object]:
    """Return the memo of an evaluation whose submission came as this message."""
    if message.HasField("trace"):
        return {_MESSAGE: message, _TRACE: message.trace}
    return {_MESSAGE: message}


def message_of(evaluation: Evaluation) -> pb.Submission:
    """Return the contract's submission of an evaluation: as it came, or made once."""
    message = evaluation.memo.get(_MESSAGE)
    if not isinstance(message, pb.Submission):
        message = evaluation.memo[_MESSAGE] = fresh_message_of(evaluation)
    return message


def fresh_message_of(evaluation: Evaluation) -> pb.Submission:
    """Return the contract's submission of an evaluation, made anew but for its trace."""
    trace = evaluation.memo.get(_TRACE)
    return submission_to(evaluation.submission, trace if isinstance(trace, pb.Trace) else None)


def trace_from(message: pb.Trace, limits: TraceLimits) -> tuple[Span, ...]:
    """Return the spans, as they come; exactly one kind must be set. Raises TraceUnusable."""
    if message.WhichOneof("kind") == "otlp_json":
        return spans_from(message.otlp_json.encode(), Encoding.JSON, limits)
    return spans_from(message.otlp_protobuf, Encoding.PROTOBUF, limits)


def submission_to(submission: Submission, trace: pb.Trace | None = None) -> pb.Submission:
    """Return the contract's submission; `trace`: its spans, where they are encoded already."""
    message = pb.Submission(
        task=submission.task,
        candidate=submission.candidate,
        rubric=rubric_to(submission.rubric) if submission.rubric else None,
        messages=[pb.Message(role=m.role, content=m.content) for m in submission.messages],
        turn=turn_to(submission.turn) if submission.turn is not None else None,
        scenario=_scenario_to(submission.scenario) if submission.scenario is not None else None,
        policy_violations=submission.policy_violations,
    )
    if submission.process is not None:
        message.process.exit_code = submission.process.exit_code
        message.process.stderr = submission.process.stderr
    for key, value in submission.outputs.items():
        message.outputs[key].CopyFrom(_value_to(value))
    if submission.context:
        message.context.CopyFrom(_struct_to(submission.context))
    if submission.trace:
        given = trace or pb.Trace(otlp_protobuf=otlp_bytes(submission.trace))
        message.trace.CopyFrom(given)
    return message


def _scenario_from(message: pb.Scenario) -> Scenario:
    return Scenario(message.description, message.verdict_required)


def _scenario_to(scenario: Scenario) -> pb.Scenario:
    return pb.Scenario(description=scenario.description, verdict_required=scenario.verdict_required)


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
    """Return the domain's check. Its kind must be set and its target be known."""
    return Check(_kind_from(message), message.output, TARGET_FROM[message.target])


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
        case "exit_code":
            return _exit_code_from(message.exit_code)
        case unset:
            raise ValueError(f"a check of kind {unset}")


def _check_to(check: Check) -> pb.Check:
    message = _kind_to(check)
    if check.target is not CheckTarget.CANDIDATE:
        message.target = pb.CHECK_TARGET_STDERR
    return message


def _kind_to(check: Check) -> pb.Check:
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
        case ExitCode(expected, stderr_score, min_score):
            ending = pb.ExitCode(expected=expected, stderr_score=stderr_score, min_score=min_score)
            return pb.Check(output=check.output, exit_code=ending)


def _exit_code_from(message: pb.ExitCode) -> ExitCode:
    return ExitCode(
        message.expected,
        message.stderr_score if message.HasField("stderr_score") else 1.0,
        message.min_score if message.HasField("min_score") else 1.0,
    )


def _process_from(message: pb.ProcessResult) -> ProcessResult:
    return ProcessResult(message.exit_code, message.stderr)


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
