"""AEGIS's executions over gRPC: states and child executions on streams, and all of it in the audit
log, nested decisions and failed judges included.
"""

import asyncio
import datetime
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import grpc
import pytest

from consensus.config.load import parse_policies
from consensus.domain.policy import PolicySet
from consensus.telemetry.audit import EVENTS
from consensus.v1 import consensus_pb2 as pb
from consensus.v1 import decision_pb2, submission_pb2
from consensus.v1 import tool_call_pb2 as tools
from consensus.validators import check_faults
from tests.service.refusal import events
from tests.service.running import Running, policy, request, serving, submission
from tests.service.scripted_judge import (
    Backend,
    Hanging,
    answers,
    backend,
    gradient,
    refuses,
)

SECRET = "SENTINEL"
GOOD = answers(gradient(0.9, 0.8, reasoning=SECRET))
BAD = answers(gradient(0.2, 0.9, reasoning=SECRET))
DOWN = refuses(grpc.StatusCode.INTERNAL, SECRET)
FIELDS = {event.name: set(event.fields) for event in EVENTS}


def nested(name: str) -> dict[str, Any]:
    return {"kind": "policy", "policy": name}


def file(target: str, far: str = "127.0.0.1:1") -> PolicySet:
    """Return the policies of this module; `far`: another server of them."""
    two = policy("fast", name="first", on_pass="advance")  # noqa: S106 - no password
    two["stages"] += policy("strong", "conduct", name="second")["stages"]
    checks = {"stages": [{"name": "form", "checks": [{"contains": "Paris"}]}]}
    shadowed = policy("fast")
    shadowed["stages"][0]["panel"]["seats"].append({"judge": "strong", "shadow": True})
    policies = {
        "two": two,
        "checks": checks,
        "turns": {"guards": {"turns": {}}} | policy("fast"),
        "shadowed": shadowed,
        "early": policy("fast", "strong", panel={"strategy": "unanimous", "settle": "early"}),
        "three": policy("fast", "strong", "conduct", panel={"quorum": 1}),
        "outer": policy("conduct", "within"),
        "inner": policy("fast"),
        "tower": policy("to-middle"),
        "middle": policy("to-far"),
        "base": policy("to-top"),
        "top": policy("fast", "to-far", panel={"quorum": 1}),
    }
    remote = {"kind": "remote", "target": target}
    judges = {
        "fast": remote | {"judge": "fast"},
        "strong": remote | {"judge": "strong"},
        "within": nested("inner"),
        "to-middle": nested("middle"),
        "to-far": {"kind": "consensus", "target": far, "judge": "base"},
        "to-top": nested("top"),
    }
    rules = [{"match": "*", "policy": "inner"}]
    content = {"default_policy": "two", "judges": judges, "policies": policies, "tools": rules}
    return parse_policies(json.dumps(content), Path("policy.yaml"), check_faults)


@pytest.fixture(scope="module")
async def bench(anyio_backend: str) -> AsyncIterator[Backend]:
    async with backend(fast=GOOD, strong=GOOD) as judges:
        yield judges


@pytest.fixture(scope="module")
async def server(bench: Backend) -> AsyncIterator[Running]:
    async with (
        serving(file(bench.target), audit=True) as other,
        serving(file(bench.target, other.address), audit=True) as running,
    ):
        yield running


@pytest.fixture(autouse=True)
def scripts(bench: Backend) -> dict[str, Any]:
    bench.scripts |= {"fast": GOOD, "strong": GOOD}
    bench.requests.clear()
    return bench.scripts


@pytest.fixture
def audited(caplog: pytest.LogCaptureFixture) -> Any:
    """Return the lines of the audit so far, as dictionaries of their own fields."""

    def lines(*names: str) -> list[dict[str, Any]]:
        records = [r for r in caplog.records if r.name == "consensus.audit"]
        assert all(record.levelname == "INFO" for record in records)
        told = [
            {"event": r.getMessage()} | {field: vars(r)[field] for field in FIELDS[r.getMessage()]}
            for r in records
        ]
        return [line for line in told if not names or line["event"] in names]

    return lines


async def streamed(server: Running, name: str, **more: Any) -> list[Any]:
    asked = pb.StreamJudgeRequest(request=request(name, **more))
    return await events(server.consensus.StreamJudge(asked))


def told(seen: list[Any]) -> list[str]:
    """Return what each event is, in short."""
    words = []
    for event in seen:
        match event.WhichOneof("event"):
            case "state_changed":
                words.append(state_name(event.state_changed.state))
            case "seat_started":
                words.append(f"+{event.seat_started.judge}")
            case "seat_finished":
                words.append(f"-{event.seat_finished.seat.judge}")
            case "stage_finished":
                words.append(event.stage_finished.stage.stage)
            case kind:
                words.append(kind)
    return words


def state_name(state: int) -> str:
    return decision_pb2.ExecutionState.Name(state).removeprefix("EXECUTION_STATE_")


def states(seen: list[Any]) -> list[str]:
    return [
        state_name(event.state_changed.state) for event in seen if event.HasField("state_changed")
    ]


async def test_a_stream_tells_states_and_children_of_two_stages_in_order(server: Running) -> None:
    seen = await streamed(server, "two")
    words = told(seen)
    assert words[:6] == ["RUNNING", "VALIDATING", "+fast", "-fast", "first", "+conduct"]
    assert words[6:] == ["-conduct", "+strong", "-strong", "second", "SUCCESS", "decision"]


async def test_every_call_of_a_judge_is_a_child_with_id_parent_depth_path_and_times(
    server: Running,
) -> None:
    seen = await streamed(server, "two")
    decision = seen[-1].decision.decision_id
    started = {
        e.seat_started.judge: e.seat_started.child for e in seen if e.HasField("seat_started")
    }
    finished = {
        e.seat_finished.seat.judge: e.seat_finished for e in seen if e.HasField("seat_finished")
    }
    assert {judge: child.execution_id for judge, child in started.items()} == {
        "fast": f"{decision}/first/0",
        "strong": f"{decision}/second/0",
        "conduct": f"{decision}/second/1",
    }
    for judge, child in started.items():
        assert (child.parent_decision_id, child.depth, list(child.path)) == (
            decision,
            1,
            [decision],
        )
        assert not child.HasField("end_time")
        event = finished[judge]
        ended = pb.ChildExecution.FromString(event.child.SerializeToString())
        took = ended.end_time.ToNanoseconds() - ended.start_time.ToNanoseconds()
        assert abs(took - event.seat.duration.ToNanoseconds()) <= 1_000  # microseconds are told
        ended.ClearField("end_time")
        assert ended == child


async def test_each_state_has_the_time_at_which_it_was_come_to(server: Running) -> None:
    seen = await streamed(server, "two")
    times = [e.state_changed.time.ToNanoseconds() for e in seen if e.HasField("state_changed")]
    assert times == sorted(times)
    assert times[0] >= seen[-1].decision.create_time.ToNanoseconds()


STATES = {
    "ACCEPT": (GOOD, "SUCCESS"),
    "RETRY": (BAD, "REFINING"),
    "ESCALATE": (DOWN, "FAILED"),
}


@pytest.mark.parametrize("verdict", STATES)
async def test_each_verdict_leaves_the_execution_in_its_state(
    server: Running, scripts: dict[str, Any], verdict: str
) -> None:
    scripts["fast"], state = STATES[verdict]
    seen = await streamed(server, "inner")
    assert states(seen) == ["RUNNING", "VALIDATING", state]
    asked = request("inner")
    batch = await server.consensus.BatchJudge(pb.BatchJudgeRequest(requests=[asked]))
    single = await server.consensus.Judge(asked)
    decisions = [seen[-1].decision, single.decision, batch.results[0].decision]
    for decision in decisions:
        assert decision_pb2.Verdict.Name(decision.verdict) == f"VERDICT_{verdict}"
        assert state_name(decision.execution_state) == state


async def test_a_replayed_decision_has_its_state(server: Running) -> None:
    asked = request("inner", request_id="once")
    replies = [(await server.consensus.Judge(asked)).decision for _ in range(2)]
    assert replies[0] == replies[1]
    assert state_name(replies[1].execution_state) == "SUCCESS"


async def test_a_stage_of_checks_is_validation_too_and_has_no_children(
    server: Running, audited: Any
) -> None:
    seen = await streamed(server, "checks")
    assert told(seen) == ["RUNNING", "VALIDATING", "form", "SUCCESS", "decision"]
    assert audited() == []


SETTLED: dict[str, tuple[dict[str, Any], str]] = {
    "an output is missing": ({"output_keys": [{"name": "budget"}]}, "REFINING"),
    "iterations have run out": ({"iteration": 50}, "FAILED"),
}


@pytest.mark.parametrize("what", SETTLED)
async def test_where_guards_settle_alone_nothing_is_validated(
    server: Running, audited: Any, what: str
) -> None:
    facts, state = SETTLED[what]
    asked = submission(turn=submission_pb2.Turn(**facts))
    seen = await streamed(server, "turns", submission=asked)
    assert told(seen) == ["RUNNING", state, "decision"]
    assert audited() == []


async def test_a_failing_judge_is_a_child_that_ends_and_a_fault_of_its_kind(
    server: Running, scripts: dict[str, Any], audited: Any
) -> None:
    scripts["fast"] = DOWN
    seen = await streamed(server, "three")
    decision = seen[-1].decision.decision_id
    (failed,) = [
        e.seat_finished
        for e in seen
        if e.HasField("seat_finished") and e.seat_finished.seat.judge == "fast"
    ]
    assert failed.seat.status == decision_pb2.SEAT_STATUS_FAILED
    assert failed.child.HasField("end_time")
    (fault,) = audited("judge_fault")
    assert fault == {
        "event": "judge_fault",
        "execution_id": f"{decision}/panel/0",
        "parent_decision_id": decision,
        "depth": 1,
        "path": (decision,),
        "policy": "three",
        "stage": "panel",
        "judge": "fast",
        "failure": "error",
    }
    (ended,) = [line for line in audited("execution_finished") if line["judge"] == "fast"]
    assert (ended["status"], ended["failure"], ended["score"]) == ("failed", "error", None)


async def test_the_audit_has_start_and_end_of_each_call_as_the_stream_has(
    server: Running, audited: Any
) -> None:
    seen = await streamed(server, "two")
    ends = {
        e.seat_finished.child.execution_id: e.seat_finished
        for e in seen
        if e.HasField("seat_finished")
    }
    started, finished = audited("execution_started"), audited("execution_finished")
    assert [line["execution_id"] for line in finished] == list(ends)
    assert {line["execution_id"] for line in started} == set(ends)
    for line in finished:
        event = ends[line["execution_id"]]
        assert line["judge"] == event.seat.judge
        assert (line["status"], line["failure"]) == ("scored", None)
        assert line["score"] == event.seat.gradient.score
        assert line["confidence"] == event.seat.gradient.confidence
        began, ended = (datetime.datetime.fromisoformat(line[name]) for name in ("start", "end"))
        assert began.tzinfo is not None
        assert began <= ended


async def test_a_stage_of_one_judge_and_a_panel_have_lines_of_their_own(
    server: Running, audited: Any
) -> None:
    decision = (await server.consensus.Judge(request("two"))).decision
    first, second = (stage.consensus for stage in decision.stages)
    place = {"decision_id": decision.decision_id, "depth": 0, "path": (), "policy": "two"}
    (single,) = audited("gradient_validation_performed")
    assert single == {
        "event": "gradient_validation_performed",
        **place,
        "stage": "first",
        "judge": "fast",
        "score": 0.9,
        "confidence": pytest.approx(first.consensus_confidence),
    }
    (panel,) = audited("multi_judge_consensus")
    conduct = second.individual_results[1].gradient.score
    assert panel == {
        "event": "multi_judge_consensus",
        **place,
        "stage": "second",
        "judge_scores": {"strong": 0.9, "conduct": conduct},
        "final_score": second.final_score,
        "confidence": second.consensus_confidence,
    }


async def test_a_shadow_seat_makes_no_panel_of_a_single_judge(
    server: Running, audited: Any
) -> None:
    await server.consensus.Judge(request("shadowed"))
    assert [line["judge"] for line in audited("gradient_validation_performed")] == ["fast"]
    assert len(audited("execution_finished")) == 2


async def test_a_panel_without_a_quorum_came_to_nothing(
    server: Running, scripts: dict[str, Any], audited: Any
) -> None:
    scripts["fast"] = DOWN
    await server.consensus.Judge(request("inner"))
    assert audited("gradient_validation_performed", "multi_judge_consensus") == []
    assert [line["failure"] for line in audited("judge_fault")] == ["error"]


async def test_a_judge_that_is_not_needed_any_more_is_a_child_that_ends(
    server: Running, scripts: dict[str, Any], audited: Any
) -> None:
    scripts |= {"fast": BAD, "strong": Hanging()}
    seen = await streamed(server, "early")
    assert told(seen)[-5:] == ["-fast", "-strong", "panel", "REFINING", "decision"]
    (skipped,) = [line for line in audited("execution_finished") if line["judge"] == "strong"]
    assert (skipped["status"], skipped["failure"]) == ("skipped", None)


async def test_a_judge_that_money_forbids_is_a_fault_without_an_execution(
    server: Running, audited: Any
) -> None:
    seen = await streamed(server, "inner", max_cost_usd=1e-9)
    assert told(seen) == ["RUNNING", "VALIDATING", "panel", "FAILED", "decision"]
    (fault,) = audited()
    assert (fault["event"], fault["judge"], fault["failure"]) == (
        "judge_fault",
        "fast",
        "spend_limit",
    )
    assert fault["execution_id"] == f"{seen[-1].decision.decision_id}/panel/0"


async def test_a_nested_policy_continues_the_chain(
    server: Running, bench: Backend, audited: Any
) -> None:
    seen = await streamed(server, "outer")
    root = seen[-1].decision
    seat = root.stages[0].consensus.individual_results[1]
    inner = seat.gradient.metadata["decision_id"]
    children = {line["judge"]: line for line in audited("execution_started")}
    within, leaf = children["within"], children["fast"]
    assert (within["execution_id"], within["depth"]) == (f"{root.decision_id}/panel/1", 1)
    assert leaf["execution_id"] == f"{inner}/panel/0"
    assert (leaf["parent_decision_id"], leaf["depth"]) == (inner, 2)
    assert leaf["path"] == (root.decision_id, inner)
    (asked,) = bench.requests
    assert (tuple(asked.hierarchy.path), asked.hierarchy.depth) == (leaf["path"], leaf["depth"])
    (single,) = audited("gradient_validation_performed")
    assert (single["decision_id"], single["depth"], single["path"]) == (
        inner,
        1,
        (root.decision_id,),
    )
    assert "+fast" not in told(seen)  # a stream tells of the caller's own panel


async def test_the_chain_goes_through_servers_to_the_last_depth_and_no_further(
    server: Running, bench: Backend, audited: Any
) -> None:
    decision = (await server.consensus.Judge(request("tower"))).decision
    began = audited("execution_started")
    assert [(line["policy"], line["judge"], line["depth"]) for line in began[:3]] == [
        ("tower", "to-middle", 1),
        ("middle", "to-far", 2),
        ("base", "to-top", 3),
    ]
    leaves = {line["judge"]: line for line in began[3:]}
    assert {line["depth"] for line in leaves.values()} == {4}
    assert set(leaves) == {"fast", "to-far"}
    for above, below in zip(began, [*began[1:3], leaves["fast"]], strict=False):
        assert below["path"] == (*above["path"], below["parent_decision_id"])
    assert began[0]["path"] == (decision.decision_id,)
    (asked,) = bench.requests
    assert tuple(asked.hierarchy.path) == leaves["fast"]["path"]
    (fault,) = audited("judge_fault")
    assert fault["execution_id"] == leaves["to-far"]["execution_id"]
    assert (fault["depth"], fault["failure"]) == (4, "error")
    assert state_name(decision.execution_state) == "SUCCESS"


async def test_a_tool_call_s_judges_are_audited_too(server: Running, audited: Any) -> None:
    asked = tools.JudgeToolCallRequest(task="Look.", call=tools.ProposedToolCall(name="look"))
    reply = await server.consensus.JudgeToolCall(asked)
    assert reply.allowed
    assert state_name(reply.decision.execution_state) == "SUCCESS"
    (started,) = audited("execution_started")
    assert started["execution_id"] == f"{reply.decision.decision_id}/panel/0"


async def test_decisions_side_by_side_keep_their_children_apart(
    server: Running, audited: Any
) -> None:
    every = await asyncio.gather(*(streamed(server, "two") for _ in range(8)))
    for seen in every:
        decision = seen[-1].decision.decision_id
        children = [e.seat_finished.child for e in seen if e.HasField("seat_finished")]
        assert [child.parent_decision_id for child in children] == [decision] * 3
    assert len({line["execution_id"] for line in audited("execution_finished")}) == 24


async def test_no_line_has_a_word_of_what_was_judged_or_said(
    server: Running, scripts: dict[str, Any], audited: Any
) -> None:
    scripts["strong"] = DOWN
    rubric = {"criteria": [{"id": "C1", "text": SECRET}]}
    asked = submission(task=SECRET, candidate=SECRET, rubric=rubric, context={"a": SECRET})
    await server.consensus.Judge(request("three", submission=asked))
    lines = audited()
    assert {line["event"] for line in lines} == set(FIELDS) - {"gradient_validation_performed"}
    assert SECRET not in str(lines)


async def test_without_the_setting_nothing_is_audited(bench: Backend, audited: Any) -> None:
    async with serving(file(bench.target)) as silent:
        await streamed(silent, "outer")
    assert audited() == []
