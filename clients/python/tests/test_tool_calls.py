"""Tool calls: both flavours ask, the fake answers as scripted, the real server fails closed."""

import json
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import grpc
import pytest
from consensus_client import (
    Denial,
    PastToolCall,
    UnavailableError,
    WorkerMount,
    contains,
    criterion,
    tool_call_request,
)
from consensus_client.testing import FakeConsensus, allow, deny, error, retry

CALL = tool_call_request("Tidy up.", "fs.delete", {"path": "/project/a", "force": True})


def test_a_verdict_comes_back_as_scripted_and_the_request_as_given(connect: Any) -> None:
    scripted = [deny("Not that file.", decision=retry("No.")), allow()]
    with FakeConsensus(tool_calls=scripted) as fake:
        client = connect(fake.target)
        denied = client.judge_tool_call(CALL)
        assert (denied.allowed, denied.denial) == (False, Denial.REJECTED)
        assert (denied.retry_signal, denied.decision.feedback) == ("Not that file.", "No.")
        assert client.judge_tool_call(CALL, timeout_seconds=5).allowed
        assert fake.tool_call_requests == [CALL, CALL]
        assert fake.requests == []


def test_without_a_script_every_call_is_allowed(connect: Any) -> None:
    with FakeConsensus() as fake:
        assert connect(fake.target).judge_tool_call(CALL).allowed


def test_an_error_is_raised_and_never_an_allowance(connect: Any) -> None:
    down = [error(grpc.StatusCode.UNAVAILABLE)]
    with FakeConsensus(tool_calls=down) as fake, pytest.raises(UnavailableError):
        connect(fake.target).judge_tool_call(CALL)


def test_a_request_is_made_of_plain_values() -> None:
    request = tool_call_request(
        "Tidy up.",
        "fs.delete",
        '{"path": ',
        available_tools=["fs.delete"],
        worker_mounts=[{"path": "/project", "read_only": True}, WorkerMount(path="/tmp")],  # noqa: S108
        tool_audit_history=[{"tool_name": "fs.list"}, PastToolCall(tool_name="fs.read")],
        criteria=[criterion("C1", "Deletes nothing else.", checks=[contains("/project")])],
        policy_violations=["cmd.run"],
        validation_context="inner",
        execution_id="run-1",
        policy="strict",
    )
    assert request.call.arguments_json == '{"path": '
    assert [mount.read_only for mount in request.worker_mounts] == [True, False]
    assert [past.tool_name for past in request.tool_audit_history] == ["fs.list", "fs.read"]
    assert request.rubric.criteria[0].id == "C1"
    assert (request.policy, request.execution_id) == ("strict", "run-1")
    assert (request.validation_context, list(request.policy_violations)) == ("inner", ["cmd.run"])
    bare = tool_call_request("Tidy up.", "fs.list")
    assert bare.call.WhichOneof("kind") is None
    assert not bare.HasField("rubric")


def test_arguments_that_are_not_json_are_named() -> None:
    with pytest.raises(TypeError, match=r"arguments\.when"):
        tool_call_request("Tidy up.", "fs.delete", {"when": object()})


def test_the_real_server_checks_and_fails_closed(
    connect: Any, serve: Callable[..., AbstractContextManager[str]], tmp_path: Path
) -> None:
    rules = {
        "tools": [
            {"match": "fs.*", "skip_judge": True, "arguments": {"deny": ["^/etc"]}},
        ],
        "policies": {"default": {"stages": [{"name": "one", "checks": [{"contains": "a"}]}]}},
    }
    file = tmp_path / "policy.yaml"
    file.write_text(json.dumps(rules))
    with serve("--policy-file", str(file)) as target:
        client = connect(target)
        assert client.judge_tool_call(CALL).allowed
        etc = tool_call_request("Tidy up.", "fs.delete", {"path": "/etc/passwd"})
        assert client.judge_tool_call(etc).denial == Denial.ARGUMENTS
        mail = tool_call_request("Tidy up.", "mail.send", available_tools=["mail.send", "fs.stat"])
        denied = client.judge_tool_call(mail)
        assert denied.denial == Denial.NO_RULE
        assert "You have: fs.stat" in denied.retry_signal
