"""Every field that breaks the contract is named, with its path, and the next request works."""

from collections.abc import AsyncIterator
from math import nan

import grpc
import pytest
from google.protobuf import struct_pb2

from consensus.v1 import consensus_pb2 as pb
from consensus.v1 import judge_pb2
from tests.service.bad_requests import BAD, CANDIDATE, FIRST, TASK, changed, nested
from tests.service.refusal import refused
from tests.service.running import Running, policy, request, rules, serving, submission


@pytest.fixture(scope="module")
async def server() -> AsyncIterator[Running]:
    needs_rubric = policy("conduct") | {"rubric": "required"}
    async with serving(rules(default=policy("conduct"), rubric=needs_rubric)) as running:
        yield running


@pytest.mark.parametrize("what", BAD)
async def test_a_field_at_fault_is_named_and_the_next_request_works(
    server: Running, what: str
) -> None:
    asked, field = BAD[what]
    seen = await refused(server.consensus.Judge(asked))
    assert (seen.code, seen.reason) == (grpc.StatusCode.INVALID_ARGUMENT, "INVALID_REQUEST")
    assert next(iter(seen.fields)) == field
    assert seen.fields[field]
    assert seen.message.startswith(f"{field}: ")
    assert (await server.consensus.Judge(request())).HasField("decision")


FETCHED = {"criteria": [{"id": "C1", "text": "x", "checks": [{"url": {}}]}]}
NOT_SOUND: dict[str, tuple[dict[str, object], str]] = {
    "no task": ({"task": ""}, TASK),
    "a check that the server does not allow": ({"rubric": FETCHED}, f"{FIRST}.checks[0].url"),
}


@pytest.mark.parametrize("what", NOT_SOUND)
async def test_every_door_looks_at_the_submission(server: Running, what: str) -> None:
    fields, field = NOT_SOUND[what]
    about = submission(**fields)
    one = judge_pb2.EvaluateRequest(submission=about)
    for call in (server.consensus.Judge(request(submission=about)), server.judge.Evaluate(one)):
        seen = await refused(call)
        assert (seen.code, list(seen.fields)) == (grpc.StatusCode.INVALID_ARGUMENT, [field])


async def test_everything_at_fault_is_told_at_once(server: Running) -> None:
    asked = pb.JudgeRequest(
        submission={"messages": [{"role": "root"}], "rubric": {"criteria": [{}]}},
        request_id="x" * 40,
        overrides={"strategy": 99},
    )
    seen = await refused(server.consensus.Judge(asked))
    assert list(seen.fields) == [
        TASK,
        CANDIDATE,
        "submission.messages[0].role",
        f"{FIRST}.id",
        f"{FIRST}.text",
        "request_id",
        "overrides.strategy",
    ]


async def test_what_the_contract_allows_at_its_limits_is_judged(server: Running) -> None:
    rubric = {"criteria": [{"id": f"C{i}", "text": "x" * 4_000} for i in range(256)]}
    asked = request(
        submission=submission(
            task="x" * 200_000,
            rubric=rubric,
            context=nested(15),
            outputs={"o": struct_pb2.Value(struct_value=nested(15))},
            messages=[{"role": "user"}] * 10_000,
        ),
        request_id="x" * 36,
    )
    assert (await server.consensus.Judge(asked)).HasField("decision")


async def test_an_override_at_fault_in_several_stages_is_told_once() -> None:
    staged = policy("conduct")
    staged["stages"] = [
        {"name": "level0", "checks": [{"contains": "Paris"}]},
        *policy("conduct", name="first")["stages"],
        *policy("coverage", name="second")["stages"],
    ]
    async with serving(rules(default=staged)) as server:
        seen = await refused(server.consensus.Judge(changed(threshold=2.0, min_score=nan)))
        assert list(seen.fields) == ["overrides.threshold", "overrides.min_score"]
        reply = await server.consensus.Judge(changed(min_score=0.0))
        assert [stage.stage for stage in reply.decision.stages] == ["level0", "first", "second"]
