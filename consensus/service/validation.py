"""Checks requests against the contract and names the field, the value and what is allowed."""

import math
import re
from collections.abc import Iterator, Sequence
from itertools import islice

from msgspec.structs import replace

from consensus.domain.decision import MAX_DEPTH
from consensus.domain.errors import InvalidRequest, Violation
from consensus.domain.policy import Overrides, Policy
from consensus.domain.soundness import gate_faults, panel_faults
from consensus.domain.submission import CRITERION_ID, MAX_CRITERIA, MAX_CRITERION_TEXT
from consensus.service import facts
from consensus.service.free_form import (
    MAX_CHECKS,
    MAX_OUTPUTS,
    FreeForm,
    free_form,
    too_deep,
    too_much,
)
from consensus.v1 import consensus_pb2, judge_pb2
from consensus.v1 import submission_pb2 as pb
from consensus.validators import Effort, check_faults
from consensus.validators.soundness import MAX_COLUMNS, MAX_VALUES
from consensus.wire.check import TARGET_FROM, check_from
from consensus.wire.decision import STRATEGY_FROM

MAX_TASK = 200_000
MAX_CONTENT = 4_000_000
MAX_MESSAGES = 10_000
MAX_WEIGHT = 1e9
MAX_REQUEST_ID = 36
MAX_VIOLATIONS = 50
"""Enough to mend a request by; looking further serves only who sends garbage."""
ROLES = ("system", "user", "assistant", "tool")
_ID = re.compile(CRITERION_ID)
_ID_WORDS = "must be 1 to 64 letters, digits, '.', '_' or '-'"

_Found = Iterator[Violation]


def require(violations: Iterator[Violation]) -> None:
    """Raise InvalidRequest when there are any violations."""
    if found := list(islice(violations, MAX_VIOLATIONS)):
        raise InvalidRequest(found)


def judge_request(request: consensus_pb2.JudgeRequest, path: str = "") -> _Found:
    """Yield what is wrong with a JudgeRequest; `path` is the prefix of its fields."""
    if not request.HasField("submission"):
        yield Violation(f"{path}submission", "is missing")
    yield from submission(request.submission, f"{path}submission")
    request_id = request.request_id
    if len(request_id) > MAX_REQUEST_ID or not request_id.isascii():
        words = f"has {len(request_id)} characters; at most {MAX_REQUEST_ID}, ASCII only"
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
    ids = {f"path[{at}]": above for at, above in enumerate(hierarchy.path[: MAX_DEPTH + 1])}
    if hierarchy.parent_decision_id:
        ids["parent_decision_id"] = hierarchy.parent_decision_id
    for field, decision in ids.items():  # they go on record and into logs
        if not _ID.fullmatch(decision):
            yield Violation(f"{path}hierarchy.{field}", f"is {decision[:64]!r}; {_ID_WORDS}")


def submission(message: pb.Submission, path: str) -> _Found:
    """Yield what is wrong with a submission. What is absent costs nothing to look over."""
    task, candidate, outputs = message.task, message.candidate, message.outputs
    yield from task_given(task, f"{path}.task")
    if len(candidate) > MAX_CONTENT:
        yield _length(f"{path}.candidate", candidate, 0, MAX_CONTENT)
    alone = message.HasField("turn") or message.HasField("process") or message.HasField("scenario")
    if alone or message.policy_violations:
        yield from facts.facts(message, path)
    if not (candidate or outputs or alone):
        yield Violation(f"{path}.candidate", "is empty, and so is outputs; one must be given")
    if len(outputs) > MAX_OUTPUTS:
        yield _count(f"{path}.outputs", len(outputs), MAX_OUTPUTS)
    criteria = message.rubric.criteria
    checked = any(c.checks for c in islice(criteria, MAX_CRITERIA))
    if outputs or message.HasField("context") or checked:
        given = FreeForm(
            outputs=outputs,
            outputs_at=f"{path}.outputs",
            context=message.context,
            context_at=f"{path}.context",
            criteria=criteria,
            criteria_at=f"{path}.rubric.criteria",
        )
        if beyond := too_much(given):
            yield beyond
            return
        yield from free_form(given)
    if messages := message.messages:
        yield from _messages(messages, f"{path}.messages")
    if criteria:
        yield from rubric(criteria, f"{path}.rubric.criteria")


def task_given(task: str, path: str) -> _Found:
    """Yield what is wrong with a task; `path` is its field."""
    if not 1 <= len(task) <= MAX_TASK:
        yield _length(path, task, 1, MAX_TASK)


def _messages(messages: Sequence[pb.Message], path: str) -> _Found:
    if len(messages) > MAX_MESSAGES:
        yield _count(path, len(messages), MAX_MESSAGES)
    for index, message in enumerate(islice(messages, MAX_MESSAGES)):
        role, content = message.role, message.content
        if role not in ROLES:
            words = f"is {role[:32]!r}; must be one of {', '.join(ROLES)}"
            yield Violation(f"{path}[{index}].role", words)
        if len(content) > MAX_CONTENT:
            yield _length(f"{path}[{index}].content", content, 0, MAX_CONTENT)


def rubric(criteria: Sequence[pb.Criterion], path: str) -> _Found:
    """Yield what is wrong with a rubric; `path` is the field of its criteria."""
    if len(criteria) > MAX_CRITERIA:
        yield _count(path, len(criteria), MAX_CRITERIA)
        return
    first: dict[str, int] = {}
    effort = Effort()  # one for all checks: looking them over is work too
    for index, criterion in enumerate(criteria):
        name, text = criterion.id, criterion.text
        if not _ID.fullmatch(name):
            yield Violation(f"{path}[{index}].id", f"is {name[:64]!r}; {_ID_WORDS}")
        elif name in first:
            yield Violation(
                f"{path}[{index}].id", f"is {name!r}, which criteria[{first[name]}] has"
            )
        first.setdefault(name, index)
        if not 1 <= len(text) <= MAX_CRITERION_TEXT:
            yield _length(f"{path}[{index}].text", text, 1, MAX_CRITERION_TEXT)
        if criterion.HasField("weight") and not 0 < criterion.weight <= MAX_WEIGHT:
            words = f"is {criterion.weight:g}; must be above 0, at most {MAX_WEIGHT:g}"
            yield Violation(f"{path}[{index}].weight", words)
        if criterion.checks:
            yield from _checks(criterion.checks, f"{path}[{index}].checks", effort)


def _checks(checks: Sequence[pb.Check], path: str, effort: Effort) -> _Found:
    if len(checks) > MAX_CHECKS:
        yield _count(path, len(checks), MAX_CHECKS)
    for index, check in enumerate(checks[:MAX_CHECKS]):
        where, kind = f"{path}[{index}]", check.WhichOneof("kind")
        if kind is None:
            yield Violation(where, "has no kind of check; must have exactly one")
        elif check.target not in TARGET_FROM:
            yield Violation(f"{where}.target", f"is {check.target}, which is no target")
        elif beyond := _too_many(check, where):
            yield beyond
        elif kind == "json_schema" and (deep := too_deep(check.json_schema, where)):
            yield Violation(f"{where}.json_schema", deep.description)
        else:
            for field, words in check_faults(check_from(check), effort):
                yield Violation(f"{where}.{field}", words)


def _too_many(check: pb.Check, path: str) -> Violation | None:
    """Return what a check lists too much of: counted before it is converted."""
    values, columns = len(check.contains_all.values), len(check.sql.columns)
    if values > MAX_VALUES:
        return _count(f"{path}.contains_all", values, MAX_VALUES)
    return _count(f"{path}.sql.columns", columns, MAX_COLUMNS) if columns > MAX_COLUMNS else None


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


def _length(path: str, text: str, least: int, most: int) -> Violation:
    if not text:
        return Violation(path, f"is empty; must have 1 to {most} characters")
    return Violation(path, f"has {len(text)} characters; must have {least} to {most}")


def _count(path: str, count: int, most: int) -> Violation:
    return Violation(path, f"has {count} entries; at most {most}")
