"""OTLP to spans: both encodings say the same, and what is wrong is named by its place."""

import contextlib
import json
from collections.abc import Callable, Iterable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from consensus.domain.errors import TraceUnusable
from consensus.domain.trace import Span, SpanEvent, TraceLimits
from consensus.wire.otlp import Encoding, otlp_bytes, spans_from
from tests.traces.building import SAMPLE, any_spans, law, span
from tests.wire.otlp_documents import json_bytes, json_document, protobuf_bytes

EVERYTHING = span(
    "b7ad6b7169203331",
    "llm.call",
    7,
    900,
    "00f067aa0ba902b7",
    {
        "text": "Grüße",
        "yes": True,
        "whole": 2**53 + 1,
        "negative": -5,
        "half": 0.5,
        "bytes": b"\x00\xff",
        "list": ["a", 1, [True]],
        "object": {"a": {"b": "c"}},
        "nothing": None,
        "": "no key",
    },
    events=(SpanEvent("exception", {"exception.type": "Timeout"}), SpanEvent("end")),
    failed=True,
    message="gone",
)
PLAIN = span("00f067aa0ba902b7", "agent.run", 0, None)
writers = pytest.mark.parametrize("write", [json_bytes, protobuf_bytes])
Writer = Callable[[Iterable[Span]], bytes]

_scalars = st.text(max_size=9) | st.integers(-(2**63), 2**63 - 1) | st.booleans() | st.none()
_values = st.recursive(
    _scalars | st.floats(allow_nan=False) | st.binary(max_size=5),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=4,
)


def one(**fields: object) -> bytes:
    """Write a document whose only span has these fields too; None takes a field away."""
    document: dict[str, Any] = json_document([PLAIN])
    held = document["resourceSpans"][0]["scopeSpans"][0]["spans"][0]
    held.update(fields)
    return json.dumps(document).encode()


def read(data: bytes, **limits: int) -> tuple[Span, ...]:
    return spans_from(data, Encoding.of(data), TraceLimits(**limits))


@writers
def test_everything_of_a_span_is_read(write: Writer) -> None:
    assert read(write([PLAIN, EVERYTHING])) == (PLAIN, EVERYTHING)


@law
@given(st.dictionaries(st.text(max_size=5), _values, max_size=3))
def test_both_encodings_say_the_same(attributes: dict[str, object]) -> None:
    made = [span("b7", attributes=attributes, events=(SpanEvent("e", attributes),))]
    assert read(json_bytes(made)) == tuple(made)
    assert read(protobuf_bytes(made)) == tuple(made)


def test_of_a_key_that_comes_twice_the_first_counts() -> None:
    twice = [{"key": "k", "value": {"intValue": number}} for number in (1, 2)]
    assert read(one(attributes=twice))[0].attributes == {"k": 1}
    data = protobuf_bytes([span("b7", attributes={"k": "first", "l": "second"})])
    assert read(data.replace(b"\x01l", b"\x01k"))[0].attributes == {"k": "first"}


def test_documents_may_follow_each_other() -> None:
    data = b"\xef\xbb\xbf" + json_bytes([PLAIN]) + b"\n\n" + json_bytes([EVERYTHING]) + b"\n"
    assert read(data) == (PLAIN, EVERYTHING)


@pytest.mark.parametrize("parent", ["", "0000000000000000", None])
def test_a_parent_of_zeros_is_none(parent: str | None) -> None:
    assert read(one(parentSpanId=parent))[0].parent_id == ""


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ({"intValue": 5}, 5),
        ({"intValue": "-5"}, -5),
        ({"doubleValue": "Infinity"}, float("inf")),
        ({"doubleValue": 1}, 1.0),
        ({"arrayValue": {}}, []),
        ({"kvlistValue": {"values": None}}, {}),
        ({"ofTomorrow": 1}, None),
        (None, None),
        ({"futureValue": 1, "stringValue": "x"}, "x"),
    ],
)
def test_a_json_value_is_read(value: object, found: object) -> None:
    assert read(one(attributes=[{"key": "k", "value": value}]))[0].attributes == {"k": found}


def test_half_characters_are_replaced_so_that_spans_can_be_sent_on() -> None:
    half = "\ud800x"
    (span,) = read(one(name=half, attributes=[{"key": half, "value": {"stringValue": half}}]))
    assert (span.name, span.attributes) == ("�x", {"�x": "�x"})
    assert spans_from(otlp_bytes([span]), Encoding.PROTOBUF) == (span,)


@pytest.mark.parametrize("code", [2, "STATUS_CODE_ERROR"])
def test_an_error_is_told_by_number_or_name(code: object) -> None:
    assert read(one(status={"code": code}))[0].failed
    assert not read(one(status=None))[0].failed


SPAN = "resourceSpans[0].scopeSpans[0].spans[0]"
DEEP: dict[str, object] = {"stringValue": "x"}
for _ in range(61):
    DEEP = {"arrayValue": {"values": [DEEP]}}


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"traceId": "abc"}, "traceId: is 'abc'; must be 32 hexadecimal digits, not all 0"),
        ({"traceId": "0" * 32}, f"traceId: is '{'0' * 32}'; must be 32 hexadecimal digits, not"),
        ({"spanId": None}, "spanId: is ''; must be 16 hexadecimal digits, not all 0"),
        ({"spanId": "z" * 16}, f"spanId: is '{'z' * 16}'; must be 16 hexadecimal digits"),
        ({"parentSpanId": 5}, "parentSpanId: is of type int; must be a text"),
        ({"name": ["x"]}, "name: is of type list; must be a text"),
        ({"startTimeUnixNano": "x" * 90}, f"startTimeUnixNano: is '{'x' * 40}'; must be a whole"),
        ({"startTimeUnixNano": 1.5}, "startTimeUnixNano: is of type float; must be a whole"),
        ({"endTimeUnixNano": True}, "endTimeUnixNano: is of type bool; must be a whole number"),
        ({"endTimeUnixNano": -1}, "endTimeUnixNano: is -1; must be 0 to 18446744073709551615"),
        ({"endTimeUnixNano": "18446744073709551616"}, "endTimeUnixNano: is 184467440737095516"),
        ({"endTimeUnixNano": 10**4299}, f"endTimeUnixNano: is 1{'0' * 39}; must be 0 to"),
        ({"status": 2}, "status: is of type int; must be an object"),
        ({"status": {"message": 2}}, "status.message: is of type int; must be a text"),
        ({"events": {}}, "events: is of type dict; must be a list"),
        ({"events": [5]}, "events[0]: is of type int; must be an object"),
        ({"events": [{}, {"name": 5}]}, "events[1].name: is of type int; must be a text"),
        ({"attributes": "x"}, "attributes: is of type str; must be a list"),
        ({"attributes": [{"key": "k", "value": 5}]}, "attributes: is of type int; must be an"),
        (
            {"attributes": [{"key": "k", "value": {"boolValue": 1}}]},
            "attributes: is of type int; must be true or false",
        ),
        ({"attributes": [{"value": {"doubleValue": "x"}}]}, "attributes: is no number"),
        ({"attributes": [{"value": {"doubleValue": True}}]}, "attributes: is no number"),
        ({"attributes": [{"value": {"bytesValue": "%"}}]}, "attributes: is not base64"),
        ({"attributes": [{"value": DEEP}]}, "attributes: is nested more than 60 deep"),
    ],
)
def test_what_is_wrong_in_json_is_named_by_its_place(
    fields: dict[str, object], message: str
) -> None:
    with pytest.raises(TraceUnusable) as refused:
        read(one(**fields))
    assert str(refused.value).startswith(f"{SPAN}.{message}")
    assert refused.value.field.startswith(SPAN)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"{}", "resourceSpans: is missing; the JSON is no OTLP trace"),
        (b'{"resourceSpans": []} 5', "resourceSpans: is missing; the JSON is no OTLP trace"),
        (b'{"resourceSpans": {}}', "resourceSpans: is of type dict; must be a list"),
        (b'{"resourceSpans": [[]]}', "resourceSpans[0]: is of type list; must be an object"),
        (
            b'{"resourceSpans": [{"scopeSpans": 5}]}',
            "resourceSpans[0].scopeSpans: is of type int; must be a list",
        ),
        (b'{"a":\n "b"', "is not JSON at line 2, column 5: Expecting ',' delimiter"),
        (b'{"a": "\xff"}', "is not UTF-8 at byte 7"),
        (b'{"a":' * 100_000, "is JSON that is nested too deep"),
        (b'{"a":' + b"9" * 5_000 + b"}", "holds a number that is too long"),
    ],
    ids=lambda value: repr(value)[:25],
)
def test_json_that_is_no_trace_is_refused(data: bytes, message: str) -> None:
    with pytest.raises(TraceUnusable) as refused:
        read(data)
    assert str(refused.value) == message


def test_json_without_spans_holds_none() -> None:
    assert read(b'{"resourceSpans": []}') == ()
    assert read(b' {"resourceSpans": [{"scopeSpans": [{}]}]}') == ()


def test_protobuf_that_is_no_trace_is_refused() -> None:
    assert read(protobuf_bytes([])) == ()
    assert read(b"") == ()
    for data, message in (
        (b"\xff\xff", "is not OTLP protobuf; OTLP/JSON begins with `{`"),
        (b"\x28\x01", "is not OTLP protobuf: it holds no resource spans"),
    ):
        with pytest.raises(TraceUnusable) as refused:
            read(data)
        assert str(refused.value) == message


def test_ids_of_the_wrong_length_are_named_in_protobuf() -> None:
    good = protobuf_bytes([PLAIN, EVERYTHING])
    for field, digits in (("traceId", EVERYTHING.trace_id), ("spanId", EVERYTHING.span_id)):
        size = len(digits) // 2
        wrong = good.replace(bytes.fromhex(digits), bytes(size))
        with pytest.raises(TraceUnusable, match=f"{field}: is '0+'; must be {size} bytes, not all"):
            read(wrong)


@writers
def test_limits_are_kept(write: Writer) -> None:
    data = write([PLAIN, EVERYTHING])
    assert len(read(data, spans=2, bytes=len(data))) == 2
    with pytest.raises(TraceUnusable, match=r"^has more than 1 spans$"):
        read(data, spans=1)
    with pytest.raises(TraceUnusable, match=f"^has more than {len(data) - 1} bytes$"):
        read(data, bytes=len(data) - 1)


@law
@given(st.binary(max_size=40), st.sampled_from(list(Encoding)))
def test_no_bytes_break_the_reader(data: bytes, encoding: Encoding) -> None:
    protobuf_bytes([])
    with contextlib.suppress(TraceUnusable):
        assert spans_from(data, encoding) == ()


def test_spans_are_encoded_as_they_were_read() -> None:
    for spans in (SAMPLE, ()):
        assert spans_from(otlp_bytes(spans), Encoding.PROTOBUF) == spans


@law
@given(any_spans())
def test_any_spans_can_be_encoded_and_stay_the_same_from_then_on(spans: list[Span]) -> None:
    once = spans_from(otlp_bytes(spans), Encoding.PROTOBUF)
    assert [span.span_id for span in once] == [span.span_id for span in spans]
    assert repr(spans_from(otlp_bytes(once), Encoding.PROTOBUF)) == repr(once)


@pytest.mark.parametrize(
    ("data", "encoding"),
    [
        pytest.param(b'{"resourceSpans": [{}, {}, {}, {}]}', Encoding.JSON, id="objects"),
        pytest.param(b'{"resourceSpans": [], "x": [null, null, null]}', Encoding.JSON, id="nulls"),
        pytest.param(
            b'{"resourceSpans": [], "x": [1,1,1,1,1,1,1,1,1]}', Encoding.JSON, id="numbers"
        ),
        pytest.param(b"\x0a\x00" * 5, Encoding.PROTOBUF, id="messages"),
    ],
)
def test_more_values_than_the_limit_are_refused(data: bytes, encoding: Encoding) -> None:
    with pytest.raises(TraceUnusable, match="has more than 4 objects and lists"):
        spans_from(data, encoding, TraceLimits(values=4))


def test_attributes_lists_and_events_count_in_protobuf_too() -> None:
    held = span("a0b1c2d3", attributes={"k": [1, [2, 3]], "m": {"n": 4}})
    data = otlp_bytes([replace(held, events=(SpanEvent("e"),))])
    with pytest.raises(TraceUnusable, match="has more than 10 objects and lists"):
        spans_from(data, Encoding.PROTOBUF, TraceLimits(values=10))
    (read,) = spans_from(data, Encoding.PROTOBUF, TraceLimits(values=11))
    assert read.events == (SpanEvent("e"),)
