"""OTLP protobuf to spans, by the messages that OpenTelemetry publishes."""

from collections.abc import Iterable, Iterator, Sized

from google.protobuf.message import DecodeError
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue
from opentelemetry.proto.trace.v1.trace_pb2 import Span as OtlpSpan
from opentelemetry.proto.trace.v1.trace_pb2 import Status, TracesData

from consensus.domain.errors import TraceUnusable
from consensus.domain.trace import Span, SpanEvent


def protobuf_spans(data: bytes, most_values: int) -> Iterator[Span]:
    """Yield the spans of a TracesData message, which an export request looks like too.

    Raises TraceUnusable where it is none, or has more than `most_values` parts.
    """
    try:
        traces = TracesData.FromString(data)
    except DecodeError:
        raise TraceUnusable("", "is not OTLP protobuf; OTLP/JSON begins with `{`") from None
    if data and not traces.resource_spans:  # other messages may parse, as fields that it lacks
        raise TraceUnusable("", "is not OTLP protobuf: it holds no resource spans")
    return _Reader(most_values).spans(traces)


class _Reader:
    """Reads one message, and counts its parts: empty ones take two bytes, and time all the same."""

    def __init__(self, most_values: int) -> None:
        self._most = self._left = most_values

    def spans(self, traces: TracesData) -> Iterator[Span]:
        """Yield the spans as they come."""
        self._count(traces.resource_spans)
        for i, resource in enumerate(traces.resource_spans):
            self._count(resource.scope_spans)
            for j, scope in enumerate(resource.scope_spans):
                self._count(scope.spans)
                for k, span in enumerate(scope.spans):
                    yield self._span(span, f"resourceSpans[{i}].scopeSpans[{j}].spans[{k}]")

    def _count(self, parts: Sized) -> None:
        self._left -= len(parts)
        if self._left < 0:
            raise TraceUnusable("", f"has more than {self._most} objects and lists")

    def _span(self, span: OtlpSpan, where: str) -> Span:
        parent = span.parent_span_id
        self._count(span.events)
        return Span(
            trace_id=_id(span.trace_id, 16, f"{where}.traceId"),
            span_id=_id(span.span_id, 8, f"{where}.spanId"),
            parent_id=_id(parent, 8, f"{where}.parentSpanId") if any(parent) else "",
            name=span.name,
            start_ns=span.start_time_unix_nano,
            end_ns=span.end_time_unix_nano,
            attributes=self._attributes(span.attributes),
            events=tuple(
                [SpanEvent(event.name, self._attributes(event.attributes)) for event in span.events]
            ),
            failed=span.status.code == Status.STATUS_CODE_ERROR,
            message=span.status.message,
        )

    def _attributes(self, pairs: Iterable[KeyValue]) -> dict[str, object]:
        self._count(pairs)  # type: ignore[arg-type] # a repeated field has a length
        found: dict[str, object] = {}
        for pair in pairs:
            found.setdefault(pair.key, self._value(pair.value))
        return found

    def _value(self, value: AnyValue) -> object:
        kind = value.WhichOneof("value")
        if kind == "array_value":
            self._count(value.array_value.values)
            return [self._value(item) for item in value.array_value.values]
        if kind == "kvlist_value":
            return self._attributes(value.kvlist_value.values)
        return None if kind is None else getattr(value, kind)


def _id(given: bytes, size: int, where: str) -> str:
    if len(given) != size or not any(given):
        raise TraceUnusable(where, f"is {given.hex()[:40]!r}; must be {size} bytes, not all zero")
    return given.hex()
