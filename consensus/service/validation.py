"""Checks requests against the contract and names the field, the value and what is allowed."""

import math
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import islice

from google.protobuf import struct_pb2

from consensus.domain.errors import InvalidRequest, Violation
from consensus.domain.policy import (
    Overrides,
    Policy,
    gate_faults,
    panel_faults,
)
from consensus.domain.submission import CRITERION_ID, MAX_CRITERIA, MAX_CRITERION_TEXT
from consensus.v1 import consensus_pb2, judge_pb2
from consensus.v1 import submission_pb2 as pb
from consensus.validators import Effort, check_faults
from consensus.wire.decision import STRATEGY_FROM
from consensus.wire.submission import check_from

MAX_TASK = 200_000
MAX_CONTENT = 4_000_000
MAX_OUTPUTS = 256
MAX_MESSAGES = 10_000
MAX_CHECKS = 16
MAX_CONTEXT_DEPTH = 16
MAX_VALUES = 100_000
"""JSON values in outputs, context and schemas; each takes about 4 us from everybody else."""
MAX_REQUEST_ID = 36
MAX_VIOLATIONS = 50
"""Enough to mend a request by; looking further serves only who sends garbage."""
ROLES = ("system", "user", "assistant", "tool")
_ID = re.compile(CRITERION_ID)

_Found = Iterator[Violation]


def require(violations: Iterator[Violation]) -> None:
    """Raise InvalidRequest when there are any violations."""
    found = [violation for violation, _ in zip(violations, range(MAX_VIOLATIONS), strict=False)]
    if found:
        raise InvalidRequest(found)


def judge_request(request: consensus_pb2.JudgeRequest, path: str = "") -> _Found:
    """Yield what is wrong with a JudgeRequest; `path` is the prefix of its fields."""
    if not request.HasField("submission"):
        yield Violation(f"{path}submission", "is missing")
    yield from submission(request.submission, f"{path}submission")
    if len(request.request_id) > MAX_REQUEST_ID or not request.request_id.isascii():
        words = f"has {len(request.request_id)} characters; at most {MAX_REQUEST_ID}, ASCII only"
        yield Violation(f"{path}request_id", words)
    yield from cost_limit(request, path)
    strategy = request.overrides.strategy
    if strategy and strategy not in STRATEGY_FROM:
        yield Violation(f"{path}overrides.strategy", f"is {strategy}, which is no strategy")


def cost_limit(request: consensus_pb2.JudgeRequest, path: str = "") -> _Found:
    """Yield what is wrong with the most that a request may cost."""
    most = request.max_cost_usd
    if request.HasField("max_cost_usd") and not (math.isfinite(most) and most > 0):
        yield Violation(f"{path}max_cost_usd", f"is {most:g}; must be finite and above 0")


def evaluate_request(request: judge_pb2.EvaluateRequest, path: str = "") -> _Found:
    """Yield what is wrong with an EvaluateRequest; `path` is the prefix of its fields."""
    if not request.HasField("submission"):
        yield Violation(f"{path}submission", "is missing")
    yield from submission(request.submission, f"{path}submission")
    hierarchy = request.hierarchy
    if hierarchy.depth < 0 or len(hierarchy.path) != hierarchy.depth:
        words = f"has {len(hierarchy.path)} entries; must have depth, {hierarchy.depth}"
        yield Violation(f"{path}hierarchy.path", words)


def submission(message: pb.Submission, path: str) -> _Found:
    """Yield what is wrong with a submission."""
    yield from _length(f"{path}.task", message.task, 1, MAX_TASK)
    yield from _length(f"{path}.candidate", message.candidate, 0, MAX_CONTENT)
    if not message.candidate and not message.outputs:
        yield Violation(f"{path}.candidate", "is empty, and so is outputs; one must be given")
    yield from _count(f"{path}.outputs", len(message.outputs), MAX_OUTPUTS)
    if too_much := _too_much(message, path):
        yield too_much
        return
    for key, value in islice(message.outputs.items(), MAX_OUTPUTS):
        yield from _json(f"{path}.outputs[{key[:64]!r}]", value, MAX_CONTEXT_DEPTH)
    for key, value in message.context.fields.items():
        yield from _json(f"{path}.context.{key[:64]}", value, MAX_CONTEXT_DEPTH - 1)
    yield from _count(f"{path}.messages", len(message.messages), MAX_MESSAGES)
    for index, turn in enumerate(islice(message.messages, MAX_MESSAGES)):
        at = f"{path}.messages[{index}]"
        if turn.role not in ROLES:
            words = f"is {turn.role[:32]!r}; must be one of {', '.join(ROLES)}"
            yield Violation(f"{at}.role", words)
        yield from _length(f"{at}.content", turn.content, 0, MAX_CONTENT)
    yield from _rubric(message.rubric, f"{path}.rubric")


def _too_much(message: pb.Submission, path: str) -> Violation | None:
    left = MAX_VALUES
    for at, values in _free_form(message, path):
        for value in values:
            left = _counted_off(value, left)
            if left < 0:
                words = f"goes beyond {MAX_VALUES} values in outputs, context and schemas together"
                return Violation(at, words)
    return None


def _free_form(
    message: pb.Submission, path: str
) -> Iterator[tuple[str, Iterable[struct_pb2.Value]]]:
    """Yield the parts of a submission that are JSON of any shape."""
    for key, value in islice(message.outputs.items(), MAX_OUTPUTS):
        yield f"{path}.outputs[{key[:64]!r}]", (value,)
    yield f"{path}.context", message.context.fields.values()
    for index, criterion in enumerate(islice(message.rubric.criteria, MAX_CRITERIA)):
        for number, check in enumerate(islice(criterion.checks, MAX_CHECKS)):
            at = f"{path}.rubric.criteria[{index}].checks[{number}].json_schema"
            yield at, check.json_schema.fields.values()


def _rubric(rubric: pb.Rubric, path: str) -> _Found:
    yield from _count(f"{path}.criteria", len(rubric.criteria), MAX_CRITERIA)
    if len(rubric.criteria) > MAX_CRITERIA:
        return
    first: dict[str, int] = {}
    effort = Effort()  # one for all checks: looking them over is work too
    for index, criterion in enumerate(rubric.criteria):
        at = f"{path}.criteria[{index}]"
        if not _ID.fullmatch(criterion.id):
            words = f"is {criterion.id[:64]!r}; must be 1 to 64 letters, digits, '.', '_' or '-'"
            yield Violation(f"{at}.id", words)
        elif criterion.id in first:
            words = f"is {criterion.id!r}, which criteria[{first[criterion.id]}] has"
            yield Violation(f"{at}.id", words)
        first.setdefault(criterion.id, index)
        yield from _criterion(criterion, at, effort)


def _criterion(criterion: pb.Criterion, at: str, effort: Effort) -> _Found:
    yield from _length(f"{at}.text", criterion.text, 1, MAX_CRITERION_TEXT)
    if criterion.HasField("weight"):
        weight = criterion.weight
        if not (math.isfinite(weight) and 0 < weight <= 1e9):
            yield Violation(f"{at}.weight", f"is {weight:g}; must be above 0, at most 1e9")
    yield from _count(f"{at}.checks", len(criterion.checks), MAX_CHECKS)
    for index, check in enumerate(criterion.checks[:MAX_CHECKS]):
        where = f"{at}.checks[{index}]"
        if check.WhichOneof("kind") is None:
            yield Violation(where, "has no kind of check; must have exactly one")
        elif check.WhichOneof("kind") == "json_schema" and (
            deep := next(_json(where, struct_pb2.Value(struct_value=check.json_schema), 32), None)
        ):
            yield Violation(f"{where}.json_schema", deep.description)
        else:
            for field, words in check_faults(check_from(check), effort):
                yield Violation(f"{where}.{field}", words)


def overrides(wanted: Overrides, policy: Policy, path: str = "") -> _Found:
    """Yield what is wrong with overrides for this policy."""
    seen: set[str] = set()
    for stage in policy.stages:
        if stage.panel is None:
            continue
        faults = [
            *panel_faults(wanted.of_panel(stage.panel)),
            *gate_faults(wanted.of_gate(stage.gate)),
        ]
        for field, words in faults:
            if field not in seen:
                seen.add(field)
                yield Violation(f"{path}overrides.{field}", words)


def rubric_present(message: pb.Submission, policy: Policy, path: str = "") -> _Found:
    """Yield what is wrong when a policy needs a rubric and there is none."""
    if policy.rubric_required and not message.rubric.criteria:
        words = f"is empty; policy {policy.name!r} needs at least one criterion"
        yield Violation(f"{path}submission.rubric.criteria", words)


def overridden(policy: Policy, wanted: Overrides) -> Policy:
    """Return `policy` with `wanted` applied to every panel and gate."""
    stages = (
        replace(stage, panel=wanted.of_panel(stage.panel), gate=wanted.of_gate(stage.gate))
        if stage.panel is not None
        else stage
        for stage in policy.stages
    )
    return replace(policy, stages=tuple(stages))


def _length(path: str, text: str, least: int, most: int) -> _Found:
    if not least <= len(text) <= most:
        if not text:
            yield Violation(path, f"is empty; must have 1 to {most} characters")
        else:
            yield Violation(path, f"has {len(text)} characters; must have {least} to {most}")


def _count(path: str, count: int, most: int) -> _Found:
    if count > most:
        yield Violation(path, f"has {count} entries; at most {most}")


def _counted_off(value: struct_pb2.Value, left: int) -> int:
    """Return `left` less the number of values in `value`; once negative, it stops counting."""
    left -= 1
    match value.WhichOneof("kind"):
        case "struct_value":
            items = iter(value.struct_value.fields.values())
        case "list_value":
            items = iter(value.list_value.values)
        case _:
            return left
    while left >= 0 and (item := next(items, None)) is not None:
        left = _counted_off(item, left)
    return left


def _json(path: str, value: struct_pb2.Value, depth: int) -> _Found:
    """Yield what is not finite or nested too deep."""
    if depth < 0:
        yield Violation(path, "is nested too deep")
        return
    match value.WhichOneof("kind"):
        case "number_value" if not math.isfinite(value.number_value):
            yield Violation(path, f"is {value.number_value}; must be finite")
        case "struct_value":
            for key, item in value.struct_value.fields.items():
                yield from _json(f"{path}.{key[:64]}", item, depth - 1)
        case "list_value":
            for index, item in enumerate(value.list_value.values):
                yield from _json(f"{path}[{index}]", item, depth - 1)
