"""`consensus judge-tool`: the exit code says allowed, the worker's fault, or nobody's."""

import json
from collections.abc import Iterator
from concurrent import futures
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import grpc
import pytest
from google.protobuf import json_format

from consensus.v1 import consensus_pb2_grpc, decision_pb2
from consensus.v1 import tool_call_pb2 as pb
from tests.cli.running import run, write
from tests.cli.test_rendering import HOSTILE, SHOWN
from tests.wire.sample import DECISION, decision_to

WRITE = {"task": "Note the hours.", "call": {"name": "fs.write", "arguments": {"path": "/a"}}}
STAGE = {
    "name": "judges",
    "panel": {"seats": [{"judge": "conduct"}]},
    "gate": {"min_score": 0.0},
    "on_no_quorum": "escalate",
}
AWAY = {"kind": "remote", "target": "unix:/no/such/socket"}
POLICIES = {
    "judges": {"away": AWAY},
    "tools": [
        {"match": "fs.read", "skip_judge": True, "arguments": {"deny": ["etc"]}},
        {"match": "fs.*", "policy": "default"},
        {"match": "web.*", "policy": "strict"},
        {"match": "db.*", "policy": "away"},
        {"match": "mail.*", "policy": "disabled"},
    ],
    "policies": {
        "default": {"stages": [STAGE]},
        "strict": {"stages": [STAGE | {"gate": {"min_score": 1.0, "min_confidence": 1.0}}]},
        "away": {"stages": [STAGE | {"panel": {"seats": [{"judge": "away"}]}}]},
        "disabled": {"enabled": False, "stages": [STAGE]},
    },
}


@pytest.fixture
def policies(tmp_path: Path) -> Path:
    return write(tmp_path / "policy.yaml", POLICIES)


def called(tool: str, **arguments: Any) -> dict[str, Any]:
    return WRITE | {"call": {"name": tool, "arguments": arguments}}


CALLS: dict[str, tuple[dict[str, Any], int, str]] = {
    "allowed by its judges": (WRITE, 0, "DENIAL_UNSPECIFIED"),
    "allowed by its checks alone": (called("fs.read", path="/a"), 0, "DENIAL_UNSPECIFIED"),
    "bad arguments": (called("fs.read", path="/etc"), 1, "DENIAL_ARGUMENTS"),
    "no rule": (called("cmd.run"), 1, "DENIAL_NO_RULE"),
    "an unknown tool": (WRITE | {"available_tools": ["web.get"]}, 1, "DENIAL_UNKNOWN_TOOL"),
    "rejected": (called("web.get"), 1, "DENIAL_REJECTED"),
    "nobody answers": (called("db.drop"), 2, "DENIAL_NO_QUORUM"),
    "judging fails": (called("mail.send"), 2, "DENIAL_FAILED"),
}


@pytest.mark.parametrize("case", CALLS)
def test_the_exit_code_tells_whose_fault_a_denial_is(
    case: str, policies: Path, tmp_path: Path
) -> None:
    call, code, denial = CALLS[case]
    file = write(tmp_path / "call.json", call)
    told = run("judge-tool", file, "--policy-file", policies, "--json")
    reply = json_format.Parse(told.out, pb.JudgeToolCallResponse())
    assert (told.code, told.err) == (code, "")
    assert reply.allowed is (code == 0)
    assert pb.Denial.Name(reply.denial) == denial
    shown = run("judge-tool", file, "--policy-file", policies)
    assert shown.code == code
    assert ("allowed" if reply.allowed else "denied") in shown.out.splitlines()[1]
    assert ("retry signal for the worker" in shown.out) is bool(reply.retry_signal)
    assert max(len(line) for line in shown.out.splitlines()) <= 80


def test_the_table_shows_rule_checks_seats_reasons_and_retry_signal(
    policies: Path, tmp_path: Path
) -> None:
    denied = run("judge-tool", write(tmp_path / "a.json", called("fs.read", path="/etc")),
                 "--policy-file", policies).out  # fmt: skip
    assert "denied  ARGUMENTS  fs.read" in denied
    assert "rule fs.read sha256:" in denied
    assert "✗   no argument matches /etc/   arguments.path matches" in denied
    judged = run("judge-tool", write(tmp_path / "b.json", WRITE), "--policy-file", policies).out
    assert "allowed  fs.write" in judged
    assert "policy default sha256:" in judged
    assert "stage judges: PASS" in judged
    assert any(line.startswith("conduct ") and "scored" in line for line in judged.splitlines())
    assert "• GATES_PASSED" in judged
    skipped = write(tmp_path / "c.json", called("fs.read", path="/a"))
    assert "no judge was asked" in run("judge-tool", skipped, "--policy-file", policies).out


def test_the_bundled_file_has_no_rules_and_a_named_policy_judges(tmp_path: Path) -> None:
    rubric = {"criteria": [{"id": "C1", "text": "Writes fs.write arguments path"}]}
    text = json.dumps(WRITE | {"rubric": rubric})
    assert run("judge-tool", "-", stdin=text).code == 1
    ran = run("judge-tool", "-", "--policy", "default", "--json", stdin=text)
    assert json.loads(ran.out)["decision"]["policy"] == "default"
    ran = run("judge-tool", "-", "--policy", "default", stdin=json.dumps(WRITE))
    assert ran.code == 3
    assert "rubric.criteria: is empty" in ran.err


def test_checks_that_touch_the_world_are_proven_here_too(tmp_path: Path) -> None:
    sourced = {"name": "links", "checks": [{"url": {}}]}
    policies = {
        "sandbox": {"url": {"timeout_seconds": 1}},
        "policies": {"default": {"stages": [sourced]}},
    }
    call = write(tmp_path / "call.json", called("web.get", url="http://127.0.0.1/"))
    file = write(tmp_path / "policy.yaml", policies)
    ran = run("judge-tool", call, "--policy-file", file, "--policy", "default", "--json")
    (check,) = json.loads(ran.out)["decision"]["stages"][0]["checks"]
    assert "leads to an address that is not public" in check["message"]


BAD: dict[str, tuple[object, str]] = {
    "a typo": ({"taks": "x"}, 'no field named "taks"'),
    "a submission": ({"task": "x", "candidate": "y"}, 'no field named "candidate"'),
    "a list": ([1], "is a list; must be an object with `task` and `call`"),
    "no call": ({"task": "x"}, "call.name: is ''; must be 1 to 128 letters"),
    "no task": ({"call": {"name": "a"}}, "task: is empty"),
    "an unknown policy": (WRITE | {"policy": "nope"}, "policy: is 'nope'; must be one of"),
    "a number of 400 digits": ('{"call": {"arguments": {"a": ' + "9" * 400 + "}}}", "too large"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_named_with_its_fault(case: str, tmp_path: Path) -> None:
    content, words = BAD[case]
    file = write(tmp_path / "call.json", content)
    ran = run("judge-tool", file)
    assert (ran.code, ran.out) == (3, "")
    assert ran.err.startswith(f"Error: {file}: ")
    assert words in ran.err


class Scripted(consensus_pb2_grpc.ConsensusServiceServicer):
    """Answers every tool call alike."""

    def __init__(self, reply: pb.JudgeToolCallResponse | grpc.StatusCode) -> None:
        self.reply = reply
        self.requests: list[pb.JudgeToolCallRequest] = []

    def JudgeToolCall(  # noqa: N802 - the contract's name
        self, request: pb.JudgeToolCallRequest, context: grpc.ServicerContext
    ) -> pb.JudgeToolCallResponse:
        self.requests.append(request)
        if isinstance(self.reply, grpc.StatusCode):
            context.abort(self.reply, "as scripted")
        return self.reply


@contextmanager
def scripted(reply: Any) -> Iterator[tuple[str, Scripted]]:
    with futures.ThreadPoolExecutor(2) as pool:
        server = grpc.server(pool)
        servicer = Scripted(reply)
        consensus_pb2_grpc.add_ConsensusServiceServicer_to_server(servicer, server)
        port = server.add_insecure_port("127.0.0.1:0")
        server.start()
        try:
            yield f"127.0.0.1:{port}", servicer
        finally:
            server.stop(0).wait()


@pytest.mark.parametrize(
    ("reply", "code"),
    [
        (pb.JudgeToolCallResponse(allowed=True), 0),
        (pb.JudgeToolCallResponse(denial=pb.DENIAL_REJECTED), 1),
        (pb.JudgeToolCallResponse(denial=pb.DENIAL_NO_QUORUM), 2),
        (pb.JudgeToolCallResponse(denial=99), 2),  # type: ignore[arg-type] # from a newer server
        (pb.JudgeToolCallResponse(), 2),
        (grpc.StatusCode.INVALID_ARGUMENT, 3),
        (grpc.StatusCode.UNAVAILABLE, 4),
    ],
)
def test_a_server_s_answer_has_the_same_codes(reply: Any, code: int) -> None:
    with scripted(reply) as (address, server):
        stdin = json.dumps(WRITE)
        ran = run("judge-tool", "-", "--target", address, "--policy", "p", stdin=stdin)
        assert ran.code == code
        assert server.requests[0].policy == "p"
    if code > 2:
        assert "as scripted" in ran.err


def test_whatever_a_server_says_is_shown_as_plain_text() -> None:
    check = decision_pb2.CheckResult(check=HOSTILE, message=HOSTILE)
    reply = pb.JudgeToolCallResponse(
        denial=pb.DENIAL_REJECTED,
        tool_rule=HOSTILE,
        retry_signal=HOSTILE,
        checks=[check],
        decision=decision_to(DECISION),
    )
    with scripted(reply) as (address, _):
        out = run("judge-tool", "-", "--target", address, stdin=json.dumps(WRITE)).out
    assert "\x1b" not in out
    assert SHOWN[:40] in out
    assert "feedback for the worker" not in out  # the retry signal holds it
