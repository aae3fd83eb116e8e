"""The spans of a submission as a tree, whatever order they come in and whatever they claim."""

from collections.abc import Iterable

from msgspec import Struct

from consensus.domain.errors import TraceUnusable
from consensus.domain.trace import Span, TraceLimits

_Key = tuple[str, str]
"""Trace id and span id: two traces may use the same span id."""


class Place(Struct, frozen=True):
    """A span's place in the drawn tree."""

    span: Span
    branch: str
    """What stands before its line: nothing for a root, else glyphs that end in a space."""
    stem: str
    """What stands before the lines below it."""


class Trace(Struct, frozen=True):
    """Spans in order, each once."""

    spans: tuple[Span, ...]
    """By start; those that start together as they came."""
    places: tuple[Place, ...]
    """As the tree is drawn: a span, then what ran in it."""

    @classmethod
    def of(cls, spans: Iterable[Span], limits: TraceLimits | None = None) -> "Trace":
        """Return the tree of `spans`.

        A span that comes twice counts once: the one that ends later. A span whose parent is not
        among them is a root; where parents run in a circle, the span of it that starts first is.
        Raises TraceUnusable where there are more spans, or deeper ones, than the limits allow.
        """
        limits = limits or TraceLimits()
        by_key = _unique(spans)
        if len(by_key) > limits.spans:
            raise TraceUnusable("", f"has {len(by_key)} spans; {limits.spans} at most")
        ordered = sorted(by_key.values(), key=lambda span: span.start_ns)
        return cls(tuple(ordered), tuple(_drawn(_Family(ordered, by_key), limits.depth)))


def _key(span: Span) -> _Key:
    return span.trace_id, span.span_id


def _parent(span: Span) -> _Key:
    return span.trace_id, span.parent_id


def _unique(spans: Iterable[Span]) -> dict[_Key, Span]:
    by_key: dict[_Key, Span] = {}
    for span in spans:
        known = by_key.get(_key(span))
        if known is None or span.end_ns > known.end_ns:
            by_key[_key(span)] = span
    return by_key


class _Family:
    """Who ran in whom."""

    def __init__(self, ordered: list[Span], by_key: dict[_Key, Span]) -> None:
        self._by_key = by_key
        self.children: dict[_Key, list[Span]] = {}
        self.roots: list[Span] = []
        for span in ordered:
            if _parent(span) in by_key:
                self.children.setdefault(_parent(span), []).append(span)
            else:
                self.roots.append(span)
        for span in self._cut_circles(ordered):
            self.children[_parent(span)].remove(span)
            self.roots.append(span)
        self.roots.sort(key=lambda span: span.start_ns)

    def _cut_circles(self, ordered: list[Span]) -> list[Span]:
        """Return one span of every circle of parents."""
        reached: set[_Key] = set()
        self._reach(self.roots, reached)
        cut = []
        for span in ordered:
            if _key(span) not in reached:
                first = self._first_of_circle(span)
                cut.append(first)
                self._reach([first], reached)
        return cut

    def _reach(self, tops: list[Span], reached: set[_Key]) -> None:
        pending = list(tops)
        while pending:
            key = _key(pending.pop())
            if key not in reached:
                reached.add(key)
                pending.extend(self.children.get(key, ()))

    def _first_of_circle(self, span: Span) -> Span:
        """Return the first span of the circle that the parents of `span` end in."""
        trail: dict[_Key, Span] = {}
        while _key(span) not in trail:
            trail[_key(span)] = span
            span = self._by_key[_parent(span)]
        circle = [span]
        while (span := self._by_key[_parent(span)]) is not circle[0]:
            circle.append(span)
        return min(circle, key=lambda member: (member.start_ns, member.span_id))


def _drawn(family: _Family, most: int) -> list[Place]:
    # A stack of our own: a trace may nest deeper than Python calls.
    pending = [(span, "", "", 1) for span in reversed(family.roots)]
    places = []
    while pending:
        span, branch, stem, depth = pending.pop()
        if depth > most:
            raise TraceUnusable("", f"span {span.span_id} is nested {depth} deep; {most} at most")
        places.append(Place(span, branch, stem))
        last = True
        for child in reversed(family.children.get(_key(span), ())):
            glyph, below = ("└── ", "    ") if last else ("├── ", "│   ")
            pending.append((child, stem + glyph, stem + below, depth + 1))
            last = False
    return places
