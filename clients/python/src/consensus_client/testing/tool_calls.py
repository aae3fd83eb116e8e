"""Answers to script for JudgeToolCall."""

from typing import TypeAlias

from consensus.v1.decision_pb2 import Decision
from consensus.v1.tool_call_pb2 import JudgeToolCallRequest, JudgeToolCallResponse
from consensus_client.testing.answers import Answer
from consensus_client.words import Denial

ToolCallAnswer: TypeAlias = Answer[JudgeToolCallResponse, JudgeToolCallRequest]
"""`allow()`, `deny(...)`, `error(...)`, `delayed(...)`, `hang()`, or a function."""


def allow(decision: Decision | None = None) -> JudgeToolCallResponse:
    """Allow the call, as a rule with `skip_judge` does, or by this decision."""
    return JudgeToolCallResponse(allowed=True, decision=decision, tool_rule="*")


def deny(
    retry_signal: str, denial: int = Denial.REJECTED, decision: Decision | None = None
) -> JudgeToolCallResponse:
    """Deny the call and tell the worker this. `denial`: one of `consensus_client.Denial`."""
    return JudgeToolCallResponse(
        retry_signal=retry_signal,
        denial=denial,  # type: ignore[arg-type]
        decision=decision,
        tool_rule="*",
    )
