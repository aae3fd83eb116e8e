"""A policy is a judge: one server's panel asks another server, up to the last depth."""

import grpc
import pytest

from consensus.v1 import consensus_pb2 as pb
from consensus.v1 import decision_pb2, gradient_pb2, judge_pb2
from tests.service.refusal import refused
from tests.service.running import policy, request, rules, serving, submission
from tests.service.scripted_judge import abstention, answers, backend, gradient

RUBRIC = {"criteria": [{"id": "C1", "text": "Names Paris", "checks": [{"contains": "Paris"}]}]}


def evaluate(judge: str = "", **more: object) -> judge_pb2.EvaluateRequest:
    asked = submission(rubric=RUBRIC)
    return judge_pb2.EvaluateRequest(submission=asked, judge=judge, **more)  # type: ignore[arg-type]


async def test_a_policy_answers_as_a_judge_with_its_score_findings_and_origin() -> None:
    async with serving(rules(inner=policy("checks", "conduct"))) as server:
        reply = (await server.judge.Evaluate(evaluate("inner"))).gradient
        decision = (
            await server.consensus.Judge(request("inner", submission=submission(rubric=RUBRIC)))
        ).decision
        assert reply.score == pytest.approx(decision.effective_score)
        assert reply.confidence == pytest.approx(decision.stages[0].consensus.consensus_confidence)
        (finding,) = reply.findings
        assert (finding.criterion_id, finding.status) == ("C1", gradient_pb2.FINDING_STATUS_MET)
        assert [(s.category, s.message) for s in reply.signals] == [("panel", "gate: PASS")]
        assert reply.metadata["policy"] == "inner"
        assert reply.metadata["policy_revision"] == decision.policy_revision
        assert reply.metadata["verdict"] == "ACCEPT"
        assert "score" in reply.reasoning


async def test_what_needs_the_sandbox_is_proven_for_a_policy_as_a_judge_too() -> None:
    runs = {"criteria": [{"id": "C1", "text": "Runs", "checks": [{"sql": {"columns": ["a"]}}]}]}
    asked = submission(candidate="```sql\nSELECT 1 AS a\n```", rubric=runs)
    async with serving(rules(default=policy("checks"))) as server:
        reply = (await server.judge.Evaluate(judge_pb2.EvaluateRequest(submission=asked))).gradient
    assert [finding.status for finding in reply.findings] == [gradient_pb2.FINDING_STATUS_MET]


async def test_a_panel_that_misses_its_quorum_abstains_as_a_judge() -> None:
    async with (
        backend(unsure=answers(abstention())) as judges,
        serving(rules(judges.target, default=policy("unsure"))) as server,
    ):
        reply = await server.judge.Evaluate(evaluate())
        assert "0 seats scored" in reply.abstention.reason
        batch = judge_pb2.EvaluateBatchRequest(requests=[evaluate()])
        (result,) = (await server.judge.EvaluateBatch(batch)).results
        assert result.response.HasField("abstention")


async def test_one_server_sits_on_the_panel_of_another_and_the_chain_travels() -> None:
    deepest = answers(gradient(0.6, reasoning="seen from the deepest"))
    async with (
        backend(deepest=deepest) as judges,
        serving(rules(judges.target, below=policy("deepest"))) as lower,
        serving(rules(lower.address, above=policy("below"))) as upper,
    ):
        decision = (await upper.consensus.Judge(request())).decision
        (asked,) = judges.requests
    (seat,) = decision.stages[0].consensus.individual_results
    assert seat.gradient.score == pytest.approx(0.6)
    assert "seen from the deepest" in seat.gradient.reasoning
    below = seat.gradient.metadata["decision_id"]
    assert asked.hierarchy.depth == 2
    assert list(asked.hierarchy.path) == [decision.decision_id, below]
    assert asked.hierarchy.parent_decision_id == below
    assert decision.hierarchy.depth == 0
    assert (asked.submission.task, asked.submission.candidate) == ("Name the capital.", "Paris.")


async def test_a_chain_that_bites_its_tail_ends_at_the_last_depth() -> None:
    async with (
        backend(outside=answers(gradient())) as judges,
        serving(rules(judges.target, ring=policy("outside"))) as server,
    ):
        ring = rules(server.address, ring=policy("ring"))
        server.app.put_in_force(ring)
        decision = (await server.consensus.Judge(request())).decision
        assert decision.verdict == decision_pb2.VERDICT_ESCALATE
        assert server.value("consensus_decisions_total", policy="ring", verdict="escalate") == 4


@pytest.mark.parametrize("depth", range(4))
async def test_depths_to_three_are_judged(depth: int) -> None:
    path = [f"decision-{index}" for index in range(depth)]
    above = judge_pb2.Hierarchy(parent_decision_id="p", depth=depth, path=path)
    async with serving(rules(default=policy("conduct"))) as server:
        assert (await server.judge.Evaluate(evaluate(hierarchy=above))).HasField("gradient")


async def test_a_deeper_chain_is_refused_and_told_by_its_path() -> None:
    above = judge_pb2.Hierarchy(depth=4, path=["a", "b", "c", "d"])
    async with serving(rules(default=policy("conduct"))) as server:
        seen = await refused(server.judge.Evaluate(evaluate(hierarchy=above)))
        assert (seen.code, seen.reason) == (
            grpc.StatusCode.FAILED_PRECONDITION,
            "DEPTH_EXCEEDED",
        )
        assert "a > b > c > d" in seen.message


@pytest.mark.parametrize(("depth", "path"), [(1, []), (0, ["a"]), (-1, []), (2**31 - 1, ["a"])])
async def test_a_depth_that_its_path_does_not_bear_out_is_refused(
    depth: int, path: list[str]
) -> None:
    above = judge_pb2.Hierarchy(depth=depth, path=path)
    async with serving(rules(default=policy("conduct"))) as server:
        seen = await refused(server.judge.Evaluate(evaluate(hierarchy=above)))
        assert list(seen.fields) == ["hierarchy.path"]


@pytest.mark.parametrize("above", ["", "Name the capital.", "x" * 65, "a\nb"])
async def test_what_is_no_id_of_a_decision_is_refused_before_it_goes_on_record(above: str) -> None:
    path = judge_pb2.Hierarchy(depth=2, path=["a", above])
    parent = judge_pb2.Hierarchy(parent_decision_id=above)
    async with serving(rules(default=policy("conduct"))) as server:
        seen = await refused(server.judge.Evaluate(evaluate(hierarchy=path)))
        assert list(seen.fields) == ["hierarchy.path[1]"]
        if above:
            seen = await refused(server.judge.Evaluate(evaluate(hierarchy=parent)))
            assert list(seen.fields) == ["hierarchy.parent_decision_id"]


async def test_describe_judge_tells_what_a_policy_is() -> None:
    described = policy("conduct") | {"description": "Looks at conduct."}
    off = policy("conduct") | {"enabled": False}
    policies = rules(default=described, off=off)
    async with serving(policies) as server:
        reply = await server.judge.DescribeJudge(judge_pb2.DescribeJudgeRequest())
        assert reply == judge_pb2.DescribeJudgeResponse(
            judge="default",
            kind="policy",
            description="Looks at conduct.",
            revision=policies.policies["default"].revision,
        )
        unknown = judge_pb2.DescribeJudgeRequest(judge="nobody")
        seen = await refused(server.judge.DescribeJudge(unknown))
        assert seen.fields == {"judge": "is 'nobody'; must be one of default, off"}
        seen = await refused(
            server.judge.DescribeJudge(judge_pb2.DescribeJudgeRequest(judge="off"))
        )
        assert seen.reason == "POLICY_DISABLED"


async def test_list_policies_tells_the_policies_as_loaded() -> None:
    checked = {"stages": [{"name": "level0", "checks": [{"contains": "Paris"}]}]}
    seated = policy("conduct", "far", panel={"strategy": "median", "quorum": 2})
    off = policy("conduct") | {"enabled": False}
    policies = rules(default=seated, checked=checked, off=off)
    async with serving(policies) as server:
        reply = await server.consensus.ListPolicies(pb.ListPoliciesRequest())
    assert [(p.name, p.default, p.enabled) for p in reply.policies] == [
        ("default", True, True),
        ("checked", False, True),
        ("off", False, False),
    ]
    first, second, _ = reply.policies
    (panel,) = first.stages
    assert [(s.judge, s.kind, s.weight) for s in panel.seats] == [
        ("conduct", "embedded", 1.0),
        ("far", "remote", 1.0),
    ]
    assert (panel.strategy, panel.quorum) == (decision_pb2.STRATEGY_MEDIAN, 2)
    assert panel.min_score == 0.7
    assert list(second.stages[0].checks) == ['contains "Paris"']
    assert first.revision == policies.policies["default"].revision
