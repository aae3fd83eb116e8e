"""OTLP protobuf to spans, by the messages that OpenTelemetry publishes."""

from collections.abc import Iterable, Iterator

from google.protobuf.message import DecodeError
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue
from opentelemetry.proto.trace.v1.trace_pb2 import Span as OtlpSpan
from opentelemetry.proto.trace.v1.trace_pb2 import Status, TracesData

from consensus.domain.errors import TraceUnusable
from consensus.domain.trace import Span, SpanEvent


def protobuf_spans(data: bytes) -> Iterator[Span]:
    """Yield the spans of a TracesData message, which an export request looks like too.

    Raises TraceUnusable where it is none.
    """
    try:
        traces = TracesData.FromString(data)
    except DecodeError:
        raise TraceUnusable("", "is not OTLP protobuf; OTLP/JSON begins with `{`") from None
    if data and not traces.resource_spans:  # other messages may parse, as fields that it lacks
        raise TraceUnusable("", "is not OTLP protobuf: it holds no resource spans")
    for i, resource in enumerate(traces.resource_spans):
        for j, scope in enumerate(resource.scope_spans):
            for k, span in enumerate(scope.spans):
                yield _span(span, f"resourceSpans[{i}].scopeSpans[{j}].spans[{k}]")


def _span(span: OtlpSpan, where: str) -> Span:
    parent = span.parent_span_id
    return Span(
        trace_id=_id(span.trace_id, 16, f"{where}.traceId"),
        span_id=_id(span.span_id, 8, f"{where}.spanId"),
        parent_id=_id(parent, 8, f"{where}.parentSpanId") if any(parent) else "",
        name=span.name,
        start_ns=span.start_time_unix_nano,
        end_ns=span.end_time_unix_nano,
        attributes=_attributes(span.attributes),
        events=tuple(SpanEvent(event.name, _attributes(event.attributes)) for event in span.events),
        failed=span.status.code == Status.STATUS_CODE_ERROR,
        message=span.status.message,
    )


def _id(given: bytes, size: int, where: str) -> str:
    if len(given) != size or not any(given):
        raise TraceUnusable(where, f"is {given.hex()[:40]!r}; must be {size} bytes, not all zero")
    return given.hex()


def _attributes(pairs: Iterable[KeyValue]) -> dict[str, object]:
    found: dict[str, object] = {}
    for pair in pairs:
        found.setdefault(pair.key, _value(pair.value))
    return found


def _value(value: AnyValue) -> object:
    kind = value.WhichOneof("value")
    if kind == "array_value":
        return [_value(item) for item in value.array_value.values]
    if kind == "kvlist_value":
        return _attributes(value.kvlist_value.values)
    return None if kind is None else getattr(value, kind)
