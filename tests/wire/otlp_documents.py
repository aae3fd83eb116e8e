"""Writes spans as OTLP: JSON by hand, protobuf by the published messages."""

import base64
import json
from collections.abc import Iterable, Mapping

import pytest

from consensus.domain.trace import Span, SpanEvent


def json_document(spans: Iterable[Span]) -> dict[str, object]:
    """Return one OTLP/JSON document, every span in a scope of its own resource."""
    return {
        "resourceSpans": [
            {
                "resource": {"attributes": [{"key": "service.name", "value": _value("agent")}]},
                "scopeSpans": [{"scope": {"name": "tests"}, "spans": [_span(span)]}],
            }
            for span in spans
        ]
    }


def json_bytes(spans: Iterable[Span]) -> bytes:
    return json.dumps(json_document(spans)).encode()


def protobuf_bytes(spans: Iterable[Span]) -> bytes:
    """Return a serialised TracesData; skips the test where the messages are not installed."""
    reason = "opentelemetry-proto is not installed"
    trace = pytest.importorskip("opentelemetry.proto.trace.v1.trace_pb2", reason=reason)
    common = pytest.importorskip("opentelemetry.proto.common.v1.common_pb2", reason=reason)

    def value(given: object) -> object:
        if isinstance(given, Mapping):
            return common.AnyValue(kvlist_value=common.KeyValueList(values=pairs(given)))
        if isinstance(given, list):
            items = [value(item) for item in given]
            return common.AnyValue(array_value=common.ArrayValue(values=items))
        kinds = {bool: "bool", int: "int", float: "double", str: "string", bytes: "bytes"}
        for kind, name in kinds.items():
            if isinstance(given, kind):
                return common.AnyValue(**{f"{name}_value": given})
        return common.AnyValue()

    def pairs(attributes: Mapping[str, object]) -> list[object]:
        return [common.KeyValue(key=key, value=value(v)) for key, v in attributes.items()]

    def event(given: SpanEvent) -> object:
        return trace.Span.Event(name=given.name, attributes=pairs(given.attributes))

    def message(span: Span) -> object:
        return trace.Span(
            trace_id=bytes.fromhex(span.trace_id),
            span_id=bytes.fromhex(span.span_id),
            parent_span_id=bytes.fromhex(span.parent_id),
            name=span.name,
            start_time_unix_nano=span.start_ns,
            end_time_unix_nano=span.end_ns,
            attributes=pairs(span.attributes),
            events=[event(each) for each in span.events],
            status=trace.Status(code=2 if span.failed else 0, message=span.message),
        )

    scopes = [trace.ScopeSpans(spans=[message(span)]) for span in spans]
    resource = trace.ResourceSpans(scope_spans=scopes)
    written: bytes = trace.TracesData(resource_spans=[resource]).SerializeToString()
    return written


def _span(span: Span) -> dict[str, object]:
    return {
        "traceId": span.trace_id,
        "spanId": span.span_id.upper(),
        "parentSpanId": span.parent_id,
        "name": span.name,
        "kind": 1,
        "startTimeUnixNano": str(span.start_ns),
        "endTimeUnixNano": span.end_ns,
        "attributes": _pairs(span.attributes),
        "events": [
            {"timeUnixNano": "1", "name": event.name, "attributes": _pairs(event.attributes)}
            for event in span.events
        ],
        "status": {"code": 2 if span.failed else 1, "message": span.message},
        "aFieldOfTomorrow": {"is": "skipped"},
    }


def _pairs(attributes: Mapping[str, object]) -> list[object]:
    return [{"key": key, "value": _value(value)} for key, value in attributes.items()]


def _value(value: object) -> dict[str, object]:
    if isinstance(value, Mapping):
        return {"kvlistValue": {"values": _pairs(value)}}
    if isinstance(value, list):
        return {"arrayValue": {"values": [_value(item) for item in value]}}
    if isinstance(value, bool):
        return {"boolValue": value}
    if isinstance(value, int):
        return {"intValue": str(value)}
    if isinstance(value, float):
        return {"doubleValue": value}
    if isinstance(value, bytes):
        return {"bytesValue": base64.b64encode(value).decode()}
    return {} if value is None else {"stringValue": value}
