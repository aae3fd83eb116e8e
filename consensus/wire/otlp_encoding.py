"""Spans to OTLP protobuf, for judges that are asked over the wire."""

from collections.abc import Iterable, Mapping

from opentelemetry.proto.common.v1.common_pb2 import AnyValue, ArrayValue, KeyValue, KeyValueList
from opentelemetry.proto.trace.v1.trace_pb2 import ScopeSpans, Status, TracesData
from opentelemetry.proto.trace.v1.trace_pb2 import Span as OtlpSpan

from consensus.domain.trace import Span


def traces_data(spans: Iterable[Span]) -> TracesData:
    """Return the spans in one scope of one resource; numbers beyond 64 bits as texts."""
    traces = TracesData()
    scope: ScopeSpans = traces.resource_spans.add().scope_spans.add()
    scope.spans.extend(map(_span, spans))
    return traces


def _span(span: Span) -> OtlpSpan:
    code = Status.STATUS_CODE_ERROR if span.failed else Status.STATUS_CODE_UNSET
    return OtlpSpan(
        trace_id=bytes.fromhex(span.trace_id),
        span_id=bytes.fromhex(span.span_id),
        parent_span_id=bytes.fromhex(span.parent_id),
        name=span.name,
        start_time_unix_nano=span.start_ns,
        end_time_unix_nano=span.end_ns,
        attributes=_pairs(span.attributes),
        events=[
            OtlpSpan.Event(name=event.name, attributes=_pairs(event.attributes))
            for event in span.events
        ],
        status=Status(code=code, message=span.message),
    )


def _pairs(attributes: Mapping[str, object]) -> list[KeyValue]:
    return [KeyValue(key=key, value=_value(value)) for key, value in attributes.items()]


def _value(value: object) -> AnyValue:
    match value:
        case None:
            return AnyValue()
        case bool():
            return AnyValue(bool_value=value)
        case int() if -(1 << 63) <= value < 1 << 63:
            return AnyValue(int_value=value)
        case float():
            return AnyValue(double_value=value)
        case bytes():
            return AnyValue(bytes_value=value)
        case Mapping():
            return AnyValue(kvlist_value=KeyValueList(values=_pairs(value)))
        case list() | tuple():
            return AnyValue(array_value=ArrayValue(values=map(_value, value)))
        case _:
            return AnyValue(string_value=str(value))
