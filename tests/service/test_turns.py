"""Turns through the running server: guards decide, and bad facts are told by their field."""

from typing import Any

import grpc
import pytest

from consensus.v1 import consensus_pb2 as pb
from consensus.v1 import decision_pb2, submission_pb2
from tests.service.running import policy, rules, serving, submission

HIVE = {"guards": {"turns": {}}} | policy("conduct")
GOAL = {"guards": {"goal": {}}} | policy("coverage")


CALL = submission_pb2.ToolCall(name="search")
earlier = submission_pb2.EarlierTurn


def turned(**facts: Any) -> submission_pb2.Submission:
    keys = [submission_pb2.OutputKey(name=name) for name in facts.pop("keys", ())]
    return submission(turn=submission_pb2.Turn(output_keys=keys, **facts))


async def test_a_missing_output_sends_the_worker_back_with_its_name() -> None:
    async with serving(rules(default=HIVE)) as server:
        reply = await server.consensus.Judge(pb.JudgeRequest(submission=turned(keys=["budget"])))
        decision = reply.decision
        assert decision.verdict == decision_pb2.VERDICT_RETRY
        assert [reason.code for reason in decision.reasons] == ["OUTPUTS_MISSING"]
        assert "budget" in decision.feedback
        assert not decision.stages
        assert server.value("consensus_decisions_total", policy="default", verdict="retry") == 1


async def test_a_turn_of_tool_calls_alone_is_judged_without_a_candidate() -> None:
    call = submission_pb2.ToolCall(name="search", arguments='{"q": 1}')
    turn = submission_pb2.Turn(tool_calls=[call])
    asked = submission_pb2.Submission(task="Plan.", turn=turn)
    async with serving(rules(default=HIVE)) as server:
        decision = (await server.consensus.Judge(pb.JudgeRequest(submission=asked))).decision
    assert [reason.code for reason in decision.reasons] == ["TOOL_CALLS_PENDING"]
    assert decision.feedback == ""


async def test_the_goal_s_status_comes_from_the_findings() -> None:
    rubric = submission_pb2.Rubric(
        criteria=[submission_pb2.Criterion(id="C1", text="Paris is named", required=True)]
    )
    async with serving(rules(default=GOAL)) as server:
        for candidate, status in (
            ("Paris is the city that is named.", submission_pb2.GOAL_STATUS_COMPLETE),
            ("Final answer: done.", submission_pb2.GOAL_STATUS_NOT_YET),
        ):
            asked = submission(candidate=candidate, rubric=rubric)
            decision = (await server.consensus.Judge(pb.JudgeRequest(submission=asked))).decision
            assert decision.goal_status == status, decision


@pytest.mark.parametrize(
    ("facts", "field"),
    [
        ({"iteration": -1}, "submission.turn.iteration"),
        ({"max_iterations": 0}, "submission.turn.max_iterations"),
        ({"max_iterations": 10_001}, "submission.turn.max_iterations"),
        ({"judge_every_n_turns": 0}, "submission.turn.judge_every_n_turns"),
        ({"success_criteria": "x" * 20_001}, "submission.turn.success_criteria"),
        ({"node_description": "x" * 20_001}, "submission.turn.node_description"),
        ({"keys": ["a", "a"]}, "submission.turn.output_keys[1].name"),
        ({"keys": [""]}, "submission.turn.output_keys[0].name"),
        ({"keys": [f"k{n}" for n in range(257)]}, "submission.turn.output_keys"),
        ({"tool_calls": [CALL] * 129}, "submission.turn.tool_calls"),
        ({"tool_calls": [submission_pb2.ToolCall()]}, "submission.turn.tool_calls[0].name"),
        ({"earlier": [submission_pb2.EarlierTurn()] * 65}, "submission.turn.earlier"),
        ({"earlier": [earlier(text="x" * 200_001)]}, "submission.turn.earlier[0].text"),
        ({"earlier": [earlier(criteria_met=-1)]}, "submission.turn.earlier[0].criteria_met"),
        ({"earlier": [earlier(goal_status=99)]}, "submission.turn.earlier[0].goal_status"),
        ({"earlier": [earlier(goal_confidence=2)]}, "submission.turn.earlier[0].goal_confidence"),
    ],
)
async def test_bad_facts_are_told_by_their_field(facts: dict[str, Any], field: str) -> None:
    async with serving(rules(default=HIVE)) as server:
        with pytest.raises(grpc.aio.AioRpcError) as refused:
            await server.consensus.Judge(pb.JudgeRequest(submission=turned(**facts)))
    assert refused.value.code() is grpc.StatusCode.INVALID_ARGUMENT
    assert field in (refused.value.details() or "")
