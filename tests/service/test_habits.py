"""Habits written in the policy file stand before the judge, and are seen in the metrics."""

import json
from pathlib import Path

import pytest

from consensus.config.load import parse_policies
from consensus.validators import check_faults
from tests.service.running import policy, policy_text, request, serving
from tests.service.scripted_judge import answers, backend, gradient


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
