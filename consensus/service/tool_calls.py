"""Judges one tool call: checks the request against the contract, finds its rules, tells of it."""

import asyncio
import re
from collections.abc import Callable, Iterator, Sequence
from itertools import islice

from consensus.cascade.tool_call import ToolCalls
from consensus.domain.errors import Violation
from consensus.domain.ports import Observer
from consensus.domain.tool_call import ToolVerdict
from consensus.service import validation
from consensus.service.free_form import FreeForm, free_form, too_much
from consensus.service.rulebook import RulesInForce
from consensus.service.sandboxed import require_sandbox
from consensus.v1 import tool_call_pb2 as pb
from consensus.validators.arguments import MAX_ARGUMENTS
from consensus.wire.tool_call import proposal_from, verdict_to

MAX_TOOLS = 1_000
MAX_MOUNTS = 256
MAX_PAST = 1_000
MAX_PATH = 4_096
MAX_SUMMARY = 20_000
MAX_MARK = 200
MAX_STATUS = 64
_TOOL = re.compile(r"[A-Za-z0-9._:/@+-]{1,128}")
_TOOL_WORDS = "must be 1 to 128 letters, digits or any of '._:/@+-'"

_Found = Iterator[Violation]


class ToolCallJudging:
    """What JudgeToolCall does."""

    def __init__(
        self,
        tool_calls: ToolCalls,
        rules: RulesInForce,
        observer: Observer,
        on_verdict: Callable[[ToolVerdict, float], None],
    ) -> None:
        """`on_verdict` is told every verdict and how many seconds it took."""
        self._tool_calls = tool_calls
        self._rules = rules
        self._observer = observer
        self._on_verdict = on_verdict

    async def judge(
        self, request: pb.JudgeToolCallRequest, budget_seconds: float
    ) -> pb.JudgeToolCallResponse:
        """Return whether the call may run. Raises RequestError."""
        clock = asyncio.get_running_loop().time
        began = clock()
        validation.require(tool_call_request(request))
        rulebook = self._rules.current
        proposal = proposal_from(request)
        require_sandbox(proposal.rubric, rulebook.policies.sandbox, "rubric.criteria")
        verdict = await self._tool_calls.judge(
            proposal,
            rulebook.policies,
            rulebook.judges,
            self._observer,
            named=rulebook.policy(request.policy, "policy") if request.policy else None,
            budget_seconds=budget_seconds,
            prover=rulebook.prover,
        )
        self._on_verdict(verdict, clock() - began)
        return verdict_to(verdict, rulebook.policies.tools_revision)


def tool_call_request(request: pb.JudgeToolCallRequest) -> _Found:
    """Yield what is wrong with a request."""
    call = request.call
    yield from _tool("call.name", call.name)
    yield from _text("call.arguments_json", call.arguments_json, MAX_ARGUMENTS)
    yield from validation.task_given(request.task, "task")
    yield from _arguments_and_rubric(request)
    for name in ("available_tools", "policy_violations"):
        tools: Sequence[str] = getattr(request, name)
        yield from _count(name, len(tools), MAX_TOOLS)
        for index, tool in enumerate(islice(tools, MAX_TOOLS)):
            yield from _tool(f"{name}[{index}]", tool)
    yield from _mounts(request.worker_mounts)
    yield from _history(request.tool_audit_history)
    yield from _text("validation_context", request.validation_context, MAX_MARK)
    yield from _text("execution_id", request.execution_id, MAX_MARK)


def _arguments_and_rubric(request: pb.JudgeToolCallRequest) -> _Found:
    criteria = request.rubric.criteria
    given = FreeForm(
        context=request.call.arguments,
        context_at="call.arguments",
        criteria=criteria,
        criteria_at="rubric.criteria",
    )
    if beyond := too_much(given):
        yield beyond
        return
    yield from free_form(given)
    yield from validation.rubric(criteria, "rubric.criteria")


def _mounts(mounts: Sequence[pb.WorkerMount]) -> _Found:
    yield from _count("worker_mounts", len(mounts), MAX_MOUNTS)
    for index, mount in enumerate(islice(mounts, MAX_MOUNTS)):
        at = f"worker_mounts[{index}]"
        if not mount.path:
            yield Violation(f"{at}.path", f"is empty; must have 1 to {MAX_PATH} characters")
        yield from _text(f"{at}.path", mount.path, MAX_PATH)
        yield from _text(f"{at}.name", mount.name, MAX_MARK)


def _history(calls: Sequence[pb.PastToolCall]) -> _Found:
    yield from _count("tool_audit_history", len(calls), MAX_PAST)
    for index, past in enumerate(islice(calls, MAX_PAST)):
        at = f"tool_audit_history[{index}]"
        yield from _tool(f"{at}.tool_name", past.tool_name)
        yield from _text(f"{at}.status", past.status, MAX_STATUS)
        for name in ("arguments_summary", "result_summary", "error"):
            yield from _text(f"{at}.{name}", getattr(past, name), MAX_SUMMARY)


def _tool(field: str, name: str) -> _Found:
    if not _TOOL.fullmatch(name):
        yield Violation(field, f"is {name[:64]!r}; {_TOOL_WORDS}")


def _text(field: str, text: str, most: int) -> _Found:
    if len(text) > most:
        yield Violation(field, f"has {len(text)} characters; at most {most}")


def _count(field: str, count: int, most: int) -> _Found:
    if count > most:
        yield Violation(field, f"has {count} entries; at most {most}")
