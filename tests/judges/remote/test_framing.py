"""The bytes of a batch: what protobuf itself would write and read."""

import pytest
from google.protobuf.message import DecodeError
from google.protobuf.wrappers_pb2 import BytesValue
from hypothesis import given
from hypothesis import strategies as st

from consensus.judges.remote import framing
from consensus.v1 import judge_pb2, submission_pb2

TEXTS = st.text(st.characters(codec="utf-8"), max_size=300)


@given(requests=st.lists(st.tuples(TEXTS, TEXTS), max_size=8))
def test_a_batch_is_what_protobuf_would_write(requests: list[tuple[str, str]]) -> None:
    heads = [judge_pb2.EvaluateRequest(judge=judge) for judge, _ in requests]
    bodies = [
        judge_pb2.EvaluateRequest(submission=submission_pb2.Submission(candidate=candidate))
        for _, candidate in requests
    ]
    whole = judge_pb2.EvaluateBatchRequest()
    for head, body in zip(heads, bodies, strict=True):
        item = whole.requests.add()
        item.MergeFrom(head)
        item.MergeFrom(body)
    parts = [
        (head.SerializeToString(), body.SerializeToString())
        for head, body in zip(heads, bodies, strict=True)
    ]
    assert framing.batch_of(parts) == whole.SerializeToString()


@pytest.mark.parametrize("length", [0, 1, 127, 128, 16_383, 16_384, 2_097_151, 2_097_152])
def test_items_of_any_length_come_back(length: int) -> None:
    text = "x" * length
    item = judge_pb2.EvaluateBatchResult(error={"message": text}).SerializeToString()
    spoilt = judge_pb2.EvaluateBatchResult(response={}).SerializeToString() + b"\xff"
    assert len(item) - length <= 2 * framing.FRAMING_BYTES
    results = framing.results_of(framing.batch_of([(item, b""), (spoilt, b""), (b"", item)]))
    assert [result.WhichOneof("result") for result in results] == ["error", None, "error"]
    assert [result.error.message for result in results] == [text, "", text]


@pytest.mark.parametrize("length", [1, 127, 128, 16_383, 16_384, 2_097_151, 2_097_152])
def test_the_length_of_an_item_is_written_as_protobuf_would(length: int) -> None:
    item = b"x" * length  # a message whose first field is these bytes looks like a batch of one
    assert framing.batch_of([(item, b"")]) == BytesValue(value=item).SerializeToString()


@given(reply=st.binary(max_size=60))
def test_any_bytes_are_results_or_no_batch(reply: bytes) -> None:
    try:
        results = framing.results_of(reply)
    except DecodeError:
        return
    assert all(isinstance(result, judge_pb2.EvaluateBatchResult) for result in results)
