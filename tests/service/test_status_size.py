"""A status stays small, whatever the request: above about 8 KiB of metadata clients fail."""

from collections.abc import Awaitable, Callable

import pytest
from google.protobuf import struct_pb2

from consensus.service.status import cut
from consensus.v1 import consensus_pb2 as pb
from consensus.v1 import judge_pb2, submission_pb2
from tests.service.refusal import DETAILS_KEY, Refusal, refused
from tests.service.running import Running, policy, request, rules, serving, submission

PAYLOAD_BYTES = 3_072
WIDE = "\U0001f5ff"
"""Four bytes in UTF-8, twelve where a header is percent-encoded."""

Asked = Callable[[Running], Awaitable[object]]


def huge_criteria() -> list[submission_pb2.Criterion]:
    return [submission_pb2.Criterion(id=WIDE * 5_000, text="") for _ in range(200)]


def nested_outputs() -> dict[str, struct_pb2.Value]:
    deep = struct_pb2.Value(number_value=float("nan"))
    for _ in range(12):
        deep = struct_pb2.Value(struct_value=struct_pb2.Struct(fields={WIDE * 300: deep}))
    return {f"{index}{WIDE * 300}": deep for index in range(40)}


HUGE: dict[str, Asked] = {
    "ids of criteria": lambda server: server.consensus.Judge(
        request(submission=submission(rubric=submission_pb2.Rubric(criteria=huge_criteria())))
    ),
    "paths of outputs": lambda server: server.consensus.Judge(
        request(submission=submission(outputs=nested_outputs()))
    ),
    "roles": lambda server: server.consensus.Judge(
        request(submission=submission(messages=[{"role": WIDE * 1_000}] * 1_000))
    ),
    "policy": lambda server: server.consensus.Judge(request(WIDE * 500_000)),
    "judge": lambda server: server.judge.DescribeJudge(
        judge_pb2.DescribeJudgeRequest(judge=WIDE * 500_000)
    ),
    "request_id": lambda server: server.consensus.Judge(request(request_id=WIDE * 500_000)),
    "path": lambda server: server.judge.Evaluate(
        judge_pb2.EvaluateRequest(
            submission=submission(),
            hierarchy=judge_pb2.Hierarchy(depth=9, path=[WIDE * 50_000] * 9),
        )
    ),
    "request_id that comes again": lambda server: repeated(server, "\x01" * 36),
}


async def repeated(server: Running, request_id: str) -> object:
    await server.consensus.Judge(request(request_id=request_id))
    other = request(request_id=request_id, submission=submission(candidate="Lyon."))
    return await server.consensus.Judge(other)


@pytest.mark.parametrize("what", HUGE)
async def test_huge_input_makes_a_small_status(what: str) -> None:
    async with serving(rules(default=policy("conduct"))) as server:
        seen: Refusal = await refused(HUGE[what](server))
        assert seen.reason
        assert len(seen.trailers[DETAILS_KEY]) <= PAYLOAD_BYTES
        assert len(seen.message.encode()) <= 450
        assert (await server.consensus.Judge(request())).decision.decision_id


async def test_violations_are_ten_at_most_and_the_first_is_always_there() -> None:
    criteria = [submission_pb2.Criterion(id="", text="x")] * 100
    async with serving(rules(default=policy("conduct"))) as server:
        asked = request(submission=submission(rubric=submission_pb2.Rubric(criteria=criteria)))
        seen = await refused(server.consensus.Judge(asked))
        assert list(seen.fields) == [f"submission.rubric.criteria[{i}].id" for i in range(10)]
        assert seen.info.metadata["violation_count"] == "50"


async def test_the_error_of_a_batch_item_is_as_small_as_a_status() -> None:
    rubric = submission_pb2.Rubric(criteria=huge_criteria())
    item = request(submission=submission(rubric=rubric))
    async with serving(rules(default=policy("conduct"))) as server:
        reply = await server.consensus.BatchJudge(pb.BatchJudgeRequest(requests=[item]))
        assert reply.results[0].error.reason == "INVALID_REQUEST"
        assert (
            reply.results[0].error.violations[0].field
            == "requests[0].submission.rubric.criteria[0].id"
        )
        assert reply.ByteSize() <= 2 * PAYLOAD_BYTES


def test_text_is_cut_between_characters() -> None:
    assert cut("short") == "short"
    assert cut("é" * 75, 150) == "é" * 75
    assert cut("é" * 76, 150) == "é" * 73 + "…"
    assert cut(WIDE * 1_000, 10) == WIDE + "…"
    assert cut("lone \ud800 surrogate") == "lone ? surrogate"
