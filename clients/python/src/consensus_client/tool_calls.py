"""Tool calls to judge before they run, made of plain Python values.

Only types are looked at here: the server holds the limits and names every field that breaks one.
"""

from collections.abc import Iterable, Mapping

from consensus.v1.submission_pb2 import Criterion, Rubric
from consensus.v1.tool_call_pb2 import (
    JudgeToolCallRequest,
    PastToolCall,
    ProposedToolCall,
    WorkerMount,
)
from consensus_client import expect
from consensus_client.plain import listed, struct


def tool_call_request(
    task: str,
    tool: str,
    arguments: Mapping[str, object] | str | None = None,
    *,
    available_tools: Iterable[str] = (),
    worker_mounts: Iterable[WorkerMount | Mapping[str, object]] = (),
    tool_audit_history: Iterable[PastToolCall | Mapping[str, str]] = (),
    criteria: Iterable[Criterion] = (),
    policy_violations: Iterable[str] = (),
    validation_context: str = "",
    execution_id: str = "",
    policy: str = "",
) -> JudgeToolCallRequest:
    """Return a request to judge one tool call.

    `arguments`: JSON values, or JSON text as the worker has written it, which the server then
    reads and denies where it is unsound. `available_tools`: empty means not told.
    `worker_mounts`: such as `{"path": "/project", "read_only": True}`. `tool_audit_history`: calls
    of this run that are over, oldest first, such as `{"tool_name": ..., "status": ...}`.
    `policy_violations`: tools that your platform has denied in this run. `policy`: empty means as
    the server's `tools` rules say. Raises TypeError on an argument that is not JSON, ValueError on
    a mount or call with other keys.
    """
    for name, text in (
        ("task", task),
        ("tool", tool),
        ("validation_context", validation_context),
        ("execution_id", execution_id),
        ("policy", policy),
    ):
        expect.text(name, text)
    call = ProposedToolCall(name=tool)
    if isinstance(arguments, str):
        call.arguments_json = arguments
    elif arguments is not None:
        expect.mapping("arguments", arguments, '{"path": "/project/notes.md"}')
        call.arguments.CopyFrom(struct(arguments, "arguments"))
    given = list(listed(criteria, "criteria"))
    expect.each("criteria", given, Criterion | Mapping, "a Criterion: make it with criterion()")
    mounts, history = list(worker_mounts), list(tool_audit_history)
    expect.each("worker_mounts", mounts, WorkerMount | Mapping, '{"path": "/project"}')
    expect.each("tool_audit_history", history, PastToolCall | Mapping, '{"tool_name": "fs.read"}')
    rubric = Rubric(criteria=given)
    return JudgeToolCallRequest(
        task=task,
        call=call,
        available_tools=expect.texts("available_tools", available_tools),
        worker_mounts=[
            mount if isinstance(mount, WorkerMount) else WorkerMount(**mount)  # type: ignore[arg-type]
            for mount in mounts
        ],
        tool_audit_history=[
            past if isinstance(past, PastToolCall) else PastToolCall(**past) for past in history
        ],
        rubric=rubric if rubric.criteria else None,
        policy_violations=expect.texts("policy_violations", policy_violations),
        validation_context=validation_context,
        execution_id=execution_id,
        policy=policy,
    )
