"""Submissions: proto <-> domain."""

from collections.abc import Sequence

from consensus.domain.evaluation import OF_TRACE, Evaluation
from consensus.domain.submission import (
    Criterion,
    Message,
    ProcessResult,
    Scenario,
    Submission,
)
from consensus.domain.trace import Span, TraceLimits
from consensus.v1 import submission_pb2 as pb
from consensus.wire.check import check_from, check_to
from consensus.wire.json_values import plain_struct, plain_value, struct_to, value_to
from consensus.wire.otlp import Encoding, otlp_bytes, spans_from
from consensus.wire.turn import turn_from, turn_to

_MESSAGE = "wire.submission"
_TRACE = f"{OF_TRACE}message"


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
    """Return the memo of an evaluation whose submission came as this message.

    An empty rubric is the caller's word to this policy alone: those that it asks are sent none.
    """
    if message.HasField("rubric") and not message.rubric.criteria:
        return trace_given_as(message)
    return {_MESSAGE: message, **trace_given_as(message)}


def trace_given_as(message: pb.Submission) -> dict[str, object]:
    """Return the memo of an evaluation of which only the trace is still as this message has it."""
    return {_TRACE: message.trace} if message.HasField("trace") else {}


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
        message.outputs[key].CopyFrom(value_to(value))
    if submission.context:
        message.context.CopyFrom(struct_to(submission.context))
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
        checks=[check_to(check) for check in criterion.checks],
    )
