"""Tool calls to judge before they run, made of plain Python values.

Nothing is checked here: the server holds the limits and names every field that breaks one.
"""

from collections.abc import Iterable, Mapping

from consensus.v1.submission_pb2 import Criterion, Rubric
from consensus.v1.tool_call_pb2 import (
    JudgeToolCallRequest,
    PastToolCall,
    ProposedToolCall,
    WorkerMount,
)
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
    call = ProposedToolCall(name=tool)
    if isinstance(arguments, str):
        call.arguments_json = arguments
    elif arguments is not None:
        call.arguments.CopyFrom(struct(arguments, "arguments"))
    rubric = Rubric(criteria=criteria)
    return JudgeToolCallRequest(
        task=task,
        call=call,
        available_tools=listed(available_tools, "available_tools"),
        worker_mounts=[
            mount if isinstance(mount, WorkerMount) else WorkerMount(**mount)  # type: ignore[arg-type]
            for mount in worker_mounts
        ],
        tool_audit_history=[
            past if isinstance(past, PastToolCall) else PastToolCall(**past)
            for past in tool_audit_history
        ],
        rubric=rubric if rubric.criteria else None,
        policy_violations=listed(policy_violations, "policy_violations"),
        validation_context=validation_context,
        execution_id=execution_id,
        policy=policy,
    )
