"""Bytes that are no request: a clear status, whatever the method, and the next request works."""

from collections.abc import AsyncIterator

import grpc
import pytest
from google.protobuf.message import Message

from consensus.v1 import consensus_pb2 as pb
from consensus.v1 import decision_pb2, judge_pb2
from tests.service.refusal import events, refused
from tests.service.running import (
    CONSENSUS,
    HEALTH,
    JUDGE,
    Running,
    policy,
    request,
    rules,
    serving,
    submission,
)

METHODS = {
    "Judge": CONSENSUS,
    "StreamJudge": CONSENSUS,
    "BatchJudge": CONSENSUS,
    "JudgeToolCall": CONSENSUS,
    "ListPolicies": CONSENSUS,
    "Evaluate": JUDGE,
    "EvaluateBatch": JUDGE,
    "DescribeJudge": JUDGE,
    "Check": HEALTH,
    "Watch": HEALTH,
}
STREAMS = ("StreamJudge", "Watch")
ANSWERED_OR_REFUSED = (
    grpc.StatusCode.OK,
    grpc.StatusCode.INVALID_ARGUMENT,
    grpc.StatusCode.NOT_FOUND,
)


@pytest.fixture(scope="module")
async def server() -> AsyncIterator[Running]:
    async with serving(rules(default=policy("conduct"))) as running:
        yield running


def field(number: int, content: bytes) -> bytes:
    """Encode a length-delimited field."""
    size, length = len(content), b""
    while size > 0x7F:
        length += bytes([size & 0x7F | 0x80])
        size >>= 7
    return bytes([number << 3 | 2]) + length + bytes([size]) + content


def struct(depth: int) -> bytes:
    """Encode a google.protobuf.Struct nested so deep."""
    content = b""
    for _ in range(depth):
        content = field(1, field(1, b"k") + field(2, field(5, content)))
    return content


SUBMISSION = submission().SerializeToString()
CRITERION = field(1, b"C1") + field(2, b"x")
MALFORMED = {
    "no protobuf": b"\xff\xff\xff",
    "cut off": SUBMISSION[:-3],
    "invalid UTF-8 in the task": field(1, b"\xff\xfe"),
    "a context nested 1,000 deep": SUBMISSION + field(6, struct(1_000)),
    "a schema nested 1,000 deep": SUBMISSION
    + field(4, field(1, CRITERION + field(5, field(6, struct(1_000))))),
    "a group that never ends": b"\x0b" * 200,
    "a length beyond the end": b"\x0a\xff\xff\xff\x7f",
}
"""Submissions that are none."""
ENVELOPES = {
    "Judge": lambda data: field(1, data),
    "StreamJudge": lambda data: field(1, field(1, data)),
    "BatchJudge": lambda data: field(1, field(1, data)),
    "Evaluate": lambda data: field(2, data),
    "EvaluateBatch": lambda data: field(1, field(2, data)),
}


async def asked(server: Running, method: str, data: bytes) -> object:
    path = f"/{METHODS[method]}/{method}"
    if method not in STREAMS:
        return await server.channel.unary_unary(path)(data)
    call = server.channel.unary_stream(path)(data)
    if method == "Watch":
        first = await call.read()
        call.cancel()
        return first
    return await events(call)


async def code(server: Running, method: str, data: bytes) -> grpc.StatusCode:
    """Return the status that a call with these bytes ends with."""
    try:
        await asked(server, method, data)
    except grpc.aio.AioRpcError as error:
        return error.code()
    return grpc.StatusCode.OK


@pytest.mark.parametrize("what", MALFORMED)
@pytest.mark.parametrize("method", ENVELOPES)
async def test_malformed_bytes_are_an_invalid_argument(
    server: Running, method: str, what: str
) -> None:
    seen = await refused(asked(server, method, ENVELOPES[method](MALFORMED[what])))
    assert (seen.code, seen.reason) == (grpc.StatusCode.INVALID_ARGUMENT, "INVALID_REQUEST")
    assert list(seen.fields) == ["(request)"]
    assert (await server.consensus.Judge(request())).HasField("decision")


FOREIGN: list[Message] = [
    request(),
    pb.StreamJudgeRequest(request=request()),
    pb.BatchJudgeRequest(requests=[request()]),
    pb.ListPoliciesResponse(policies=[pb.PolicySummary(name="x")]),
    judge_pb2.EvaluateRequest(judge="default", submission=submission()),
    judge_pb2.DescribeJudgeRequest(judge="default"),
    decision_pb2.Decision(decision_id="x", feedback="y"),
    submission(),
]


@pytest.mark.parametrize("message", FOREIGN, ids=lambda message: type(message).__name__)
@pytest.mark.parametrize("method", METHODS)
async def test_a_message_of_another_type_is_answered_or_refused(
    server: Running, method: str, message: Message
) -> None:
    assert await code(server, method, message.SerializeToString()) in ANSWERED_OR_REFUSED
    assert (await server.consensus.Judge(request())).HasField("decision")


@pytest.mark.parametrize("method", METHODS)
async def test_no_bytes_at_all_are_answered_or_refused(server: Running, method: str) -> None:
    assert await code(server, method, b"") in ANSWERED_OR_REFUSED


async def test_metadata_that_means_nothing_is_ignored(server: Running) -> None:
    metadata = (("traceparent", "x" * 2_000), ("traceparent", "00-"), ("any-bin", b"\xff\x00"))
    reply = await server.consensus.Judge(request(), metadata=metadata)
    assert reply.HasField("decision")


@pytest.mark.parametrize("size", [8 << 20, 20 << 20])
async def test_a_message_above_the_limit_is_refused_and_the_next_request_works(
    server: Running, size: int
) -> None:
    large = request(submission=submission(task="x" * size))
    seen = await refused(server.consensus.Judge(large))
    assert seen.code is grpc.StatusCode.RESOURCE_EXHAUSTED
    assert (await server.consensus.Judge(request())).HasField("decision")


async def test_a_message_just_below_the_limit_is_read(server: Running) -> None:
    turns = [{"role": "user", "content": "x" * 3_900_000}] * 2
    reply = await server.consensus.Judge(request(submission=submission(messages=turns)))
    assert reply.HasField("decision")
