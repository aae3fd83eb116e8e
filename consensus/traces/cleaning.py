"""What of attributes a judge sees: JSON opened, media as markers, repeats told once."""

import json
from collections.abc import Iterator, Mapping

from consensus.traces.media import Marker, binary, without_data, without_data_urls

REPEAT_CHARS = 50
"""Texts from this length are told once."""
REPEATED = Marker("[DUPLICATE - SEE ABOVE]")
TOO_DEEP = Marker("[NESTED TOO DEEP]")
MAX_NESTING = 32
"""Levels of lists and objects that are told, those inside JSON texts counted."""
MAX_PARTS = 50_000
"""Brackets and commas of a JSON text that is opened; one of more is told as it is. Reading it would
hold up the event loop, from whatever thread, and take two hundred times its size.
"""
_NUMBERS, _LISTS = (int, float), (list, tuple)
_OBJECTS = (dict, Mapping)  # in this order: the second takes ten times as long to tell
_PARTS = ("{", "[", ",")
_PREFIX = "langwatch."
_INTERNAL = frozenset({"langwatch.thread.id", "langwatch.scenario.id", "langwatch.scenario.name"})
"""They say which test it is, not what the agent did."""


class Repeats:
    """The long texts of one digest that have been told."""

    def __init__(self) -> None:
        self._told: set[str] = set()

    def once(self, text: str) -> str:
        """Return `text`, or REPEATED where it was told before, white space evened out."""
        if len(text) < REPEAT_CHARS:
            return text
        even = " ".join(text.split())
        if even in self._told:
            return REPEATED
        self._told.add(even)
        return text


def cleaned(
    attributes: Mapping[str, object], repeats: Repeats | None = None
) -> Iterator[tuple[str, object]]:
    """Yield keys and cleaned values: JSON values, or Markers in their place.

    LangWatch's own ids are left out, its prefix is taken off; of two keys that are then the same
    the first stays. With `repeats`, what those know is told as REPEATED.
    """
    seen = set()
    for key, value in attributes.items():
        plain = key.removeprefix(_PREFIX)
        if key not in _INTERNAL and plain not in seen:
            seen.add(plain)
            yield plain, clean(value, repeats)


def clean(value: object, repeats: Repeats | None = None, depth: int = 0) -> object:
    """Return one value, cleaned through and through.

    Raises TypeError for what is neither a JSON value nor bytes.
    """
    if value is None or isinstance(value, _NUMBERS):
        return value
    if isinstance(value, str):
        opened = _opened(value)
        return _text(value, repeats) if opened is None else clean(opened, repeats, depth)
    if isinstance(value, bytes):
        return binary(value)
    if depth == MAX_NESTING:
        return TOO_DEEP
    if isinstance(value, _OBJECTS):
        part = without_data(value)
        return {key: clean(item, repeats, depth + 1) for key, item in part.items()}
    if isinstance(value, _LISTS):
        return [clean(item, repeats, depth + 1) for item in value]
    raise TypeError(f"an attribute holds a {type(value).__name__}, which is no JSON value")


def texts(value: object) -> Iterator[str]:
    """Yield the keys and texts inside a cleaned value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, item in value.items():
            yield key
            yield from texts(item)
    elif isinstance(value, list):
        for item in value:
            yield from texts(item)


def _text(text: str, repeats: Repeats | None) -> str:
    if isinstance(text, Marker):
        return text
    text = without_data_urls(text)
    return text if repeats is None or isinstance(text, Marker) else repeats.once(text)


def _opened(text: str) -> object:
    """Return what a text of JSON holds; None for any other text."""
    bare = text.strip()
    if bare[:1] + bare[-1:] not in ("{}", "[]"):
        return None
    if len(bare) > MAX_PARTS and sum(map(bare.count, _PARTS)) > MAX_PARTS:
        return None
    try:
        opened: object = json.loads(bare)
    except (ValueError, RecursionError):
        return None
    return opened
