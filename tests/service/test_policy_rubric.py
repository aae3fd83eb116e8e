"""A policy's own rubric judges what comes without one, and gives way to an inline one."""

import json
from pathlib import Path
from typing import Any

import pytest

from consensus.config.load import parse_policies
from consensus.domain.policy import PolicySet
from consensus.v1 import consensus_pb2 as pb
from consensus.v1 import decision_pb2, judge_pb2, submission_pb2, tool_call_pb2
from consensus.validators import check_faults
from tests.service.deriving_judge import Model, seat
from tests.service.refusal import events, refused
from tests.service.running import policy, request, rules, serving, submission
from tests.service.scripted_judge import answers, backend, gradient

OWN = {
    "criteria": [
        {"id": "paris", "text": "Names Paris", "required": True, "checks": [{"contains": "Paris"}]},
        {"id": "brief", "text": "Is brief", "weight": 2, "checks": [{"length": {"max_words": 3}}]},
    ]
}
OTHER = {"criteria": [{"id": "C1", "text": "Ends well", "checks": [{"contains": "."}]}]}
WITH_OWN = rules(default=policy("checks") | {"rubric": OWN})
UNSET, INLINE, EMPTY = submission(), submission(rubric=OTHER), submission(rubric={})
ROWS = [
    pytest.param(UNSET, ["paris", "brief"], id="unset means the policy's own"),
    pytest.param(INLINE, ["C1"], id="an inline one takes its place"),
    pytest.param(EMPTY, [], id="an empty one means none"),
]


def ids(decision: decision_pb2.Decision) -> list[str]:
    """Return the ids of the criteria that a decision is about."""
    return [criterion.criterion_id for criterion in decision.criteria]


@pytest.mark.parametrize(("asked", "criteria"), ROWS)
async def test_a_rubric_holds_for_every_call_that_judges(
    asked: submission_pb2.Submission, criteria: list[str]
) -> None:
    one = request(submission=asked)
    evaluate = judge_pb2.EvaluateRequest(submission=asked, judge="default")
    async with serving(WITH_OWN) as server:
        assert ids((await server.consensus.Judge(one)).decision) == criteria
        batch = await server.consensus.BatchJudge(pb.BatchJudgeRequest(requests=[one, one]))
        assert [ids(result.decision) for result in batch.results] == [criteria] * 2
        told = await events(server.consensus.StreamJudge(pb.StreamJudgeRequest(request=one)))
        assert ids(told[-1].decision) == criteria
        reply = await server.judge.Evaluate(evaluate)
        found = [finding.criterion_id for finding in reply.gradient.findings]
        assert found == criteria
        both = judge_pb2.EvaluateBatchRequest(requests=[evaluate])
        (result,) = (await server.judge.EvaluateBatch(both)).results
        assert [f.criterion_id for f in result.response.gradient.findings] == criteria


async def test_its_criteria_come_with_everything_that_they_say() -> None:
    async with serving(WITH_OWN) as server:
        decision = (await server.consensus.Judge(request())).decision
        wrong = request(submission=submission(candidate="London."))
        refused_one = (await server.consensus.Judge(wrong)).decision
    assert [(c.text, c.required) for c in decision.criteria] == [
        ("Names Paris", True),
        ("Is brief", False),
    ]
    assert decision.verdict == decision_pb2.VERDICT_ACCEPT
    assert refused_one.verdict == decision_pb2.VERDICT_RETRY
    assert "paris (required) not met" in refused_one.feedback


@pytest.mark.parametrize(("asked", "criteria"), ROWS)
async def test_remote_judges_see_the_rubric_that_holds(
    asked: submission_pb2.Submission, criteria: list[str]
) -> None:
    async with backend(far=answers(gradient())) as judges:
        own = rules(judges.target, default=policy("far") | {"rubric": OWN})
        async with serving(own) as server:
            await server.consensus.Judge(request(submission=asked))
        (seen,) = judges.requests
    assert [criterion.id for criterion in seen.submission.rubric.criteria] == criteria


async def test_it_is_listed_and_a_policy_without_one_lists_none() -> None:
    both = rules(default=policy("checks") | {"rubric": OWN}, plain=policy("checks"))
    async with serving(both) as server:
        listed = (await server.consensus.ListPolicies(pb.ListPoliciesRequest())).policies
    mine, plain = listed
    assert [criterion.id for criterion in mine.rubric.criteria] == ["paris", "brief"]
    assert mine.rubric.criteria[1].weight == 2
    assert not plain.HasField("rubric")


async def test_a_policy_that_demands_a_rubric_still_refuses_to_judge_without() -> None:
    async with serving(rules(default=policy("checks") | {"rubric": "required"})) as server:
        for asked in (UNSET, EMPTY):
            told = await refused(server.consensus.Judge(request(submission=asked)))
            assert list(told.fields) == ["submission.rubric.criteria"]


async def test_deriving_is_refused_beside_it_and_allowed_once_it_is_set_aside() -> None:
    async with serving(rules(default=policy("model") | {"rubric": OWN})) as server:
        seat(server, Model())
        wanted = pb.DeriveCriteria()
        told = await refused(server.consensus.Judge(request(derive_criteria=wanted)))
        assert list(told.fields) == ["derive_criteria"]
        aside = request(submission=EMPTY, derive_criteria=wanted)
        decision = (await server.consensus.Judge(aside)).decision
    assert ids(decision) == ["C1", "C2"]


def nested(**outer: Any) -> PolicySet:
    """Return a policy that seats another one, which has a rubric of its own."""
    text = {
        "default_policy": "outer",
        "judges": {"within": {"kind": "policy", "policy": "inner"}},
        "policies": {
            "outer": policy("within") | outer,
            "inner": policy("checks") | {"rubric": OWN},
        },
    }
    return parse_policies(json.dumps(text), Path("policy.yaml"), check_faults)


async def test_a_nested_policy_judges_by_its_own_where_the_asking_one_has_none() -> None:
    async with serving(nested()) as server:
        london = request(submission=submission(candidate="London."))
        decision = (await server.consensus.Judge(london)).decision
        inline = request(submission=INLINE)
        other = (await server.consensus.Judge(inline)).decision
    assert decision.effective_score == pytest.approx(2 / 3)
    assert not decision.criteria
    assert (ids(other), other.effective_score) == (["C1"], 1)


async def test_tool_calls_without_criteria_are_judged_by_it() -> None:
    asked = tool_call_pb2.JudgeToolCallRequest(
        task="Name the capital.",
        call=tool_call_pb2.ProposedToolCall(name="say", arguments_json='{"text": "London"}'),
        policy="default",
    )
    async with serving(WITH_OWN) as server:
        denied = await server.consensus.JudgeToolCall(asked)
        asked.rubric.CopyFrom(submission_pb2.Rubric(**OTHER))
        other = await server.consensus.JudgeToolCall(asked)
    assert ids(denied.decision) == ["paris", "brief"]
    assert not denied.allowed
    assert ids(other.decision) == ["C1"]
