"""OTLP traces to spans: `opentelemetry.proto.trace.v1.TracesData`, as protobuf or as JSON."""

from collections.abc import Iterable, Iterator
from enum import Enum
from itertools import islice

from consensus.domain.errors import TraceUnusable
from consensus.domain.trace import Span, TraceLimits
from consensus.wire.otlp_json import json_spans


class Encoding(Enum):
    """How OTLP data is written."""

    PROTOBUF = "protobuf"
    JSON = "json"

    @classmethod
    def of(cls, data: bytes) -> "Encoding":
        """Tell by the first byte: no TracesData begins with `{`, a blank or a byte order mark."""
        return cls.JSON if data[:1] in (b"{", b" ", b"\t", b"\r", b"\xef") else cls.PROTOBUF


def spans_from(
    data: bytes, encoding: Encoding, limits: TraceLimits | None = None
) -> tuple[Span, ...]:
    """Return the spans that `data` holds, as they come.

    Raises TraceUnusable where it is no OTLP trace or larger than `limits`; the depth is looked at
    by whoever makes a tree of them.
    """
    limits = limits or TraceLimits()
    if len(data) > limits.bytes:
        raise TraceUnusable("", f"has more than {limits.bytes} bytes")
    read = json_spans if encoding is Encoding.JSON else _protobuf_spans
    spans = tuple(islice(read(data, limits.values), limits.spans + 1))
    if len(spans) > limits.spans:
        raise TraceUnusable("", f"has more than {limits.spans} spans")
    return spans


def otlp_bytes(spans: Iterable[Span]) -> bytes:
    """Return the spans as a serialised TracesData."""
    from consensus.wire.otlp_encoding import traces_data

    return traces_data(spans).SerializeToString()


def _protobuf_spans(data: bytes, most_values: int) -> Iterator[Span]:
    # Here, because most processes read no such trace, and none that reads JSON needs the messages.
    from consensus.wire.otlp_protobuf import protobuf_spans

    return protobuf_spans(data, most_values)
