"""AEGIS's audit events through a running server: what is logged of judges and panels, and what
never is.
"""

import datetime
from typing import Any

import pytest

from consensus.v1 import decision_pb2
from consensus.v1 import tool_call_pb2 as tools
from tests.service.running import Running, request, serving, submission
from tests.service.scripted_judge import Backend
from tests.systems.executions.executing import (
    DOWN,
    FIELDS,
    SECRET,
    file,
    state_name,
    streamed,
    told,
)


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


async def test_a_tool_call_s_judges_are_audited_too(server: Running, audited: Any) -> None:
    asked = tools.JudgeToolCallRequest(task="Look.", call=tools.ProposedToolCall(name="look"))
    reply = await server.consensus.JudgeToolCall(asked)
    assert reply.allowed
    assert state_name(reply.decision.execution_state) == "SUCCESS"
    (started,) = audited("execution_started")
    assert started["execution_id"] == f"{reply.decision.decision_id}/panel/0"


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
