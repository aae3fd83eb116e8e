"""Every field of a tool call that breaks the contract is named."""

from collections.abc import AsyncIterator
from typing import Any

import grpc
import pytest

from consensus.v1 import submission_pb2
from consensus.v1 import tool_call_pb2 as pb
from tests.service.bad_requests import nested
from tests.service.refusal import refused
from tests.service.running import Running, serving
from tests.toolcalls.calling import request, shipped, stage


@pytest.fixture(scope="module", name="server")
async def _server() -> AsyncIterator[Running]:
    needs_rubric = stage()
    needs_rubric["tool-calls"]["rubric"] = "required"
    async with serving(shipped("127.0.0.1:1", policies=needs_rubric)) as running:
        yield running


def called(**call: Any) -> pb.JudgeToolCallRequest:
    return request(call=pb.ProposedToolCall(**{"name": "fs.read"} | call))


def past(**more: Any) -> pb.JudgeToolCallRequest:
    return request(tool_audit_history=[pb.PastToolCall(**{"tool_name": "t"} | more)])


HISTORY = "tool_audit_history"
FETCHED = submission_pb2.Criterion(id="C1", text="x", checks=[submission_pb2.Check(url={})])
BAD: dict[str, tuple[pb.JudgeToolCallRequest, str]] = {
    "a check that the server does not allow": (
        request(rubric=submission_pb2.Rubric(criteria=[FETCHED])),
        "rubric.criteria[0].checks[0].url",
    ),
    "no task": (request(task=""), "task"),
    "a task too long": (request(task="x" * 200_001), "task"),
    "no call": (pb.JudgeToolCallRequest(task="Do it."), "call.name"),
    "no name": (called(name=""), "call.name"),
    "a name too long": (called(name="x" * 129), "call.name"),
    "a name of other characters": (called(name="fs.read\n"), "call.name"),
    "arguments too long": (called(arguments_json="x" * 1_000_001), "call.arguments_json"),
    "NaN in the arguments": (request(arguments={"a": float("nan")}), "call.arguments.a"),
    "arguments nested too deep": (
        called(arguments=nested(17)),
        "call.arguments" + ".in" * 17,
    ),
    "too many values": (called(arguments={"k": [True] * 100_000}), "call.arguments"),
    "an unsound rubric": (request(rubric={"criteria": [{}]}), "rubric.criteria[0].id"),
    "no rubric where one is needed": (request(), "rubric.criteria"),
    "an available tool without a name": (request(available_tools=[""]), "available_tools[0]"),
    "too many tools": (request(available_tools=["t"] * 1_001), "available_tools"),
    "too many violations": (request(policy_violations=["t"] * 1_001), "policy_violations"),
    "a mount without a path": (request(worker_mounts=[{}]), "worker_mounts[0].path"),
    "too many mounts": (request(worker_mounts=[{"path": "/"}] * 257), "worker_mounts"),
    "a mount's name too long": (
        request(worker_mounts=[{"path": "/", "name": "x" * 201}]),
        "worker_mounts[0].name",
    ),
    "a past call without a name": (past(tool_name=""), f"{HISTORY}[0].tool_name"),
    "a status too long": (past(status="x" * 65), f"{HISTORY}[0].status"),
    "a summary too long": (past(result_summary="x" * 20_001), f"{HISTORY}[0].result_summary"),
    "too many past calls": (request(tool_audit_history=[{"tool_name": "t"}] * 1_001), HISTORY),
    "a marker too long": (request(validation_context="x" * 201), "validation_context"),
    "an id too long": (request(execution_id="x" * 201), "execution_id"),
    "an unknown policy": (request(policy="none"), "policy"),
}


@pytest.mark.parametrize("what", BAD)
async def test_a_field_at_fault_is_named(server: Running, what: str) -> None:
    asked, field = BAD[what]
    seen = await refused(server.consensus.JudgeToolCall(asked))
    assert (seen.code, seen.reason) == (grpc.StatusCode.INVALID_ARGUMENT, "INVALID_REQUEST")
    assert next(iter(seen.fields)) == field


async def test_a_deadline_that_leaves_no_time_is_an_error_and_never_allows(server: Running) -> None:
    seen = await refused(server.consensus.JudgeToolCall(request(), timeout=0.0001))
    assert seen.code is grpc.StatusCode.DEADLINE_EXCEEDED
