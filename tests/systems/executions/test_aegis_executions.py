"""AEGIS's executions over gRPC: the worker's states and each call of a judge as a child, on streams
and through nested panels.
"""

import asyncio
from typing import Any

import pytest

from consensus.v1 import consensus_pb2 as pb
from consensus.v1 import decision_pb2, submission_pb2
from tests.service.running import Running, request, submission
from tests.service.scripted_judge import Backend, Hanging
from tests.systems.executions.executing import (
    BAD,
    DOWN,
    GOOD,
    state_name,
    states,
    streamed,
    told,
)


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


async def test_a_judge_that_is_not_needed_any_more_is_a_child_that_ends(
    server: Running, scripts: dict[str, Any], audited: Any
) -> None:
    scripts |= {"fast": BAD, "strong": Hanging()}
    seen = await streamed(server, "early")
    assert told(seen)[-5:] == ["-fast", "-strong", "panel", "REFINING", "decision"]
    (skipped,) = [line for line in audited("execution_finished") if line["judge"] == "strong"]
    assert (skipped["status"], skipped["failure"]) == ("skipped", None)


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


async def test_decisions_side_by_side_keep_their_children_apart(
    server: Running, audited: Any
) -> None:
    every = await asyncio.gather(*(streamed(server, "two") for _ in range(8)))
    for seen in every:
        decision = seen[-1].decision.decision_id
        children = [e.seat_finished.child for e in seen if e.HasField("seat_finished")]
        assert [child.parent_decision_id for child in children] == [decision] * 3
    assert len({line["execution_id"] for line in audited("execution_finished")}) == 24
