"""AEGIS's smaller rows through a running server: the view of a failed attempt, panels and gates of
their own kind, and what a model is sent and may answer.
"""

import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
from consensus_client.testing import llm_reply
from google.protobuf import json_format

from consensus.v1 import consensus_pb2 as pb
from consensus.v1 import decision_pb2
from consensus.v1.submission_pb2 import Criterion, ProcessResult, Rubric
from tests.service.running import request, submission
from tests.systems.aegis_bench import SAID, SOUND, Bench, benched

ACCEPT, RETRY = decision_pb2.VERDICT_ACCEPT, decision_pb2.VERDICT_RETRY
ESCALATE = decision_pb2.VERDICT_ESCALATE
UNSURE = json.dumps({key: said for key, said in SAID.items() if key != "confidence"})
FORM = ["reasoning", "abstain", "score", "confidence"]


@pytest.fixture(scope="module")
async def bench(anyio_backend: str) -> AsyncIterator[Bench]:
    async with benched() as bench:
        yield bench


@pytest.mark.parametrize(
    ("policy", "view"),
    [
        pytest.param("exit", {"system": {"exit_code": 3, "stderr": "boom"}}, id="exit code"),
        pytest.param("form", {"output": {"error": "no match"}}, id="the first failed expression"),
        pytest.param(
            "bare",
            {
                "semantic": {"score": 0.25, "reasoning": "a says so."},
                "gradient": {"score": 0.25, "confidence": 0.5, "reasoning": "a says so."},
            },
            id="one judge",
        ),
    ],
)
async def test_the_view_of_a_failed_attempt_tells_what_failed(
    bench: Bench, policy: str, view: dict[str, Any]
) -> None:
    bench.say(a=(0.25, 0.5))
    process = ProcessResult(exit_code=3, stderr="boom")
    decision = await bench.decide(policy, submission=submission(process=process))
    found = json_format.MessageToDict(decision.validation_results, preserving_proto_field_name=True)
    assert (decision.verdict, found) == (RETRY, view)


async def test_a_failed_stage_of_checks_fails_its_score_and_gates_no_confidence(
    bench: Bench,
) -> None:
    (stage,) = (await bench.decide("form")).stages
    gate = stage.gate
    assert not stage.HasField("consensus")
    assert (gate.score_ok, gate.confidence_ok, gate.agreement_ok) == (False, True, True)


@pytest.mark.parametrize(("policy", "threshold"), [("bare", 0.7), ("gated", 0.4), ("written", 0.9)])
async def test_the_reply_tells_the_one_threshold(
    bench: Bench, policy: str, threshold: float
) -> None:
    bench.say(a=(0.9, 0.9))
    assert (await bench.decide(policy)).stages[0].consensus.threshold == threshold


@pytest.mark.parametrize(
    ("sure", "score"),
    [pytest.param(0.4, 0.9, id="lower"), pytest.param(0.5, 0.5, id="higher, and worse for it")],
)
async def test_best_of_n_may_fall_where_a_judge_is_better_pleased(
    bench: Bench, sure: float, score: float
) -> None:
    bench.say(a=(0.9, 0.5), b=(sure, 1.0))
    assert (await bench.decide("best")).stages[0].consensus.final_score == score


@pytest.mark.parametrize("policy", ["median", "trimmed"])
async def test_a_judge_far_from_the_others_is_cut_by_the_strategies_that_cut_outliers(
    bench: Bench, policy: str
) -> None:
    bench.say(a=(0.8, 0.9), b=(0.8, 0.9), c=(0.0, 1.0))
    assert (await bench.decide(policy)).stages[0].consensus.final_score == pytest.approx(0.8)


@pytest.mark.parametrize("min_score", [0.3, 0.5, 0.7])
@pytest.mark.parametrize(
    ("tie", "verdict"), [("fail", RETRY), ("pass", ACCEPT), ("escalate", ESCALATE)]
)
async def test_a_tied_panel_ends_as_its_rule_says_whatever_the_least_score(
    bench: Bench, tie: str, verdict: int, min_score: float
) -> None:
    bench.say(a=(1.0, 1.0), b=(0.0, 1.0))
    overrides = pb.Overrides(min_score=min_score)
    decision = await bench.decide(f"tie-{tie}", overrides=overrides)
    assert decision.stages[0].consensus.tie
    assert decision.verdict == verdict


@pytest.mark.parametrize(
    ("a", "b", "missed"),
    [
        pytest.param((0.9, 0.9), (0.9, 0.9), set(), id="none"),
        pytest.param((0.6, 0.9), (0.6, 0.9), {"score_ok"}, id="score"),
        pytest.param((0.9, 0.1), (0.72, 0.0), {"confidence_ok"}, id="confidence"),
        pytest.param((1.0, 1.0), (0.4, 1.0), {"agreement_ok"}, id="agreement"),
    ],
)
async def test_the_gate_in_the_reply_tells_which_condition_was_missed(
    bench: Bench, a: tuple[float, float], b: tuple[float, float], missed: set[str]
) -> None:
    bench.say(a=a, b=b)
    gate = (await bench.decide("firm")).stages[0].gate
    conditions = ("score_ok", "confidence_ok", "agreement_ok")
    assert {name for name in conditions if not getattr(gate, name)} == missed


async def test_a_policy_says_its_defaults_and_a_decision_its_revision(bench: Bench) -> None:
    bench.say(a=(0.9, 0.9))
    listed = await bench.server.consensus.ListPolicies(pb.ListPoliciesRequest())
    (bare,) = [found for found in listed.policies if found.name == "bare"]
    (stage,) = bare.stages
    assert (stage.strategy, stage.quorum) == (decision_pb2.STRATEGY_WEIGHTED_AVERAGE, 1)
    assert (await bench.decide("bare")).policy_revision == bare.revision


async def test_a_batch_gives_the_numbers_of_single_calls(bench: Bench) -> None:
    bench.say(a=(0.9, 0.8), b=(0.4, 0.95))
    asked = [request(name) for name in ("best", "firm", "tie-fail", "bare")]
    batch = await bench.server.consensus.BatchJudge(pb.BatchJudgeRequest(requests=asked))
    for one, result in zip(asked, batch.results, strict=True):
        (single,) = (await bench.server.consensus.Judge(one)).decision.stages
        (row,) = result.decision.stages
        for name in ("final_score", "consensus_confidence", "agreement", "coverage"):
            assert getattr(row.consensus, name) == getattr(single.consensus, name)


async def test_outputs_reach_a_remote_judge_each_under_its_key(bench: Bench) -> None:
    bench.say(a=(0.9, 0.9))
    asked = submission()
    outputs = {"budget": {"total": 7}, "route": ["Porto", "Lisbon"]}
    json_format.ParseDict({"outputs": outputs}, asked)
    await bench.decide("bare", submission=asked)
    got = bench.judges.requests[-1].submission
    assert json_format.MessageToDict(got)["outputs"] == outputs


@pytest.mark.parametrize(
    ("policy", "replies", "score"),
    [
        pytest.param("model", [f"```json\n{SOUND}\n```"], 0.9, id="a fence around all of it"),
        pytest.param("model", [SOUND + SOUND], None, id="two objects"),
        pytest.param("model", ["I like it.", SOUND], 0.9, id="unusable once"),
        pytest.param("model", [UNSURE], None, id="no confidence"),
        pytest.param("filled", [UNSURE], 0.9, id="no confidence, filled by the policy"),
    ],
)
async def test_a_models_reply_is_read_whole_or_asked_for_once_more(
    bench: Bench, policy: str, replies: list[str], score: float | None
) -> None:
    bench.model.script(*map(llm_reply, replies))
    (seat,) = (await bench.decide(policy)).stages[0].consensus.individual_results
    if score is None:
        assert seat.failure.kind == decision_pb2.FAILURE_KIND_UNREADABLE
        assert seat.attempts == 2
    else:
        assert (seat.gradient.score, seat.attempts) == (score, len(replies))
        assert seat.gradient.confidence == (0.8 if policy == "filled" else 0.6)
    again = bench.model.requests[-1]["messages"][-1]["content"]
    assert ("could not be used" in again) is (seat.attempts == 2)


async def test_a_model_is_asked_with_the_temperature_and_tokens_of_its_policy(
    bench: Bench,
) -> None:
    body, _, _ = await bench.told()
    tokens = body.get("max_completion_tokens", body.get("max_tokens"))
    assert (body["temperature"], tokens) == (0.1, 500)


async def test_a_model_gets_one_form_as_a_schema_and_in_words(bench: Bench) -> None:
    body, system, _ = await bench.told()
    schema = body["response_format"]["json_schema"]["schema"]
    assert list(schema["properties"]) == FORM
    assert not schema["additionalProperties"]
    assert all(f'"{key}"' in system for key in FORM)
    rubric = Rubric(criteria=[Criterion(id="C1", text="Names it")])
    body, system, _ = await bench.told(submission=submission(rubric=rubric))
    schema = body["response_format"]["json_schema"]["schema"]
    assert list(schema["properties"]) == ["findings", *FORM]
    assert '"findings"' in system


async def test_a_model_is_told_once_of_the_tools_that_field_and_context_say_were_blocked(
    bench: Bench,
) -> None:
    asked = submission(policy_violations=["cmd.run"])
    json_format.ParseDict({"policy_violations": ["cmd.run", "fs.write"]}, asked.context)
    _, _, user = await bench.told(submission=asked)
    assert '"cmd.run"\n"fs.write"' in user
    assert user.count("cmd.run") == user.count("fs.write") == 1
    assert "policy_violations" not in user
