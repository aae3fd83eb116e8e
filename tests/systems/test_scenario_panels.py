"""Scenarios before panels of several judges, which LangWatch Scenario has not: votes decide."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import grpc
import pytest

from consensus.v1 import consensus_pb2 as pb
from consensus.v1 import decision_pb2, gradient_pb2, judge_pb2, submission_pb2
from tests.service.deriving_judge import Model, seat
from tests.service.refusal import events
from tests.service.running import Running, policy, rules, serving
from tests.service.scripted_judge import (
    Backend,
    Script,
    abstention,
    answers,
    backend,
    gradient,
    refuses,
)
from tests.systems.scenario_running import outcome, statuses, turn_of_test

WATCHED = {"guards": {"scenario": {}}}
FORCED = {"verdict_required": True}
DOWN = refuses(grpc.StatusCode.INTERNAL)
UNSURE = answers(abstention())
OUTAGE = ("UNSPECIFIED", "ESCALATE", "QUORUM_MISSED")


def finds(*found: str) -> Script:
    """Answer with these statuses of C1 and C2."""
    findings = [
        gradient_pb2.Finding(criterion_id=name, status=f"FINDING_STATUS_{status}")  # type: ignore[arg-type]
        for name, status in zip(("C1", "C2"), found, strict=False)
    ]
    return answers(gradient(0.5, findings=findings))


@asynccontextmanager
async def panel(*scripts: Script, **keys: Any) -> AsyncIterator[tuple[Running, Backend]]:
    """Serve a watched policy whose panel seats a judge for each script."""
    named = {f"judge{number}": script for number, script in enumerate(scripts)}
    stage: dict[str, Any] = {"gate": {"min_score": 0}, "on_no_quorum": "fail"} | keys
    async with backend(**named) as judges:
        seated = rules(judges.target, default=policy(*named, **stage) | WATCHED)
        async with serving(seated) as server:
            yield server, judges


async def judged(server: Running, **facts: Any) -> decision_pb2.Decision:
    reply = await server.consensus.Judge(pb.JudgeRequest(submission=turn_of_test(**facts)))
    decision: decision_pb2.Decision = reply.decision
    return decision


@pytest.mark.parametrize(
    ("scripts", "keys", "facts", "expected"),
    [
        pytest.param(
            [finds("MET", "MET"), finds("MET", "INCONCLUSIVE")],
            {},
            {},
            "SUCCESS",
            id="silence of one judge is no vote",
        ),
        pytest.param(
            [finds("MET", "MET"), finds("MET", "UNMET")],
            {"panel": {"strategy": "majority"}},
            {},
            "FAILURE",
            id="a tie fails unless the policy says otherwise",
        ),
        pytest.param(
            [finds("MET", "MET"), finds("MET", "UNMET")],
            {"panel": {"strategy": "majority", "tie": "escalate"}},
            {},
            "CONTINUE",
            id="a tie that escalates is inconclusive",
        ),
        pytest.param(
            [finds("MET", "MET"), finds("MET", "UNMET")],
            {"panel": {"strategy": "majority", "tie": "escalate"}},
            FORCED,
            "INCONCLUSIVE",
            id="a forced tie that escalates is inconclusive for good",
        ),
        pytest.param(
            [finds("MET", "MET"), finds("MET", "MET"), finds("UNMET", "UNMET")],
            {"panel": {"strategy": "majority"}},
            {},
            "SUCCESS",
            id="the majority holds",
        ),
        pytest.param(
            [finds("MET", "MET"), DOWN], {}, {}, "SUCCESS", id="a quorum is enough for a verdict"
        ),
        pytest.param([UNSURE, UNSURE], {}, {}, "CONTINUE", id="everybody abstains"),
        pytest.param([UNSURE, UNSURE], {}, FORCED, "INCONCLUSIVE", id="everybody abstains, forced"),
    ],
)
async def test_the_votes_for_each_criterion_settle_the_test(
    scripts: list[Script], keys: Any, facts: Any, expected: str
) -> None:
    async with panel(*scripts, **keys) as (server, _):
        assert outcome(await judged(server, **facts))[0] == expected


@pytest.mark.parametrize("facts", [{}, FORCED], ids=["unforced", "forced"])
@pytest.mark.parametrize(
    "scripts",
    [[finds("MET", "MET"), DOWN], [UNSURE, DOWN]],
    ids=["one answers", "one abstains"],
)
async def test_a_quorum_missed_because_a_judge_failed_is_no_verdict(
    scripts: list[Script], facts: Any
) -> None:
    async with panel(*scripts, panel={"quorum": 2}) as (server, _):
        assert outcome(await judged(server, **facts)) == OUTAGE


async def test_the_stages_word_about_an_outage_stands_as_the_policy_has_it() -> None:
    async with panel(DOWN, on_no_quorum="retry") as (server, _):
        assert outcome(await judged(server)) == ("UNSPECIFIED", "RETRY", "QUORUM_MISSED")


@pytest.mark.parametrize(
    ("iteration", "required"), [(0, False), (8, False), (9, True)], ids=["first", "late", "last"]
)
async def test_every_judge_is_told_how_many_turns_there_are_and_whether_the_test_ends(
    iteration: int, required: bool
) -> None:
    async with panel(finds("MET", "MET")) as (server, judges):
        await judged(server, iteration=iteration)
        (asked,) = judges.requests
    assert asked.submission.scenario.verdict_required is required
    assert asked.submission.scenario.description == "A customer books a room."
    assert asked.submission.turn.max_iterations == 10


async def test_a_stream_and_a_batch_tell_the_outcome_too() -> None:
    asked = pb.JudgeRequest(submission=turn_of_test())
    async with panel(finds("MET", "UNMET")) as (server, _):
        told = await events(server.consensus.StreamJudge(pb.StreamJudgeRequest(request=asked)))
        batch = await server.consensus.BatchJudge(pb.BatchJudgeRequest(requests=[asked]))
    for decision in (told[-1].decision, batch.results[0].decision):
        assert outcome(decision) == ("FAILURE", "ESCALATE", "SCENARIO_FAILED")


async def test_as_a_judge_a_policy_answers_with_its_findings_and_its_verdict() -> None:
    asked = judge_pb2.EvaluateRequest(submission=turn_of_test(), judge="default")
    async with panel(finds("MET", "UNMET")) as (server, _):
        answer = (await server.judge.Evaluate(asked)).gradient
    assert answer.metadata["verdict"] == "ESCALATE"
    assert [f.status for f in answer.findings] == [
        gradient_pb2.FINDING_STATUS_MET,
        gradient_pb2.FINDING_STATUS_UNMET,
    ]


async def test_a_test_whose_criteria_are_derived_is_not_one_without_criteria() -> None:
    asked = pb.JudgeRequest(
        submission=turn_of_test(criteria=None, **FORCED), derive_criteria=pb.DeriveCriteria()
    )
    async with serving(rules(default=policy("model") | WATCHED)) as server:
        seat(server, Model())
        decision = (await server.consensus.Judge(asked)).decision
    assert list(statuses(decision)) == ["C1", "C2"]
    assert outcome(decision)[0] == "INCONCLUSIVE"


async def test_neither_candidate_nor_messages_need_be_there() -> None:
    asked = submission_pb2.Submission(
        task="Book.", scenario=submission_pb2.Scenario(), rubric=turn_of_test().rubric
    )
    async with panel(finds("INCONCLUSIVE")) as (server, _):
        decision = (await server.consensus.Judge(pb.JudgeRequest(submission=asked))).decision
    assert outcome(decision)[0] == "CONTINUE"
