"""The digest of a trace: every span with its details where they fit, else only the tree."""

from msgspec import Struct

from consensus.domain.trace import Span
from consensus.traces.cleaning import Repeats
from consensus.traces.lines import bracketed, detail_lines, failure_line, headline
from consensus.traces.spans import Place, Trace
from consensus.traces.words import CHARS_PER_TOKEN, duration, estimated_tokens, window

FULL_TOKENS = 8_192
"""The largest estimate at which details are told."""
STRUCTURE_TOKENS = 32_768
"""The largest estimate of the tree alone: about 1,600 spans; of more, the middle is left out."""
NOTHING = "No spans recorded."
_HINT = (
    "Use expand_trace(span_id) to see span details or grep_trace(pattern) to search across spans."
)
_LEFT_OUT = "... [{} spans left out; grep_trace and expand_trace reach them] ..."
_OUT_OF_REACH = "... [{} spans left out] ..."
_NO_DETAILS = "Details are left out: the trace is too long."
_ERRORS_LEFT_OUT = "... [{} errors left out] ..."


class Digest(Struct, frozen=True):
    """A trace or a transcript in words."""

    text: str
    whole: bool
    """Whether everything is told. Where it is not, a judge needs expand and grep."""

    @property
    def tokens(self) -> int:
        """A quarter of the characters, rounded up."""
        return estimated_tokens(self.text)


def digest(
    trace: Trace,
    full_tokens: int = FULL_TOKENS,
    structure_tokens: int = STRUCTURE_TOKENS,
    *,
    bare: bool = False,
) -> Digest:
    """Return the trace in words, with all details where they come to `full_tokens` (>= 0) at most.

    Else only the tree is told, in `structure_tokens` (>= 1,024) at most. `bare` leaves out the
    header, times, ids of roots and the list of errors. Raises ValueError for other numbers.
    """
    if full_tokens < 0 or structure_tokens < 1_024:
        raise ValueError(
            f"full_tokens is {full_tokens} and structure_tokens {structure_tokens}; "
            "they must be at least 0 and 1,024"
        )
    full = whole(trace, full_tokens, bare=bare)
    if full is not None:
        return Digest(full, whole=True)
    return Digest(outline(trace, structure_tokens, bare=bare), whole=False)


def whole(trace: Trace, tokens: int = FULL_TOKENS, *, bare: bool = False) -> str | None:
    """Return the digest with all details; None where it comes to more than `tokens`."""
    if not trace.spans:
        return NOTHING
    most, repeats = tokens * CHARS_PER_TOKEN, Repeats()
    lines = _header(trace, bare)
    trailer = [] if bare else _errors([failure_line(span) for span in trace.spans if span.failed])
    left = most + 1 - sum(len(line) + 1 for line in (*lines, *trailer))
    for place in trace.places:
        indent = f"{place.stem}  " if place.branch else "    "
        new = [_line(place, bare, brief=False)]
        new += [indent + line for line in detail_lines(place.span, repeats)]
        left -= sum(len(line) + 1 for line in new)
        if left < 0:
            return None
        lines += new
    return "\n".join(lines + trailer)


def outline(
    trace: Trace, tokens: int = STRUCTURE_TOKENS, *, bare: bool = False, tools: bool = True
) -> str:
    """Return the tree alone, in `tokens` (>= 1,024) at most; `tools`: the reader has expand_trace
    and grep_trace.
    """
    most = tokens * CHARS_PER_TOKEN
    header, hint = _header(trace, bare), ["", _HINT if tools else _NO_DETAILS]
    trailer = [] if bare else _errors(_failures(trace, most // 4))
    left = most - sum(len(line) + 1 for line in (*header, *hint, *trailer))

    def line(index: int) -> str:
        return _line(trace.places[index], bare, brief=True)

    tree = window(len(trace.places), line, left, _LEFT_OUT if tools else _OUT_OF_REACH)
    return "\n".join([*header, *tree, *hint, *trailer])


def _failures(trace: Trace, most: int) -> list[str]:
    failed = [span for span in trace.spans if span.failed]

    def line(index: int) -> str:
        return failure_line(failed[index], brief=True)

    return window(len(failed), line, most, _ERRORS_LEFT_OUT)


def _line(place: Place, bare: bool, *, brief: bool) -> str:
    identity = "" if bare and not place.branch else f"{bracketed(place.span)} "
    return place.branch + identity + headline(place.span, bare=bare, brief=brief)


def _header(trace: Trace, bare: bool) -> list[str]:
    if bare:
        return []
    last = max(_last_moment(span) for span in trace.spans)
    total = duration(last - trace.spans[0].start_ns)
    return [f"Spans: {len(trace.spans)} | Total Duration: {total}", ""]


def _last_moment(span: Span) -> int:
    return span.end_ns or span.start_ns


def _errors(lines: list[str]) -> list[str]:
    return ["", "=== ERRORS ===", *lines] if lines else []
