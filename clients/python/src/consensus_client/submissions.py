"""What is to be judged, made of plain Python values.

Only types are looked at here: the server holds the limits and names every field that breaks one.
"""

from collections.abc import Iterable, Mapping

from consensus.v1.consensus_pb2 import DeriveCriteria, JudgeRequest, Overrides
from consensus.v1.submission_pb2 import (
    Check,
    Criterion,
    Message,
    ProcessResult,
    Rubric,
    Scenario,
    Submission,
    Turn,
)
from consensus_client import expect
from consensus_client.plain import listed, struct, value
from consensus_client.surroundings import Spans
from consensus_client.surroundings import trace as trace_of


def submission(
    task: str,
    candidate: str = "",
    *,
    criteria: Iterable[Criterion] = (),
    outputs: Mapping[str, object] | None = None,
    messages: Iterable[Message | Mapping[str, str]] = (),
    context: Mapping[str, object] | None = None,
    turn: Turn | None = None,
    process: ProcessResult | None = None,
    policy_violations: Iterable[str] = (),
    trace: Spans | None = None,
    scenario: Scenario | None = None,
) -> Submission:
    """Return a submission.

    `task`: what the worker was asked to do, 1 to 200,000 characters. `candidate`: its answer; may
    be empty when `outputs` is not. `criteria`: at most 256, each from `criterion()`. `outputs`:
    JSON values by output key, at most 256. `messages`: the conversation, oldest first, as
    `{"role": ..., "content": ...}`. `context`: anything else that the judges should see, JSON at
    most 16 levels deep. `turn`, `process`, `scenario`: from `turn()`, `process_result()` and
    `scenario()`. `policy_violations`: names of tools that your platform has denied in this run.
    `trace`: what the worker did, as OTLP bytes, OTLP JSON text or the path of such a file. Raises
    TypeError on an argument of another type and a value that is not JSON, ValueError on a message
    with other keys, and what `trace()` raises.
    """
    _typed(task, candidate, outputs, context, (turn, process, scenario))
    given, spoken = list(listed(criteria, "criteria")), list(listed(messages, "messages"))
    expect.each("criteria", given, Criterion | Mapping, "a Criterion: make it with criterion()")
    expect.each("messages", spoken, Message | Mapping, '{"role": "user", "content": "..."}')
    rubric = Rubric(criteria=given)
    made = Submission(
        task=task,
        candidate=candidate,
        rubric=rubric if rubric.criteria else None,
        messages=[said if isinstance(said, Message) else Message(**said) for said in spoken],
        turn=turn,
        process=process,
        policy_violations=expect.texts("policy_violations", policy_violations),
        trace=None if trace is None else trace_of(trace),
        scenario=scenario,
    )
    for key, output in (outputs or {}).items():
        made.outputs[key].CopyFrom(value(output, f"outputs.{key}"))
    if context is not None:
        made.context.CopyFrom(struct(context, "context"))
    return made


def _typed(
    task: object, candidate: object, outputs: object, context: object, facts: tuple[object, ...]
) -> None:
    """Raise TypeError on arguments of other types; `facts` are turn, process and scenario."""
    expect.text("task", task)
    expect.text("candidate", candidate)
    if outputs is not None:
        expect.mapping("outputs", outputs, '{"cost": 900}')
    if context is not None:
        expect.mapping("context", context, '{"city": "Lisbon"}')
    turn, process, scenario = facts
    expect.typed("turn", turn, Turn | Mapping | None, "a Turn, of turn()")
    must = "a ProcessResult, of process_result()"
    expect.typed("process", process, ProcessResult | Mapping | None, must)
    expect.typed("scenario", scenario, Scenario | Mapping | None, "a Scenario, of scenario()")


def criterion(
    id: str,  # noqa: A002 - the contract's word
    text: str,
    *,
    required: bool = False,
    weight: float | None = None,
    checks: Iterable[Check] = (),
) -> Criterion:
    """Return one checkable requirement.

    `id`: stable and unique in the rubric, such as `C1`: 1 to 64 letters, digits, `.`, `_`, `-`.
    `text`: the requirement in words, 1 to 4,000 characters. `required`: whether the gate fails
    unless it is MET. `weight`: above 0; None means 1. `checks`: at most 16, which decide the
    criterion together; see `consensus_client.checks`. Raises TypeError on other types.
    """
    expect.text("id", id)
    expect.text("text", text)
    expect.flag("required", required)
    if weight is not None:
        expect.real("weight", weight)
    given = list(listed(checks, "checks"))
    expect.each("checks", given, Check | Mapping, "a Check: make it with contains() or such")
    return Criterion(id=id, text=text, required=required, weight=weight, checks=given)


def judge_request(
    submission: Submission,
    *,
    policy: str = "",
    overrides: Overrides | None = None,
    request_id: str | None = None,
    derive_criteria: DeriveCriteria | None = None,
    max_cost_usd: float | None = None,
    include_validation_results: bool = False,
) -> JudgeRequest:
    """Return one request, for a batch; `judge()` makes its own of the same arguments.

    `policy`: empty means the server's default policy. `overrides`: changes to the policy for this
    request alone. `request_id`: makes the request safe to repeat for 10 minutes, at most 36 ASCII
    characters; None: a random UUID is given when it is sent. `derive_criteria`: let the server
    derive the rubric from the task, such as `DeriveCriteria(max_criteria=5)`; the decision's
    `derived_rubric` has it for the next attempt. `max_cost_usd`: the most that the judges may cost,
    above 0; one that could cost more than is left of it is not asked. `include_validation_results`:
    whether the decision is to have its `validation_results`, the same by kind of validator. Raises
    TypeError on arguments of other types.
    """
    expect.typed("submission", submission, Submission | Mapping, "a Submission, of submission()")
    expect.text("policy", policy)
    expect.typed("request_id", request_id, str | None, "a str")
    expect.typed("overrides", overrides, Overrides | Mapping | None, "Overrides(...)")
    derive, must = DeriveCriteria | Mapping | None, "such as DeriveCriteria(max_criteria=5)"
    expect.typed("derive_criteria", derive_criteria, derive, must)
    if max_cost_usd is not None:
        expect.real("max_cost_usd", max_cost_usd)
    expect.flag("include_validation_results", include_validation_results)
    return JudgeRequest(
        submission=submission,
        policy=policy,
        overrides=overrides,
        request_id=request_id or "",
        derive_criteria=derive_criteria,
        max_cost_usd=max_cost_usd,
        include_validation_results=include_validation_results,
    )
