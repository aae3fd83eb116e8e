"""A real model behind a real OpenAI-compatible server, judging real submissions through a real
`consensus serve`.

It has 135 million parameters and knows nothing: what it says proves the wire, the schema, the
time-outs and the reading of replies, and no wisdom.
"""

import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from consensus.v1 import consensus_pb2, decision_pb2
from tests.judges.llm_real.llama import missing
from tests.service.process import calling, process
from tests.service.running import submission

pytestmark = pytest.mark.skipif(
    bool(missing()), reason=f"{missing()} not installed, which `make setup` does"
)
SEAT_SECONDS, CALL_SECONDS = 40.0, 50.0
"""Far more than it takes. Calls of one judgment wait for each other at the model server."""
SCORED, ABSTAINED, FAILED = (
    decision_pb2.SEAT_STATUS_SCORED,
    decision_pb2.SEAT_STATUS_ABSTAINED,
    decision_pb2.SEAT_STATUS_FAILED,
)
TEMPLATE = """$reply

{role} An example of an answer: {example}
=== user ===
$nonce $rubric $messages
Task: $task
Work: $candidate
$ask
"""
"""What stays the same comes first: this model reads some sixty tokens in a second."""
UNIT = '{"reasoning": "It says what was asked.", "abstain": false, "score": 0.8, "confidence": 0.7}'
PERCENT = '{"reasoning": "Good.", "abstain": false, "score": 85, "confidence": 0.7}'
"""A model so small repeats the example. Its server's grammar knows types, and no ranges."""
ROLES = {
    "strict": "You are a strict judge.",
    "kind": "You are a kind teacher.",
    "brief": "You grade.",
}
PARIS = {"task": "Name the capital of France.", "candidate": "Paris."}
BANANAS = {"task": "Name the capital of France.", "candidate": "Bananas are yellow."}


@pytest.fixture(scope="module")
def base_url() -> Iterator[str]:
    """Start the model server."""
    command = [sys.executable, "-m", "tests.judges.llm_real.llama"]
    pipe = subprocess.PIPE
    with subprocess.Popen(
        command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, text=True
    ) as server:
        assert server.stdout is not None
        try:
            address = server.stdout.readline().strip()
            assert address, "the model server did not start"
            yield f"{address}/v1"
        finally:
            server.kill()  # it would first end what nobody waits for any more


def policy_file(
    folder: Path,
    base_url: str,
    example: str,
    roles: Sequence[str] = tuple(ROLES),
    temperature: float = 0.7,
    **policy: object,
) -> Path:
    """Write a policy that seats the model once for each role, asked in other words each time."""
    judges: dict[str, Any] = {}
    for name in roles:
        prompt = TEMPLATE.format(role=ROLES[name], example=example)
        (folder / f"{name}.txt").write_text(prompt, "utf-8")
        judges[name] = {
            "kind": "llm",
            "backend": "llama",
            "model": "smollm2",
            "template_file": f"{name}.txt",
            "temperature": temperature,
            "max_tokens": 120,
        }
    backend = {
        "kind": "openai_chat",
        "base_url": base_url,
        "capabilities": {
            "structured": "json_schema",
            "seed": True,
            "max_tokens_name": "max_tokens",
        },
    }
    seats = [{"judge": name, "timeout_seconds": SEAT_SECONDS} for name in roles]
    stage = {"name": "panel", "panel": {"quorum": 1, "seats": seats}, "on_no_quorum": "escalate"}
    policies = {"default": {"deadline_seconds": CALL_SECONDS, "stages": [stage], **policy}}
    file = folder / "policy.yaml"  # JSON is YAML
    file.write_text(
        json.dumps({"backends": {"llama": backend}, "judges": judges, "policies": policies})
    )
    return file


async def seats_of(file: Path, **fields: str) -> Sequence[decision_pb2.SeatResult]:
    """Judge one submission with a server process; return the seats."""
    async with process("--policy-file", str(file)) as server, calling(server.address) as stub:
        request = consensus_pb2.JudgeRequest(submission=submission(**fields))
        reply = await stub.Judge(request, timeout=CALL_SECONDS)
    (stage,) = reply.decision.stages
    found: Sequence[decision_pb2.SeatResult] = stage.consensus.individual_results
    return found


async def test_every_seat_of_a_real_model_scores_abstains_or_fails_with_a_kind(
    base_url: str, tmp_path: Path
) -> None:
    seats = await seats_of(policy_file(tmp_path, base_url, UNIT), **PARIS)
    assert [seat.judge for seat in seats] == [*ROLES]
    assert {seat.status for seat in seats} <= {SCORED, ABSTAINED, FAILED}
    scored = [seat for seat in seats if seat.status == SCORED]
    assert scored
    for seat in scored:
        assert 0 <= seat.gradient.score <= 1
        assert 0 <= seat.gradient.confidence <= 1
        assert seat.gradient.metadata["parse_mode"] == "strict"
        assert seat.usage.input_tokens > 0
        assert seat.usage.output_tokens > 0
    for seat in seats:
        if seat.status == FAILED:
            assert seat.failure.kind != decision_pb2.FAILURE_KIND_UNSPECIFIED


async def test_a_score_that_the_grammar_lets_through_and_the_range_does_not_is_no_score(
    base_url: str, tmp_path: Path
) -> None:
    file = policy_file(tmp_path, base_url, PERCENT, ["strict", "kind"], temperature=0.0)
    seats = await seats_of(file, **BANANAS)
    # The key of a prompt is drawn anew each time, and so small a model may ramble after one.
    strays = [seat for seat in seats if seat.failure.reason == "the score is not in [0, 1]"]
    assert strays
    for seat in strays:
        assert seat.status == FAILED
        assert seat.failure.kind == decision_pb2.FAILURE_KIND_UNREADABLE
        assert not seat.HasField("gradient")
    for seat in seats:
        assert 0 <= seat.gradient.score <= 1


async def test_a_model_that_is_too_slow_for_the_deadline_costs_its_seats_and_not_the_answer(
    base_url: str, tmp_path: Path
) -> None:
    file = policy_file(tmp_path, base_url, UNIT, deadline_seconds=0.2)
    seats = await seats_of(file, **PARIS)
    assert [seat.status for seat in seats] == [FAILED] * len(ROLES)
    assert {seat.failure.kind for seat in seats} == {decision_pb2.FAILURE_KIND_TIMEOUT}
