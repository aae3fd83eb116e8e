"""Habits written in the policy file stand before the judge, and are seen in the metrics."""

import json
from pathlib import Path
from typing import Any

import pytest
from consensus_client.testing import FakeLlm, LlmCall, http_error, llm_reply
from consensus_client.testing.llm_answers import HttpAnswer, LlmReply

from consensus.config.load import parse_policies
from consensus.v1 import decision_pb2, judge_pb2, submission_pb2
from consensus.validators import check_faults
from tests.service.running import Running, policy, policy_text, request, serving, submission
from tests.service.scripted_judge import answers, backend, gradient

FAILED, SCORED = decision_pb2.SEAT_STATUS_FAILED, decision_pb2.SEAT_STATUS_SCORED
SAID = {"reasoning": "Sound.", "abstain": False, "score": 0.9, "confidence": 0.6}
SOUND = json.dumps(SAID)


async def test_a_judge_with_a_cache_is_asked_once_for_the_same_submission() -> None:
    async with backend(expert=answers(gradient(0.9))) as judges:
        file = json.loads(policy_text(judges.target, default=policy("expert")))
        file["judges"]["expert"] |= {"cache": {"ttl_seconds": 60}, "breaker": {}}
        rules = parse_policies(json.dumps(file), Path("policy.yaml"), check_faults)
        async with serving(rules) as server:
            seats = []
            for _ in range(2):
                decision = (await server.consensus.Judge(request())).decision
                seats += decision.stages[0].consensus.individual_results
            assert [dict(seat.gradient.metadata).get("cache") for seat in seats] == [None, "hit"]
            assert [seat.gradient.score for seat in seats] == [pytest.approx(0.9)] * 2
            for result in ("miss", "hit"):
                name = "consensus_judge_cache_total"
                assert server.value(name, judge="expert", result=result) == 1
            name = "consensus_judge_breaker_state"
            assert server.value(name, judge="expert", state="closed") == 1


HAIR_TRIGGER = {"breaker": {"min_calls": 1}}


async def status(server: Running, **more: Any) -> int:
    """Return the status of the only seat that is asked about this submission."""
    about = submission(**more)
    decision = (await server.consensus.Judge(request(submission=about))).decision
    (seat,) = decision.stages[0].consensus.individual_results
    return int(seat.status)


async def test_a_submission_too_long_for_the_model_leaves_the_breaker_closed() -> None:
    def answer(call: LlmCall) -> HttpAnswer | LlmReply:
        long = len(str(call.body)) > 10_000
        return http_error(400, "context_length_exceeded") if long else llm_reply(SOUND)

    with FakeLlm(answer) as model:
        file = {
            "backends": {"b": {"kind": "openai_chat", "base_url": model.base_url}},
            "judges": {"expert": {"kind": "llm", "backend": "b", "model": "m"} | HAIR_TRIGGER},
            "policies": {"default": policy("expert")},
        }
        rules = parse_policies(json.dumps(file), Path("policy.yaml"), check_faults)
        async with serving(rules) as server:
            assert await status(server, candidate="long " * 4_000) == FAILED
            assert await status(server) == SCORED


async def test_a_submission_that_a_nested_policy_cannot_take_leaves_the_breaker_closed() -> None:
    file = {
        "default_policy": "outer",
        "judges": {"within": {"kind": "policy", "policy": "inner"} | HAIR_TRIGGER},
        "policies": {
            "outer": policy("within"),
            "inner": {"rubric": "required", **policy("conduct")},
        },
    }
    rules = parse_policies(json.dumps(file), Path("policy.yaml"), check_faults)
    criterion = submission_pb2.Criterion(id="C1", text="It names the capital.")
    sound = submission_pb2.Rubric(criteria=[criterion])
    async with serving(rules) as server:
        assert await status(server) == FAILED
        assert await status(server, rubric=sound) == SCORED
        at_the_end = judge_pb2.Hierarchy(parent_decision_id="c", depth=3, path=["a", "b", "c"])
        asked = judge_pb2.EvaluateRequest(submission=submission(), hierarchy=at_the_end)
        assert (await server.judge.Evaluate(asked)).HasField("abstention")
        assert await status(server, rubric=sound) == SCORED
