"""Tool calls: proto <-> domain."""

from consensus.domain.tool_call import (
    VALIDATION_CONTEXT,
    Denial,
    PastToolCall,
    Proposal,
    ProposedToolCall,
    ToolVerdict,
    WorkerMount,
)
from consensus.v1 import tool_call_pb2 as pb
from consensus.wire.decision import check_fields, decision_fields
from consensus.wire.json_values import plain_struct
from consensus.wire.submission import criterion_from

DENIAL_TO = {
    None: pb.DENIAL_UNSPECIFIED,
    Denial.NO_RULE: pb.DENIAL_NO_RULE,
    Denial.UNKNOWN_TOOL: pb.DENIAL_UNKNOWN_TOOL,
    Denial.ARGUMENTS: pb.DENIAL_ARGUMENTS,
    Denial.REJECTED: pb.DENIAL_REJECTED,
    Denial.NO_QUORUM: pb.DENIAL_NO_QUORUM,
    Denial.FAILED: pb.DENIAL_FAILED,
}


def proposal_from(message: pb.JudgeToolCallRequest) -> Proposal:
    """Return the domain's proposal; every check of the criteria must have its kind set."""
    call = message.call
    written = call.WhichOneof("kind") == "arguments_json"
    arguments = call.arguments_json if written else plain_struct(call.arguments)
    return Proposal(
        task=message.task,
        call=ProposedToolCall(call.name, arguments),
        available_tools=tuple(message.available_tools),
        worker_mounts=[
            WorkerMount(mount.path, mount.name, mount.read_only) for mount in message.worker_mounts
        ],
        tool_audit_history=[_past_from(past) for past in message.tool_audit_history],
        rubric=tuple([criterion_from(criterion) for criterion in message.rubric.criteria]),
        validation_context=message.validation_context or VALIDATION_CONTEXT,
        policy_violations=tuple(message.policy_violations),
        execution_id=message.execution_id,
    )


def verdict_to(verdict: ToolVerdict, tools_revision: str) -> pb.JudgeToolCallResponse:
    """Return the contract's answer."""
    judged = verdict.decision
    return pb.JudgeToolCallResponse(
        allowed=verdict.allowed,
        decision=decision_fields(judged) if judged is not None else None,
        retry_signal=verdict.retry_signal,
        denial=DENIAL_TO[verdict.denial],
        tool_rule=verdict.rule,
        checks=[check_fields(check) for check in verdict.checks],
        tools_revision=tools_revision,
    )


def _past_from(message: pb.PastToolCall) -> PastToolCall:
    return PastToolCall(
        tool_name=message.tool_name,
        arguments_summary=message.arguments_summary,
        status=message.status,
        result_summary=message.result_summary,
        error=message.error,
    )
