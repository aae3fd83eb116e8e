"""Tool calls that a worker proposes: judged before they run, without using up a turn."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from consensus.v1.submission_pb2 import Criterion
from consensus.v1.tool_call_pb2 import JudgeToolCallRequest, JudgeToolCallResponse
from consensus_client import expect
from consensus_client.loop.state import LoopState
from consensus_client.tool_calls import tool_call_request

MAX_HISTORY = 100
"""Proposals that are told of, the latest."""
MAX_SUMMARY = 2_000
"""Characters of arguments, or of a retry signal, that are told of each."""

Note: TypeAlias = Callable[[JudgeToolCallResponse], None]


@dataclass(frozen=True, slots=True)
class ToolRules:
    """How tool calls that the worker proposes are judged. Raises TypeError on other types."""

    policy: str = ""
    """Empty means as the server's `tools` rules say."""
    available_tools: Sequence[str] = ()
    """Names of the tools that the worker has; empty means not told."""
    criteria: Sequence[Criterion] = ()
    """What a call is judged by; the rubric of the work is about the work."""

    def __post_init__(self) -> None:
        expect.text("ToolRules.policy", self.policy)
        expect.each("ToolRules.available_tools", self.available_tools, str, "a tool's name")
        must = "a Criterion: make it with criterion()"
        expect.each("ToolRules.criteria", self.criteria, Criterion, must)


def proposed(
    state: LoopState,
    rules: ToolRules,
    tool: str,
    arguments: Mapping[str, Any] | str | None,
) -> tuple[JudgeToolCallRequest, Note]:
    """Return the request about one call, and who is to be told the answer."""
    request = tool_call_request(
        state.task,
        tool,
        arguments,
        available_tools=rules.available_tools,
        tool_audit_history=state.tool_history,
        criteria=rules.criteria,
        policy=rules.policy,
    )
    text = arguments if isinstance(arguments, str) else json.dumps(arguments or {})

    def note(answer: JudgeToolCallResponse) -> None:
        state.denied += not answer.allowed
        entry = {
            "tool_name": tool,
            "arguments_summary": text[:MAX_SUMMARY],
            "status": "allowed" if answer.allowed else "blocked",
            "error": answer.retry_signal[:MAX_SUMMARY],
        }
        state.tool_history = [*state.tool_history, entry][-MAX_HISTORY:]

    return request, note
