"""A model server that misbehaves costs its own seat, by the right kind, and nothing else.

Three models behind the whole service: one on a server that is scripted to misbehave, two on one
that answers. Whatever the one does, the decision is made of the others, and what was used stands
in the seat, in the decision and in the metrics.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from consensus_client.testing import (
    FakeLlm,
    LlmAnswer,
    contradictory,
    delayed,
    dripping,
    error_in_200,
    garbage,
    half,
    hang,
    http_error,
    huge,
    llm_reply,
    wrong_schema,
)

from consensus.config.load import parse_policies
from consensus.domain.policy import PolicySet
from consensus.v1 import decision_pb2
from consensus.validators import check_faults
from tests.service.running import request, serving

STRANGE, SOUND = "strange", ("steady", "calm")
IN, OUT = 100, 20
"""Tokens that every reply of the fakes tells."""
PRICE = {"input": 2.5, "output": 10.0}
COST = (IN * PRICE["input"] + OUT * PRICE["output"]) / 1e6
PATIENT, HASTY = 10.0, 0.25
"""Time-outs of the strange seat, seconds: where it answers, and where it never does."""


def verdict(score: object = 0.9, **more: object) -> str:
    said = {"reasoning": "It names the capital.", "abstain": False, "score": score}
    return json.dumps({**said, "confidence": 0.8, **more})


GOOD = llm_reply(verdict())


@dataclass(frozen=True)
class Case:
    """What a model server does, and what becomes of the seat."""

    name: str
    answers: Sequence[LlmAnswer]
    kind: str = ""
    """Of the failure; empty: the seat scores."""
    attempts: int = 1
    billed: int = 0
    """Replies whose tokens were told."""
    unbilled: bool = False
    """Whether some call may have cost what nobody told."""
    timeout: float = PATIENT
    retry: dict[str, float] = field(default_factory=dict)


RETRY = {"base_seconds": 0.001, "cap_seconds": 0.001}
CASES = [
    Case("latency", [delayed(GOOD, 0.05)], billed=1),
    Case("429", [http_error(429)], "RATE_LIMITED"),
    Case("429_once", [http_error(429, retry_after="0"), GOOD], attempts=2, billed=1, retry=RETRY),
    Case("429_twice", [http_error(429)], "RATE_LIMITED", attempts=2, retry=RETRY),
    Case("429_rest_too_long", [http_error(429, retry_after="60")], "RATE_LIMITED", retry=RETRY),
    Case("quota_spent", [http_error(429, "insufficient_quota")], "RATE_LIMITED", retry=RETRY),
    Case("500", [http_error(500)], "ERROR"),
    Case("500_once", [http_error(500), GOOD], attempts=2, billed=1, retry=RETRY),
    Case("500_twice", [http_error(500)], "ERROR", attempts=2, retry=RETRY),
    Case("503", [http_error(503)], "OVERLOADED"),
    Case("401", [http_error(401)], "ERROR", retry=RETRY),
    Case("hang", [hang()], "TIMEOUT", unbilled=True, timeout=HASTY),
    Case("slow_drip", [dripping(60, GOOD)], "TIMEOUT", unbilled=True, timeout=HASTY),
    Case("half_a_reply", [half(GOOD)], "ERROR", unbilled=True),
    Case("half_once", [half(GOOD), GOOD], attempts=2, billed=1, unbilled=True, retry=RETRY),
    Case("no_reply", [half(GOOD, 0)], "ERROR", unbilled=True),
    Case("garbage", [garbage()], "UNREADABLE", attempts=2, unbilled=True),
    Case("garbage_once", [garbage(), GOOD], attempts=2, billed=1, unbilled=True),
    Case("429_in_200", [error_in_200(429)], "RATE_LIMITED"),
    Case("502_in_200", [error_in_200(502)], "ERROR"),
    Case("wrong_schema", [wrong_schema()], "UNREADABLE", attempts=2, billed=2),
    Case("prose", [llm_reply("I would say 0.9.")], "UNREADABLE", attempts=2, billed=2),
    Case("score_of_7", [llm_reply(verdict(7))], "UNREADABLE", attempts=2, billed=2),
    Case(
        "score_and_verdict_contradict",
        [llm_reply(verdict(0.1, verdict="pass"))],
        "UNREADABLE",
        attempts=2,
        billed=2,
    ),
    Case(
        "two_verdicts",
        [contradictory(verdict(0.1), verdict(0.9))],
        "UNREADABLE",
        attempts=2,
        unbilled=True,
    ),
    Case("2_MB", [huge()], "UNREADABLE", attempts=2, unbilled=True),
    Case("cut_off", [llm_reply(verdict(), "length")], "TRUNCATED", attempts=2, billed=2),
    Case("refused", [llm_reply("No.", "refusal")], "REFUSED", billed=1),
    Case("filtered", [llm_reply("", "content_filter")], "FILTERED", billed=1),
]


def policies(strange: FakeLlm, sound: FakeLlm, case: Case) -> PolicySet:
    """Return a policy whose panel seats the strange judge between two sound ones."""
    backends = {
        name: {
            "kind": "openai_chat",
            "base_url": server.base_url,
            "prices": {"model": PRICE},
        }
        for name, server in (("strange", strange), ("sound", sound))
    }
    judges = {
        name: {
            "kind": "llm",
            "backend": "strange" if name == STRANGE else "sound",
            "model": "model",
        }
        for name in (STRANGE, *SOUND)
    }
    if case.retry:
        judges[STRANGE]["retry"] = case.retry  # type: ignore[assignment]
    seats = [
        {"judge": SOUND[0], "timeout_seconds": PATIENT},
        {"judge": STRANGE, "timeout_seconds": case.timeout},
        {"judge": SOUND[1], "timeout_seconds": PATIENT},
    ]
    panel = {"quorum": 2, "seats": seats}
    stage = {"name": "panel", "panel": panel, "on_no_quorum": "escalate"}
    file = {"backends": backends, "judges": judges, "policies": {"default": {"stages": [stage]}}}
    return parse_policies(json.dumps(file), Path("policy.yaml"), check_faults)


@pytest.fixture(scope="module")
def sound() -> Iterator[FakeLlm]:
    with FakeLlm(llm_reply(verdict())) as server:
        yield server


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
async def test_a_strange_model_server_costs_its_own_seat(case: Case, sound: FakeLlm) -> None:
    with FakeLlm(*case.answers) as strange:
        async with serving(policies(strange, sound, case)) as server:
            decision = (await server.consensus.Judge(request())).decision
            used = {
                kind: server.value("consensus_judge_tokens_total", judge=STRANGE, kind=kind)
                for kind in ("input", "output")
            }
            cost = server.value("consensus_judge_cost_usd_total", judge=STRANGE)
            unknown = server.value("consensus_judge_cost_unknown_total", judge=STRANGE)
        calls = len(strange.calls)

    consensus = decision.stages[0].consensus
    first, seat, last = consensus.individual_results
    for steady in (first, last):
        assert (steady.status, steady.attempts) == (decision_pb2.SEAT_STATUS_SCORED, 1)
        assert steady.gradient.score == pytest.approx(0.9)
        assert steady.usage.cost_usd == pytest.approx(COST)
    assert consensus.final_score == pytest.approx(0.9)
    assert decision.verdict == decision_pb2.VERDICT_ACCEPT

    if case.kind:
        assert seat.status == decision_pb2.SEAT_STATUS_FAILED
        assert decision_pb2.FailureKind.Name(seat.failure.kind) == f"FAILURE_KIND_{case.kind}"
    else:
        assert seat.status == decision_pb2.SEAT_STATUS_SCORED
        assert seat.gradient.score == pytest.approx(0.9)
    assert seat.attempts == calls == case.attempts

    tokens = (case.billed * IN, case.billed * OUT)
    assert (seat.usage.input_tokens, seat.usage.output_tokens) == tokens
    assert (used["input"], used["output"]) == tokens
    assert decision.usage.input_tokens == 2 * IN + tokens[0]
    assert decision.usage.output_tokens == 2 * OUT + tokens[1]
    assert decision.usage.HasField("cost_usd") is not case.unbilled
    if case.unbilled:
        assert not seat.usage.HasField("cost_usd")
        assert (cost, unknown) == (0, 1)
    else:
        assert seat.usage.cost_usd == pytest.approx(case.billed * COST)
        assert decision.usage.cost_usd == pytest.approx((2 + case.billed) * COST)
        assert (cost, unknown) == (pytest.approx(case.billed * COST), 0)
