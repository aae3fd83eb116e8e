"""The lines of one span."""

from collections.abc import Iterator

from consensus.domain.trace import Span
from consensus.traces.cleaning import Repeats, cleaned
from consensus.traces.media import Marker
from consensus.traces.words import cut, duration, moment, one_line, told

ID_CHARS = 8
"""Of a span id, in brackets."""
_BRIEF_NAME = 200
_BRIEF_MESSAGE = 500
_MOST_TOKENS = 10**18
"""A count beyond is none; Python would not even write it, had it thousands of digits."""
_USAGE = ("gen_ai.usage.input_tokens", "gen_ai.usage.output_tokens")


def bracketed(span: Span) -> str:
    """Return the start of the id, such as `[a0b1c2d3]`."""
    return f"[{span.span_id[:ID_CHARS]}]"


def named(span: Span) -> str:
    """Return the name, cut after 200 characters."""
    return one_line(cut(span.name, _BRIEF_NAME))


def lasting(span: Span) -> str:
    """Return how long the span took, or `unfinished`."""
    return duration(span.end_ns - span.start_ns) if span.end_ns else "unfinished"


def headline(span: Span, *, bare: bool = False, brief: bool = False) -> str:
    """Return the span's own line, without its id.

    `bare`: without its time; `brief`: with the tokens that it used, long texts cut.
    """
    when = "" if bare else f"{moment(span.start_ns)} "
    name, used = (named(span), _tokens(span)) if brief else (one_line(span.name), "")
    failure = f" ⚠️ ERROR: {_message(span, brief) or 'unknown'}" if span.failed else ""
    return f"{when}{name} ({lasting(span)}{used}){failure}"


def failure_line(span: Span, *, brief: bool = False) -> str:
    """Return the span's line in the list of errors."""
    return f"- {named(span)}: {_message(span, brief) or 'unknown error'}"


def details(span: Span, repeats: Repeats | None = None) -> Iterator[tuple[str, object]]:
    """Yield what stands before each value, as it is, and the cleaned value: attributes, then
    events with theirs.
    """
    for key, value in cleaned(span.attributes, repeats):
        yield f"{key}: ", value
    for event in span.events:
        yield f"[event] {event.name}", Marker()
        for key, value in cleaned(event.attributes, repeats):
            yield f"  {key}: ", value


def detail_lines(span: Span, repeats: Repeats | None = None) -> Iterator[str]:
    """Yield the lines below the span's own."""
    for label, value in details(span, repeats):
        yield one_line(label) + told(value)


def _message(span: Span, brief: bool) -> str:
    return one_line(cut(span.message, _BRIEF_MESSAGE) if brief else span.message)


def _tokens(span: Span) -> str:
    counts = [_count(span.attributes.get(key)) for key in _USAGE]
    known = [count for count in counts if count is not None]
    return f", {sum(known)} tokens" if known else ""


def _count(value: object) -> int | None:
    if isinstance(value, str) and value.isdecimal() and len(value) <= 18:
        return int(value)
    return value if isinstance(value, int) and abs(value) < _MOST_TOKENS else None
