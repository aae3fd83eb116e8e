"""Judges behind gRPC: the bytes of a batch, put together and taken apart without its items.

A submission is encoded once for all seats that see it; encoded messages concatenate, so neither a
request nor a batch of them is ever built as an object.
"""

from collections.abc import Iterable, Iterator, Sequence

from google.protobuf.message import DecodeError

from consensus.v1 import judge_pb2

FRAMING_BYTES = 6
"""What an item takes in a batch beside its own bytes, at most."""
_ITEM = b"\x0a"
"""Field 1, length-delimited: `EvaluateBatchRequest.requests`, `EvaluateBatchResponse.results`."""
_SUBMISSION, _HIERARCHY = b"\x12", b"\x1a"
"""Fields 2 and 3 of EvaluateRequest, length-delimited."""
_UNREADABLE = judge_pb2.EvaluateBatchResult()
"""What stands for a result that is not the contract's: it holds nothing."""


def batch_of(requests: Iterable[tuple[bytes, bytes]]) -> bytes:
    """Return the encoded EvaluateBatchRequest of requests, each encoded in two parts."""
    parts: list[bytes] = []
    for head, body in requests:
        parts += (_ITEM, _varint(len(head) + len(body)), head, body)
    return b"".join(parts)


def request_body(submission: bytes, hierarchy: bytes) -> bytes:
    """Return an encoded EvaluateRequest without a judge."""
    parts = (_SUBMISSION, _varint(len(submission)), submission)
    return b"".join((*parts, _HIERARCHY, _varint(len(hierarchy)), hierarchy))


def results_of(reply: bytes) -> Sequence[judge_pb2.EvaluateBatchResult]:
    """Return the results of an encoded EvaluateBatchResponse. Raises DecodeError.

    A result that is not the contract's is one that holds nothing, and costs no other its answer.
    """
    try:
        return judge_pb2.EvaluateBatchResponse.FromString(reply).results
    except DecodeError:
        return [_result_of(item) for item in _items_of(reply)]


def _result_of(item: bytes) -> judge_pb2.EvaluateBatchResult:
    try:
        return judge_pb2.EvaluateBatchResult.FromString(item)
    except DecodeError:
        return _UNREADABLE


def _items_of(reply: bytes) -> Iterator[bytes]:
    """Yield the items of a batch that holds nothing else. Raises DecodeError."""
    at = 0
    while at < len(reply):
        length, begin = _read_varint(reply, at + 1)
        end = begin + length
        if reply[at : at + 1] != _ITEM or end > len(reply):
            raise DecodeError("not a batch")
        yield reply[begin:end]
        at = end


def _varint(number: int) -> bytes:
    if number < 0x80:
        return bytes((number,))
    if number < 0x4000:
        return bytes((number & 0x7F | 0x80, number >> 7))
    encoded = bytearray()
    while number >= 0x80:
        encoded.append(number & 0x7F | 0x80)
        number >>= 7
    encoded.append(number)
    return bytes(encoded)


def _read_varint(data: bytes, at: int) -> tuple[int, int]:
    """Return a length of at most 32 bits and where it ends. Raises DecodeError."""
    number = 0
    for shift in range(0, 35, 7):
        if at + shift // 7 >= len(data):
            break
        byte = data[at + shift // 7]
        number |= (byte & 0x7F) << shift
        if byte < 0x80:
            return number, at + shift // 7 + 1
    raise DecodeError("not a length")
