"""Panels inside panels over the wire: in one server, from server to server, and both."""

import json
import logging
from pathlib import Path
from typing import Any

import pytest

from consensus.config.load import parse_policies
from consensus.domain.policy import PolicySet
from consensus.v1 import consensus_pb2 as pb
from consensus.v1 import decision_pb2, gradient_pb2, judge_pb2
from consensus.validators import check_faults
from tests.service.deriving_judge import Model, seat
from tests.service.refusal import events
from tests.service.running import policy, request, serving, submission
from tests.service.scripted_judge import Hanging, answers, backend, gradient


def file(policies: dict[str, Any], **judges: dict[str, Any]) -> PolicySet:
    """Return what a policy file says; the first policy is the default."""
    first = next(iter(policies))
    content = {"default_policy": first, "judges": judges, "policies": policies}
    return parse_policies(json.dumps(content), Path("policy.yaml"), check_faults)


def inside(name: str) -> dict[str, Any]:
    return {"kind": "policy", "policy": name}


def at(target: str, name: str = "") -> dict[str, Any]:
    return {"kind": "consensus", "target": target, "judge": name}


def leaf(target: str, name: str) -> dict[str, Any]:
    return {"kind": "remote", "target": target, "judge": name}


def only_seat(decision: Any) -> Any:
    (seat,) = decision.stages[0].consensus.individual_results
    return seat


async def test_a_policy_of_the_same_file_sits_on_a_panel() -> None:
    both = {"outer": policy("within", "conduct"), "inner": policy("style")}
    async with backend(style=answers(gradient(0.6))) as judges:
        rules = file(both, within=inside("inner"), style=leaf(judges.target, "style"))
        async with serving(rules) as server:
            decision = (await server.consensus.Judge(request())).decision
            (asked,) = judges.requests
            told = decision.stages[0].consensus.individual_results[0]
            assert told.gradient.score == pytest.approx(0.6)
            assert told.gradient.metadata["policy"] == "inner"
            nested = told.gradient.metadata["decision_id"]
            assert list(asked.hierarchy.path) == [decision.decision_id, nested]
            assert (asked.hierarchy.depth, asked.hierarchy.parent_decision_id) == (2, nested)


async def test_a_nested_decision_is_no_served_one_but_its_seats_and_stages_are_counted(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG, "consensus.decisions")
    rules = file(
        {"outer": policy("within"), "inner": policy("conduct", panel={"quorum": 1})},
        within=inside("inner"),
    )
    async with serving(rules) as server:
        decision = (await server.consensus.Judge(request())).decision
        counted = {
            name: server.value("consensus_decisions_total", policy=name, verdict="accept")
            for name in rules.policies
        }
        assert counted == {"outer": 1, "inner": 0}
        for judge in ("within", "conduct"):
            assert server.value("consensus_judge_calls_total", judge=judge, outcome="ok") == 1
    nested, served = [r for r in caplog.records if r.name == "consensus.decisions"]
    assert (nested.message, nested.levelname) == ("nested decision", "DEBUG")
    assert nested.parent_decision_id == decision.decision_id  # type: ignore[attr-defined]
    assert (served.message, served.levelname) == ("decision", "INFO")


async def test_what_nested_judges_use_is_counted_once_and_told_to_the_caller() -> None:
    both = {"outer": policy("within"), "inner": policy("model")}
    rules = file(both, within=inside("inner"), model=leaf("127.0.0.1:1", "model"))
    async with serving(rules) as server:
        current = server.app.rules.current
        current.judges["model"] = Model()  # type: ignore[index] # where the nested policy looks
        decision = (await server.consensus.Judge(request())).decision
        used = gradient_pb2.Usage(input_tokens=40, output_tokens=20, cost_usd=0.002)
        assert decision.usage == used == only_seat(decision).usage
        assert server.value("consensus_judge_cost_usd_total", judge="model") == 0.002
        assert server.value("consensus_judge_cost_usd_total", judge="within") == 0
        for kind, tokens in {"input": 40, "output": 20, "reasoning": 0}.items():
            labels = {"judge": "model", "kind": kind}
            assert server.value("consensus_judge_tokens_total", **labels) == tokens


async def test_a_stream_tells_of_the_callers_own_panel_alone() -> None:
    rules = file({"outer": policy("within"), "inner": policy("conduct")}, within=inside("inner"))
    async with serving(rules) as server:
        told = await events(server.consensus.StreamJudge(pb.StreamJudgeRequest(request=request())))
    assert [step.WhichOneof("event") for step in told] == [
        "state_changed",
        "state_changed",
        "seat_started",
        "seat_finished",
        "stage_finished",
        "state_changed",
        "decision",
    ]
    assert told[2].seat_started.judge == "within"


async def test_the_chain_travels_through_policies_and_servers() -> None:
    async with backend(deep=answers(gradient(0.6))) as judges:
        below = file({"below": policy("deep")}, deep=leaf(judges.target, "deep"))
        async with serving(below) as lower:
            both = {"outer": policy("within"), "inner": policy("far")}
            above = file(both, within=inside("inner"), far=at(lower.address, "below"))
            async with serving(above) as upper:
                decision = (await upper.consensus.Judge(request())).decision
                (asked,) = judges.requests
                seen = only_seat(decision)
                assert seen.gradient.score == pytest.approx(0.6)
                path = list(asked.hierarchy.path)
                assert asked.hierarchy.depth == 3 == len(path)
                assert path[:2] == [
                    decision.decision_id,
                    seen.gradient.metadata["decision_id"],
                ]
                counted = {"policy": "below", "verdict": "retry"}
                assert lower.value("consensus_decisions_total", **counted) == 1


async def test_the_last_depth_is_judged_by_leaves_and_no_panel_goes_deeper(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG, "consensus.decisions")
    two = {"third": policy("next"), "fourth": policy("conduct", "again")}
    async with serving(file({"default": policy("conduct")})) as outside:
        below = file(two, next=inside("fourth"), again=at(outside.address))
        async with serving(below, log_level="debug") as lower:
            both = {"first": policy("within"), "second": policy("far")}
            above = file(both, within=inside("second"), far=at(lower.address, "third"))
            async with serving(above) as upper:
                decision = (await upper.consensus.Judge(request())).decision
                assert only_seat(decision).status == decision_pb2.SEAT_STATUS_SCORED
                assert (
                    outside.value("consensus_judge_calls_total", judge="conduct", outcome="ok") == 0
                )
                ok = {"judge": "conduct", "outcome": "ok"}
                assert lower.value("consensus_judge_calls_total", **ok) == 1
    (failed,) = [r for r in caplog.records if r.message == "seat failed"]
    assert failed.judge == "again"  # type: ignore[attr-defined]
    assert failed.reason.startswith("DEPTH_EXCEEDED: depth 3 is the last (")  # type: ignore[attr-defined]
    assert decision.decision_id in failed.reason  # type: ignore[attr-defined]


async def test_servers_that_ask_each_other_in_a_circle_end_at_the_last_depth() -> None:
    async with serving(file({"ring": policy("conduct")})) as one:
        other = file({"ring": policy("far")}, far=at(one.address, "ring"))
        async with serving(other) as two:
            ring = file({"ring": policy("far")}, far=at(two.address, "ring"))
            one.app.put_in_force(ring)
            decision = (await one.consensus.Judge(request())).decision
            assert only_seat(decision).status == decision_pb2.SEAT_STATUS_ABSTAINED
            for server in (one, two):
                counted = {"policy": "ring", "verdict": "escalate"}
                assert server.value("consensus_decisions_total", **counted) == 2


async def test_a_caller_who_leaves_stops_the_judges_of_the_judges() -> None:
    hanging = Hanging()
    async with backend(slow=hanging) as judges:
        below = file({"below": policy("slow")}, slow=leaf(judges.target, "slow"))
        async with serving(below) as lower:
            both = {"outer": policy("within"), "inner": policy("far")}
            above = file(both, within=inside("inner"), far=at(lower.address, "below"))
            async with serving(above) as upper:
                call = upper.consensus.Judge(request())
                await hanging.asked.reaches()
                call.cancel()
                await hanging.cancelled.reaches()


async def test_a_policy_as_a_judge_tells_what_it_used() -> None:
    rules = file({"default": policy("model")}, model=leaf("127.0.0.1:1", "model"))
    async with serving(rules) as server:
        seat(server, Model())
        asked = judge_pb2.EvaluateRequest(submission=submission())
        reply = await server.judge.Evaluate(asked)
        batch = await server.judge.EvaluateBatch(judge_pb2.EvaluateBatchRequest(requests=[asked]))
    used = gradient_pb2.Usage(input_tokens=40, output_tokens=20, cost_usd=0.002)
    assert reply.usage == batch.results[0].response.usage == used


async def test_a_policy_as_a_judge_keeps_to_its_hour() -> None:
    rules = file({"default": policy("model")}, model=leaf("127.0.0.1:1", "model"))
    async with serving(rules) as server:
        seat(server, Model(), per_hour_usd=0.011)
        asked = judge_pb2.EvaluateRequest(submission=submission())
        batch = judge_pb2.EvaluateBatchRequest(requests=[asked, asked])
        first, second = (await server.judge.EvaluateBatch(batch)).results
    assert first.response.HasField("gradient")
    assert second.error.reason == "SPEND_LIMIT_REACHED"


async def test_a_panel_of_another_server_whose_hour_is_spent_is_neither_retried_nor_blamed() -> (
    None
):
    rules = file({"inner": policy("model")}, model=leaf("127.0.0.1:1", "model"))
    async with serving(rules) as lower:
        seat(lower, Model(), per_hour_usd=0.001)
        far = at(lower.address, "inner") | {"retry": {}, "breaker": {"min_calls": 1}}
        async with serving(file({"outer": policy("far")}, far=far)) as upper:
            for _ in range(2):
                failed = only_seat((await upper.consensus.Judge(request())).decision)
                assert failed.failure.kind == decision_pb2.FAILURE_KIND_SPEND_LIMIT
                assert failed.attempts == 1
