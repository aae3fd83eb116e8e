"""What an agent did, as spans: the nouns of OpenTelemetry that judging needs."""

from collections.abc import Mapping

from msgspec import Struct, field


class SpanEvent(Struct, frozen=True):
    """Something that happened at one moment of a span."""

    name: str
    attributes: Mapping[str, object] = field(default_factory=dict)
    """As those of a span."""


class Span(Struct, frozen=True, kw_only=True):
    """One timed operation. All of it is data to every judge, never instructions."""

    trace_id: str
    """32 lower-case hexadecimal digits."""
    span_id: str
    """16 lower-case hexadecimal digits, unique in its trace."""
    parent_id: str = ""
    """The span that this one ran in; empty for a root."""
    name: str
    start_ns: int
    """Nanoseconds since 1970, 0 to 2**64 - 1."""
    end_ns: int
    """As start_ns; 0 where the span never ended."""
    attributes: Mapping[str, object] = field(default_factory=dict)
    """JSON values or bytes, by key."""
    events: tuple[SpanEvent, ...] = ()
    failed: bool = False
    """Whether its status is an error."""
    message: str = ""
    """What the status says; empty where it says nothing."""


class TraceLimits(Struct, frozen=True, kw_only=True):
    """What a trace may have at most; more is refused, never cut in silence."""

    spans: int = 10_000
    bytes: int = 16 << 20
    """Of the OTLP data, as it comes."""
    values: int = 250_000
    """Objects, lists and attributes in the OTLP data, and half the commas of JSON: they take time
    to read, used or not.
    """
    depth: int = 128
    """Spans from a root down to the deepest one, both counted."""
