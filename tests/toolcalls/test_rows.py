"""Every behaviour of AEGIS's inner loop, through a running server with the shipped policy."""

import json
from typing import Any

import grpc
import pytest

from consensus.v1 import consensus_pb2, judge_pb2
from consensus.v1 import tool_call_pb2 as pb
from tests.service.running import Running
from tests.service.scripted_judge import Hanging, Script, abstention, answers, gradient
from tests.service.scripted_judge import refuses as refusing
from tests.toolcalls.calling import WRITE, judged_by, request, stage

YES = answers(gradient(0.9, 0.8, reasoning="It fits the task."))
NO = answers(gradient(0.2, 0.9, reasoning="It writes where nobody asked."))


async def asked(server: Running, *given: Any, **more: Any) -> pb.JudgeToolCallResponse:
    reply: pb.JudgeToolCallResponse = await server.consensus.JudgeToolCall(request(*given, **more))
    assert reply.allowed == (reply.denial == pb.DENIAL_UNSPECIFIED) == (not reply.retry_signal)
    return reply


GATE: dict[str, tuple[float, float, float, bool]] = {
    "both bounds are reached": (0.7, 0.5, 0.5, True),
    "the score is just below": (0.699999, 1.0, 0.0, False),
    "the confidence is just below": (1.0, 0.499999, 0.5, False),
    "no confidence at all at the default": (0.7, 0.0, 0.0, True),
    "a score of zero": (0.0, 1.0, 0.0, False),
}


@pytest.mark.parametrize("what", GATE)
async def test_a_call_is_allowed_where_score_and_confidence_reach_their_bounds(what: str) -> None:
    score, confidence, least, allowed = GATE[what]
    rules = stage(gate={"min_score": 0.7, "min_confidence": least})
    async with judged_by(answers(gradient(score, confidence)), policies=rules) as (server, _):
        reply = await asked(server)
    assert reply.allowed is allowed
    assert reply.HasField("decision")


DOWN: dict[str, Script] = {
    "time-out": Hanging(),
    "failure": refusing(grpc.StatusCode.INTERNAL),
    "cancellation": refusing(grpc.StatusCode.CANCELLED),
    "unreadable": answers(b"\xff\xff"),
    "a score of 7": answers(gradient(7.0)),
    "NaN": answers(gradient(float("nan"))),
    "no answer at all": answers(judge_pb2.EvaluateResponse()),
    "abstention": answers(abstention()),
}


@pytest.mark.parametrize("what", DOWN)
@pytest.mark.parametrize("action", ["retry", "accept", "escalate", "fail"])
async def test_without_a_readable_verdict_in_time_a_call_is_denied(what: str, action: str) -> None:
    rules = stage(on_no_quorum=action)
    rules["tool-calls"]["deadline_seconds"] = 0.2 if what == "time-out" else 30
    async with judged_by(DOWN[what], policies=rules) as (server, _):
        reply = await asked(server)
    assert not reply.allowed
    assert reply.denial in (pb.DENIAL_NO_QUORUM, pb.DENIAL_FAILED)
    assert "may be sound" in reply.retry_signal


async def test_a_denial_returns_the_reasoning_and_uses_up_no_iteration() -> None:
    async with judged_by(NO) as (server, _):
        reply = await asked(server)
    assert reply.denial == pb.DENIAL_REJECTED
    for words in ("'fs.write' was denied", "no iteration", "nobody asked", "0.200 < 0.7", "Change"):
        assert words in reply.retry_signal


async def test_a_denial_for_want_of_confidence_returns_the_reasoning_too() -> None:
    rules = stage(gate={"min_confidence": 0.9})
    async with judged_by(YES, policies=rules) as (server, _):
        reply = await asked(server)
    assert "It fits the task." in reply.retry_signal
    assert "confidence" in reply.retry_signal


async def test_the_first_rejection_blocks_and_later_judges_are_not_asked() -> None:
    rules = stage(on_pass="advance")  # noqa: S106 - no password
    rules["tool-calls"]["stages"].append(rules["tool-calls"]["stages"][0] | {"name": "second"})
    rules["tool-calls"]["stages"][1] |= {"on_pass": "accept"}
    async with judged_by(NO, policies=rules) as (server, judges):
        reply = await asked(server)
        assert len(judges.requests) == 1
        assert [stage.stage for stage in reply.decision.stages] == ["tool_judge"]


async def test_judges_get_the_payload_of_aegis_and_the_blocked_tools() -> None:
    async with judged_by(YES) as (server, judges):
        await asked(
            server,
            available_tools=["fs.write", "web.get"],
            worker_mounts=[pb.WorkerMount(path="/project", name="data", read_only=True)],
            tool_audit_history=[
                pb.PastToolCall(
                    tool_name="web.get", arguments_summary='{"q":"x"}', status="blocked"
                )
            ],
            policy_violations=["cmd.run"],
            execution_id="run-1",
            rubric={"criteria": [{"id": "C1", "text": "Writes below /project only."}]},
        )
        seen = judges.requests[0].submission
    assert json.loads(seen.candidate) == {"name": "fs.write", "arguments": WRITE}
    assert seen.task == "Write down when the tower opens."
    assert [criterion.id for criterion in seen.rubric.criteria] == ["C1"]
    context = seen.context
    assert context["validation_context"] == "semantic_judge_pre_execution_inner_loop"
    assert context["execution_id"] == "run-1"
    assert list(context["available_tools"]) == ["fs.write", "web.get"]
    assert list(context["policy_violations"]) == ["cmd.run"] == list(seen.policy_violations)
    assert dict(context["worker_mounts"][0]) == {
        "path": "/project",
        "name": "data",
        "read_only": True,
    }
    assert dict(context["tool_audit_history"]["tool_calls"][0]) == {
        "tool_name": "web.get",
        "arguments_summary": '{"q": "x"}',
        "status": "blocked",
        "result_summary": "",
        "error": "",
    }


SKIP: dict[str, tuple[Any, int]] = {
    "sound arguments": ({"path": "/project/a.md"}, pb.DENIAL_UNSPECIFIED),
    "sound arguments as text": ('{"path": "/project/a.md"}', pb.DENIAL_UNSPECIFIED),
    "a schema that fails": ({"path": "/etc/passwd"}, pb.DENIAL_ARGUMENTS),
    "an argument too many": ({"path": "/project/a", "mode": "w"}, pb.DENIAL_ARGUMENTS),
    "no arguments": ("", pb.DENIAL_ARGUMENTS),
    "a denied value": ({"path": "/project/../etc/passwd"}, pb.DENIAL_ARGUMENTS),
    "text that is no JSON": ('{"path": ', pb.DENIAL_ARGUMENTS),
    "a list": ('["/project/a"]', pb.DENIAL_ARGUMENTS),
    "a key twice": ('{"path": "/etc/x", "path": "/project/a"}', pb.DENIAL_ARGUMENTS),
    "half a character": ('{"path": "/project/\\ud800"}', pb.DENIAL_ARGUMENTS),
    "NaN": ('{"path": NaN}', pb.DENIAL_ARGUMENTS),
    "infinity": ('{"path": 1e999}', pb.DENIAL_ARGUMENTS),
    "nesting": ('{"path":' + "[" * 50_000 + "]" * 50_000 + "}", pb.DENIAL_ARGUMENTS),
}


@pytest.mark.parametrize("what", SKIP)
async def test_skip_judge_bypasses_the_judge_and_never_the_checks(what: str) -> None:
    arguments, denial = SKIP[what]
    async with judged_by(YES) as (server, judges):
        reply = await asked(server, "fs.read", arguments)
        assert not judges.requests
    assert (reply.denial, reply.tool_rule) == (denial, "fs.read")
    assert not reply.HasField("decision")


CHECKED: dict[str, tuple[str, Any, str]] = {
    "a command": ("cmd.run", {"command": "rm -rf /"}, "arguments.command matches"),
    "a command in a list": ("cmd.run", {"argv": ["rm", "-rf", "/"]}, "arguments.argv matches"),
    "a key": ("cmd.run", {"env": {"sudo": True}}, "the key arguments.env.sudo matches"),
    "deep in the middle": (
        "cmd.run",
        {"script": "x" * 5_000 + " sudo make " + "x" * 5_000},
        "arguments.script matches",
    ),
    "a whole-value anchor": ("web.get", {"urls": ["https://a.example", "file:///etc"]}, "urls[1]"),
    "too much to check": ("cmd.run", {"a": [str(i) for i in range(40_000)]}, "not checked"),
}


@pytest.mark.parametrize("what", CHECKED)
async def test_denied_arguments_are_named_before_any_judge_is_asked(what: str) -> None:
    tool, arguments, words = CHECKED[what]
    async with judged_by(YES) as (server, judges):
        reply = await asked(server, tool, arguments)
        assert not judges.requests
    assert reply.denial == pb.DENIAL_ARGUMENTS
    assert words in reply.retry_signal
    assert [check.passed for check in reply.checks].count(False) >= 1


UNRULED: dict[str, tuple[dict[str, Any], int]] = {
    "no rule": ({"tool": "mail.send"}, pb.DENIAL_NO_RULE),
    "another case": ({"tool": "FS.write"}, pb.DENIAL_NO_RULE),
    "a tool that the worker lacks": ({"available_tools": ["web.get"]}, pb.DENIAL_UNKNOWN_TOOL),
}


@pytest.mark.parametrize("what", UNRULED)
async def test_what_no_rule_allows_is_denied_with_the_tools_there_are(what: str) -> None:
    more, denial = UNRULED[what]
    async with judged_by(YES) as (server, judges):
        reply = await asked(server, **{"available_tools": ["mail.send", "FS.write"]} | more)
        assert not judges.requests
    assert reply.denial == denial
    assert "You have: " in reply.retry_signal


async def test_a_named_policy_judges_and_the_rule_s_checks_still_hold() -> None:
    async with judged_by(YES) as (server, judges):
        assert (await asked(server, "mail.send", policy="tool-calls")).allowed
        assert (await asked(server, "fs.read", {"path": "/project/a"}, policy="tool-calls")).allowed
        assert len(judges.requests) == 2
        reply = await asked(server, "fs.read", {"path": "/etc/passwd"}, policy="tool-calls")
    assert reply.denial == pb.DENIAL_ARGUMENTS


async def test_a_disabled_policy_denies() -> None:
    rules = stage()
    rules["tool-calls"]["enabled"] = False
    async with judged_by(YES, policies=rules) as (server, _):
        reply = await asked(server)
    assert reply.denial == pb.DENIAL_FAILED
    assert "disabled" in reply.retry_signal


async def test_a_crash_denies(monkeypatch: pytest.MonkeyPatch) -> None:
    async with judged_by(YES) as (server, _):

        async def crash(*given: object, **more: object) -> None:
            raise RuntimeError("secret")

        monkeypatch.setattr(server.app._engine, "judge", crash)
        reply = await asked(server)
    assert reply.denial == pb.DENIAL_FAILED
    assert "secret" not in reply.retry_signal


async def test_calls_are_counted_by_rule_and_rules_have_a_revision() -> None:
    async with judged_by(YES) as (server, _):
        reply = await asked(server)
        await asked(server, "mail.send")
        name = "consensus_tool_calls_total"
        assert server.value(name, tool_rule="fs.*", allowed="yes") == 1
        assert server.value(name, tool_rule="none", allowed="no") == 1
    assert reply.tools_revision.startswith("sha256:")


async def test_a_server_without_rules_denies_everything() -> None:
    async with judged_by(YES, tools=[]) as (server, judges):
        reply = await asked(server)
        assert not judges.requests
    assert (reply.denial, reply.tools_revision) == (pb.DENIAL_NO_RULE, "")


def test_the_service_offers_it() -> None:
    service = consensus_pb2.DESCRIPTOR.services_by_name["ConsensusService"]
    assert "JudgeToolCall" in service.methods_by_name
