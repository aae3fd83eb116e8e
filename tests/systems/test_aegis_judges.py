"""AEGIS's judges through the running server: fan-out, quorum, payloads, children, limits."""

import json
from collections.abc import AsyncIterator
from math import inf, nan
from typing import Any

import anyio
import grpc
import pytest
from consensus_client.testing import FakeLlm, llm_reply
from google.protobuf import json_format

from consensus.v1 import consensus_pb2 as pb
from consensus.v1 import decision_pb2, gradient_pb2
from consensus.v1.submission_pb2 import Criterion, ProcessResult, Rubric
from tests.service.scripted_judge import (
    Context,
    Hanging,
    Request,
    Script,
    abstention,
    answers,
    gradient,
    refuses,
)
from tests.systems.aegis_panels import add_policies
from tests.systems.aegis_running import (
    PANEL,
    SEMANTIC,
    Validated,
    candidate,
    codes,
    validated,
)

ACCEPT = decision_pb2.VERDICT_ACCEPT
BLOCKED = ["cmd.run", "fs.delete"]
SIGNALS = {
    "correctness": (0.9, 0.30),
    "security": (0.8, 0.25),
    "maintainability": (0.7, 0.20),
    "performance": (0.6, 0.15),
    "robustness": (0.5, 0.10),
}
"""Score and weight of each signal of AEGIS's code-quality-judge."""


@pytest.fixture(scope="module")
async def served() -> AsyncIterator[Validated]:
    async with validated(add_policies) as running:
        yield running


@pytest.fixture
def running(served: Validated) -> Validated:
    served.script()
    return served


class Together:
    """Answers each call once as many are under way as there are judges."""

    def __init__(self, judges: int) -> None:
        self._missing = judges
        self._all = anyio.Event()

    async def __call__(self, request: Request, context: Context) -> bytes:
        self._missing -= 1
        if not self._missing:
            self._all.set()
        await self._all.wait()
        return gradient(0.9, 0.9, reasoning=request.judge).SerializeToString()


async def test_judges_are_asked_all_at_once_and_reported_in_their_order(running: Validated) -> None:
    together = Together(len(PANEL))
    running.judges.scripts = dict.fromkeys(PANEL, together)
    seats = (await running.decide(policy="panel")).stages[0].consensus.individual_results
    assert [(seat.judge, seat.gradient.reasoning) for seat in seats] == [(j, j) for j in PANEL]


DOWN: dict[str, tuple[Script, str]] = {
    "it cannot be reached": (refuses(grpc.StatusCode.INTERNAL), "FAILURE_KIND_ERROR"),
    "its reply is unreadable": (answers(b"\xff\xff"), "FAILURE_KIND_UNREADABLE"),
    "its score is 7": (answers(gradient(7.0)), "FAILURE_KIND_UNREADABLE"),
    "its score is -1": (answers(gradient(-1.0)), "FAILURE_KIND_UNREADABLE"),
    "its score is no number": (answers(gradient(nan)), "FAILURE_KIND_UNREADABLE"),
    "its confidence is infinite": (answers(gradient(0.9, inf)), "FAILURE_KIND_UNREADABLE"),
    "it cannot tell": (answers(abstention()), ""),
}


@pytest.mark.parametrize("what", DOWN)
async def test_a_judge_that_is_down_keeps_its_seat_and_costs_coverage(
    running: Validated, what: str
) -> None:
    script, kind = DOWN[what]
    running.script(security_judge=script)
    decision = await running.decide(policy="panel")
    consensus = decision.stages[0].consensus
    seat = consensus.individual_results[2]
    assert decision.verdict == ACCEPT
    assert consensus.coverage == pytest.approx(2 / 3)
    assert consensus.consensus_confidence == pytest.approx(2 / 3 * (0.7 + 0.3 * 0.9))
    if kind:
        assert seat.status == decision_pb2.SEAT_STATUS_FAILED
        assert decision_pb2.FailureKind.Name(seat.failure.kind) == kind
    else:
        assert seat.status == decision_pb2.SEAT_STATUS_ABSTAINED


@pytest.mark.parametrize(
    ("policy", "down", "reason"),
    [
        pytest.param("panel", 2, "GATES_PASSED", id="one of three is enough for one"),
        pytest.param("panel", 3, "QUORUM_MISSED", id="none is not enough for one"),
        pytest.param("every", 0, "GATES_PASSED", id="three are enough for three"),
        pytest.param("every", 1, "QUORUM_MISSED", id="two are not enough for three"),
    ],
)
async def test_fewer_judges_than_required_come_to_no_verdict(
    running: Validated, policy: str, down: int, reason: str
) -> None:
    running.judges.scripts |= dict.fromkeys(PANEL[:down], refuses(grpc.StatusCode.INTERNAL))
    decision = await running.decide(policy=policy)
    assert codes(decision) == [reason]
    assert decision.HasField("effective_score") == (reason == "GATES_PASSED")


async def test_a_judge_out_of_time_is_cancelled_and_on_record(running: Validated) -> None:
    hanging = Hanging()
    running.script(security_judge=hanging)
    decision = await running.decide(policy="hasty")
    seat = decision.stages[0].consensus.individual_results[2]
    assert seat.failure.kind == decision_pb2.FAILURE_KIND_TIMEOUT
    await hanging.cancelled.reaches()
    assert decision.verdict == ACCEPT


async def test_the_signals_of_a_built_in_judge_travel_with_its_whole_gradient(
    running: Validated,
) -> None:
    score = sum(score * weight for score, weight in SIGNALS.values())
    signals = [
        gradient_pb2.Signal(category=name, score=value, message="Seen.")
        for name, (value, _) in SIGNALS.items()
    ]
    said = gradient(
        score, 0.75, reasoning="Sound on the whole.", signals=signals, metadata={"tries": "1"}
    )
    running.script(code_quality_judge=answers(said))
    decision = await running.decide()
    for found in (
        decision.validation_results.semantic,
        decision.validation_results.gradient,
        decision.stages[-1].consensus.individual_results[0].gradient,
    ):
        assert found.score == pytest.approx(0.75)
        assert found.reasoning == "Sound on the whole."
    assert decision.validation_results.gradient == said.gradient


async def test_every_judge_gets_the_whole_payload(running: Validated) -> None:
    context = {
        "worker_mounts": [{"path": "/project"}],
        "tool_audit_history": {"tool_calls": [{"tool_name": "fs.read"}]},
        "generation_evidence": "draft 2",
        "validation_context": "semantic_judge",
    }
    criteria = Rubric(criteria=[Criterion(id="C1", text="Names every file")])
    submission = candidate(rubric=criteria, policy_violations=BLOCKED, process=ProcessResult())
    json_format.ParseDict(context, submission.context)
    await running.server.consensus.Judge(pb.JudgeRequest(submission=submission))
    assert sorted(running.asked) == sorted([SEMANTIC, *PANEL])
    for request in running.judges.requests:
        assert request.submission == submission


@pytest.mark.parametrize("policy", ["aegis", "panel", "nested"])
async def test_what_the_platform_blocked_reaches_every_judge(
    running: Validated, policy: str
) -> None:
    await running.decide(policy=policy, policy_violations=BLOCKED)
    assert set(running.asked) == set(PANEL)
    for request in running.judges.requests:
        assert list(request.submission.policy_violations) == BLOCKED


async def test_every_call_of_a_judge_is_a_child_of_its_decision(running: Validated) -> None:
    decision = await running.decide()
    assert not decision.HasField("hierarchy")
    for request in running.judges.requests:
        assert request.hierarchy.parent_decision_id == decision.decision_id
        assert (request.hierarchy.depth, list(request.hierarchy.path)) == (
            1,
            [decision.decision_id],
        )


async def test_a_model_is_told_what_was_blocked_and_how_the_process_ended() -> None:
    verdict = {"reasoning": "Sound.", "abstain": False, "score": 0.9, "confidence": 0.9}
    with FakeLlm(llm_reply(json.dumps(verdict))) as model:

        def change(content: dict[str, Any]) -> None:
            content["backends"] = {"local": {"kind": "openai_chat", "base_url": model.base_url}}
            content["judges"][SEMANTIC] = {"kind": "llm", "backend": "local", "model": "m"}

        async with validated(change) as running:
            decision = await running.decide(policy_violations=BLOCKED)
        assert decision.verdict == ACCEPT
        system, user = (message["content"] for message in model.requests[0]["messages"])
    assert "never attempted" in system
    assert '"cmd.run"\n"fs.delete"' in user
    assert "exit code: 0" in user
