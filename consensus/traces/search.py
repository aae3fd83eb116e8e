"""What a judge asks of a trace that was too long to be told: these spans, or where this stands."""

import re
from collections.abc import Iterator, Sequence

from msgspec import Struct

from consensus.domain.trace import Span
from consensus.traces.cleaning import texts
from consensus.traces.digest import NOTHING
from consensus.traces.lines import bracketed, detail_lines, details, headline, lasting, named
from consensus.traces.spans import Trace
from consensus.traces.words import CHARS_PER_TOKEN, cut, one_line, told

RESULT_TOKENS = 4_096
"""What one answer may come to, by the estimate; more is cut and marked."""
MAX_MATCHES = 20
"""Spans, or messages, of one answer to a search."""
MAX_PATTERN = 1_000
MAX_IDS = 100
"""Span ids of one call."""
MIN_PREFIX = 4
"""Fewest digits of a span id; an empty one would be the whole trace."""
_WHOLE_LINE = 400
"""A line up to this length is told whole; of a longer one, what surrounds the match."""
_BEFORE, _AFTER = 120, 280
_PREFIX = re.compile(f"[0-9a-f]{{{MIN_PREFIX},16}}")
_TOO_LONG = "\n\n[TRUNCATED] More than 4096 tokens. Use {} to search for specific content, or {}."
_FEWER_SPANS = ("grep_trace(pattern)", "expand_trace with fewer span ids")


class Finds(Struct, frozen=True):
    """An answer for a judge."""

    text: str
    count: int
    """Spans or messages that were found; 0 where the text says why there are none."""
    fault: bool = False
    """Whether the question was wrong: no such id, no such pattern."""


def expand_trace(trace: Trace, span_ids: Sequence[str]) -> Finds:
    """Return every span whose id starts with one of `span_ids` (4 to 16 digits), by start, with
    all its attributes and events.
    """
    if not trace.spans:
        return Finds(NOTHING, 0)
    if len(span_ids) > MAX_IDS:
        return Finds(f"Error: {len(span_ids)} ids; {MAX_IDS} at most.", 0, fault=True)
    prefixes = [given.strip(" []").lower() for given in span_ids]
    sound = tuple(prefix for prefix in prefixes if _PREFIX.fullmatch(prefix))
    found = [span for span in trace.spans if span.span_id.startswith(sound)]
    if not found:
        known = ", ".join(span.span_id[:8] for span in trace.spans)
        words = f"Error: no span has such an id (4 digits at least). There are: {known}"
        return Finds(within_budget(words), 0, fault=True)
    unknown = [
        told(cut(prefix, 40))
        for prefix in prefixes
        if prefix not in sound or not any(span.span_id.startswith(prefix) for span in found)
    ]
    blocks = [f"[No span has the id {', '.join(unknown)}.]"] if unknown else []
    size = 0
    for span in found:
        if size > RESULT_TOKENS * CHARS_PER_TOKEN:
            break
        lines = [f"{bracketed(span)} {headline(span)}", *map("    {}".format, detail_lines(span))]
        blocks.append("\n".join(lines))
        size += len(blocks[-1])
    return Finds(within_budget("\n\n".join(blocks), *_FEWER_SPANS), len(found))


def grep_trace(trace: Trace, pattern: str) -> Finds:
    """Return the lines of names, attributes and events that hold `pattern`, for 20 spans at most.

    The pattern (1 to 1,000 characters) is no expression; upper and lower case are the same. What
    it is looked for in is what the digest and expand_trace tell, and the texts inside as they are.
    """
    if not trace.spans:
        return Finds(NOTHING, 0)
    if (fault := pattern_fault(pattern)) is not None:
        return Finds(fault, 0, fault=True)
    wanted = pattern.casefold()
    found = [(span, lines) for span in trace.spans if (lines := list(_hits(span, wanted)))]
    if not found:
        names = ", ".join(dict.fromkeys(named(span) for span in trace.spans))
        return Finds(within_budget(f"{no_match(pattern)} Available span names: {names}"), 0)
    blocks = [
        (f"{bracketed(span)} {named(span)} ({lasting(span)})", lines)
        for span, lines in found[:MAX_MATCHES]
    ]
    return Finds(within_budget(listed(blocks, len(found)), *_FEWER_SPANS), len(found))


def span_text(span: Span) -> str:
    """Return all that is known of a span as a judge may quote it: each line as it is told, and
    each text inside as it is.
    """
    parts = [span.name, span.message]
    for label, detail in details(span):
        parts += [one_line(label) + told(detail), label, *texts(detail)]
    return "\n".join(parts)


def pattern_fault(pattern: str) -> str | None:
    """Return what is wrong with a pattern, None for a sound one."""
    if 1 <= len(pattern) <= MAX_PATTERN:
        return None
    return f"Error: the pattern has {len(pattern)} characters; it must have 1 to {MAX_PATTERN}."


def no_match(pattern: str) -> str:
    """Return that nothing holds `pattern`."""
    return f'No matches found for "{one_line(pattern)}".'


def listed(blocks: Sequence[tuple[str, Sequence[str]]], total: int) -> str:
    """Return what was found, each block under its heading, and how many more there are."""
    lines = []
    for heading, hits in blocks:
        lines += [f"--- {heading} ---", *(f"  {hit}" for hit in hits), ""]
    if total > len(blocks):
        lines.append(f"[{total - len(blocks)} more matches omitted. Refine the pattern.]")
    return "\n".join(lines).rstrip()


def within_budget(text: str, search: str = "a search", narrower: str = "ask for less") -> str:
    """Return `text`, or its first 16,384 characters and what to do instead."""
    most = RESULT_TOKENS * CHARS_PER_TOKEN
    return text if len(text) <= most else text[:most] + _TOO_LONG.format(search, narrower)


def surroundings(text: str, wanted: str) -> str:
    """Return a line of `text`: all of it, or what surrounds the first match of `wanted`."""
    if len(text) > _WHOLE_LINE:
        at = text.casefold().find(wanted)
        start = max(0, at - _BEFORE)
        end = at + len(wanted) + _AFTER
        text = ("…" if start else "") + text[start:end] + ("…" if end < len(text) else "")
    return one_line(text)


def _hits(span: Span, wanted: str) -> Iterator[str]:
    for text in (span.name, span.message):
        if wanted in text.casefold():
            yield surroundings(text, wanted)
    for label, detail in details(span):
        line = one_line(label) + told(detail)
        if wanted in line.casefold():
            yield surroundings(line, wanted)
        else:  # a text with quotation marks or line breaks reads otherwise when it is told
            for text in (label, *texts(detail)):
                if wanted in text.casefold():
                    yield one_line(label) + surroundings(text, wanted)
