"""Tool calls are paid for from the policy's limits and nest as any decision does."""

from typing import Any

import yaml

from consensus.v1 import tool_call_pb2 as pb
from tests.service.deriving_judge import Model, seat
from tests.service.scripted_judge import answers, gradient
from tests.toolcalls.calling import SHIPPED, judged_by, request, stage

YES = answers(gradient(0.9, 0.8))


async def test_a_judge_that_the_request_cannot_pay_is_not_asked_and_the_call_is_denied() -> None:
    async with judged_by(YES) as (server, judges):
        seat(server, Model("tool-call-policy"), per_request_usd=0.009)
        reply = await server.consensus.JudgeToolCall(request())
        assert not judges.requests
    assert reply.denial == pb.DENIAL_NO_QUORUM
    failure = reply.decision.stages[0].consensus.individual_results[0].failure
    assert "could cost $0.01" in failure.reason
    assert "may be sound" in reply.retry_signal


async def test_tool_calls_and_submissions_share_the_hour_of_their_policy() -> None:
    async with judged_by(YES) as (server, _):
        model = Model("tool-call-policy")
        seat(server, model, per_hour_usd=0.013)  # one may cost 0.01, and costs 0.002
        replies = [await server.consensus.JudgeToolCall(request()) for _ in range(3)]
    assert [reply.allowed for reply in replies] == [True, True, False]
    assert replies[2].denial == pb.DENIAL_FAILED
    assert not replies[2].HasField("decision")
    assert "may be sound" in replies[2].retry_signal
    assert len(model.asked) == 2


def nested(levels: int) -> dict[str, Any]:
    """Return the shipped policies with its judge `levels` policies deeper."""
    policies = {f"level-{level}": stage()["tool-calls"] for level in range(levels + 1)}
    judges = yaml.safe_load(SHIPPED.read_text("utf-8"))["judges"]
    for level in range(levels):
        name = f"to-{level + 1}"
        judges[name] = {"kind": "policy", "policy": f"level-{level + 1}"}
        policies[f"level-{level}"]["stages"][0]["panel"]["seats"] = [{"judge": name}]
    rules = [{"match": "*", "policy": "level-0"}]
    return {"judges": judges, "policies": policies, "tools": rules, "default_policy": "level-0"}


async def test_a_tool_call_s_decision_is_a_root_and_its_judges_know_the_chain() -> None:
    async with judged_by(YES, **nested(3)) as (server, judges):
        reply = await server.consensus.JudgeToolCall(request())
        (asked,) = judges.requests
    assert reply.allowed
    assert not reply.decision.HasField("hierarchy")
    assert asked.hierarchy.depth == 4 == len(asked.hierarchy.path)
    assert asked.hierarchy.path[0] == reply.decision.decision_id
    assert asked.hierarchy.parent_decision_id == asked.hierarchy.path[-1]


async def test_a_tool_call_whose_judge_is_too_deep_is_denied_as_unjudged() -> None:
    async with judged_by(YES) as (lower, judges):
        there = {"kind": "consensus", "target": lower.address, "judge": "tool-calls"}
        deep = nested(3)
        deep["policies"]["level-3"]["stages"][0]["panel"]["seats"] = [{"judge": "too-deep"}]
        deep["judges"]["too-deep"] = there
        async with judged_by(YES, **deep) as (upper, _):
            reply = await upper.consensus.JudgeToolCall(request())
        assert not judges.requests
    assert not reply.allowed
    assert reply.denial == pb.DENIAL_NO_QUORUM
