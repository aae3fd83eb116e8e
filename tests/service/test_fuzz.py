"""Whatever the bytes, no method answers UNKNOWN or INTERNAL; nothing of them becomes a label."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable
from pathlib import Path
from typing import Any

import grpc
import pytest
from consensus_client.testing import FakeLlm, llm_reply
from hypothesis import event, given, settings
from hypothesis import strategies as st

from consensus.config.load import parse_policies
from consensus.v1 import consensus_pb2 as pb
from consensus.v1 import decision_pb2, submission_pb2
from consensus.validators import check_faults
from tests.service.any_submission import numbers, sound_spans, submissions
from tests.service.refusal import refusal
from tests.service.running import Running, policy, request, rules, serving, submission
from tests.service.scripted_judge import answers, backend, gradient
from tests.service.test_malformed import ENVELOPES, METHODS, code

moderate = settings(max_examples=50)
FINE = {
    grpc.StatusCode.OK,
    grpc.StatusCode.INVALID_ARGUMENT,
    grpc.StatusCode.NOT_FOUND,
    grpc.StatusCode.FAILED_PRECONDITION,
}
NAMES = {"default", "strict", "turns", "goal", "scenario", "process", "panel"}
NAMES |= {"checks", "coverage", "conduct"}


EMBEDDED = ("checks", "coverage", "conduct")
POLICIES: dict[str, dict[str, Any]] = {
    "default": policy(*EMBEDDED, panel={"settle": "early"}),
    "strict": policy("checks", "conduct", panel={"strategy": "unanimous"}) | {"rubric": "required"},
    "turns": policy(*EMBEDDED) | {"guards": {"turns": {}}},
    "goal": policy(*EMBEDDED) | {"guards": {"goal": {}, "max_iterations": 5}},
    "scenario": policy(*EMBEDDED) | {"guards": {"scenario": {}}},
    "process": {"stages": [{"name": "panel", "checks": [{"exit_code": {}}]}]},
}
SCORE = llm_reply(json.dumps({"reasoning": "x", "score": 0.5, "confidence": 0.5}))


@pytest.fixture(scope="module")
async def server() -> AsyncIterator[Running]:
    with FakeLlm(lambda call: SCORE) as model:
        async with backend(far=answers(gradient())) as judges:
            far = {"kind": "remote", "target": judges.target, "judge": "far"}
            llm: dict[str, Any] = {"kind": "llm", "backend": "llm", "model": "m"}
            llm |= {"discovery": {"token_threshold": 0, "max_steps": 0}}
            own = {"rubric": {"criteria": [{"id": "C1", "text": "x"}]}}
            content = {
                "default_policy": "default",
                "backends": {"llm": {"kind": "openai_chat", "base_url": model.base_url}},
                "judges": {"far": far, "model": llm},
                "policies": POLICIES | {"far": policy("far") | own, "model": policy("model")},
            }
            written = parse_policies(json.dumps(content), Path("policy.yaml"), check_faults)
            async with serving(written) as running:
                yield running
                assert labels(running) <= NAMES | {"far", "model"}


def labels(server: Running) -> set[str]:
    """Return every value that the labels `policy`, `judge` and `stage` have taken."""
    return {
        value
        for family in server.witness.registry.collect()
        for sample in family.samples
        for key, value in sample.labels.items()
        if key in ("policy", "judge", "stage")
    }


@pytest.mark.parametrize("method", METHODS)
@moderate
@given(data=st.binary(max_size=300))
async def test_random_bytes_are_answered_or_refused(
    server: Running, method: str, data: bytes
) -> None:
    assert await code(server, method, data) in FINE


SOUND = submission(
    rubric={"criteria": [{"id": "C1", "text": "x", "checks": [{"contains": "Paris"}]}]},
    messages=[{"role": "user", "content": "hi"}],
    context={"a": [1, {"b": None}]},
).SerializeToString()


@st.composite
def damaged(draw: st.DrawFn) -> bytes:
    """Draw an encoded submission with a few bytes changed, taken out or put in."""
    data = bytearray(SOUND)
    for _ in range(draw(st.integers(1, 4))):
        place = draw(st.integers(0, len(data)))
        data[place : place + draw(st.integers(0, 2))] = draw(st.binary(max_size=2))
    return bytes(data)


@pytest.mark.parametrize("method", ENVELOPES)
@moderate
@given(data=damaged())
async def test_damaged_requests_are_answered_or_refused(
    server: Running, method: str, data: bytes
) -> None:
    assert await code(server, method, ENVELOPES[method](data)) in FINE


overrides = st.builds(
    pb.Overrides,
    strategy=st.integers(0, 6),
    threshold=st.none() | numbers,
    min_score=st.none() | numbers,
    min_agreement=st.none() | numbers,
)


async def ending(call: Awaitable[Any]) -> grpc.StatusCode:
    """Return how a call ends; a refusal of an argument names the fields and the values at fault."""
    ends: Any = await asyncio.gather(call, return_exceptions=True)
    if not isinstance(ends[0], BaseException):
        return grpc.StatusCode.OK
    found = refusal(ends[0])
    assert found.fields or found.code is not grpc.StatusCode.INVALID_ARGUMENT
    return found.code


@settings(max_examples=300)
@given(asked=submissions, wanted=overrides, name=st.sampled_from(["", *POLICIES, "nobody"]))
async def test_any_request_that_parses_is_answered_or_refused(
    server: Running, asked: submission_pb2.Submission, wanted: pb.Overrides, name: str
) -> None:
    judged = request(name, submission=asked, overrides=wanted)
    seen = await ending(server.consensus.Judge(judged))
    event(seen.name)
    assert seen in FINE


@settings(max_examples=150)
@given(spans=st.lists(sound_spans, min_size=1, max_size=4), name=st.sampled_from(["far", "model"]))
async def test_whatever_a_trace_holds_the_judges_that_it_is_put_to_can_score(
    server: Running, spans: list[Any], name: str
) -> None:
    text = json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": spans}]}]})
    judged = request(name, submission=submission(trace={"otlp_json": text}))
    decision = (await server.consensus.Judge(judged)).decision
    (seat,) = decision.stages[0].consensus.individual_results
    assert seat.status == decision_pb2.SEAT_STATUS_SCORED, seat.failure.reason


@moderate
@given(data=st.binary(max_size=200))
async def test_random_bytes_from_a_judge_cost_its_seat_alone(data: bytes) -> None:
    async with (
        backend(garbled=answers(data), sound=answers(gradient())) as judges,
        serving(rules(judges.target, default=policy("garbled", "sound"))) as server,
    ):
        decision = (await server.consensus.Judge(request())).decision
        assert len(decision.stages[0].consensus.individual_results) == 2
        assert decision.stages[0].consensus.final_score > 0
