"""How spans and messages are put into words: one line each, which nothing in them can break."""

import json
import re
from bisect import bisect_right
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from itertools import accumulate

from consensus.traces.media import Marker

CHARS_PER_TOKEN = 4
"""Of the estimate."""
_MS = 1_000_000
_BARE = re.compile(r"[\w./:@+-]+")
"""Texts that are told without quotation marks."""
_HIDDEN_RANGES = (
    *((0x00, 0x1F), (0x7F, 0x9F), (0x200B, 0x200B), (0x200E, 0x200F), (0x2028, 0x202E)),
    *((0x2060, 0x2060), (0x2066, 0x2069), (0xD800, 0xDFFF), (0xFEFF, 0xFEFF), (0xE0000, 0xE007F)),
)
"""What would break a line, turn its direction, hide text in it, or has no UTF-8."""
_AT_ONCE = 1 << 16
"""Characters that are escaped in one go: in between, the event loop may run."""
_ESCAPES = {
    code: json.dumps(chr(code))[1:-1].replace("\x7f", "\\u007f")
    for first, last in _HIDDEN_RANGES
    for code in range(first, last + 1)
}


def estimated_tokens(text: str) -> int:
    """Return a token for every four characters, rounded up."""
    return -(-len(text) // CHARS_PER_TOKEN)


def duration(ns: int) -> str:
    """Return `400ms` below a second, else `2.05s`."""
    if ns < 1_000 * _MS:
        return f"{(ns + _MS // 2) // _MS}ms"
    return f"{ns / (1_000 * _MS):.2f}s"


def moment(ns: int) -> str:
    """Return the time in UTC, such as `2023-11-14T22:13:20.100Z`."""
    seconds, rest = divmod(ns, 1_000 * _MS)
    return f"{datetime.fromtimestamp(seconds, UTC).isoformat()[:19]}.{rest // _MS:03}Z"


def one_line(text: str) -> str:
    """Return `text` with escapes for line breaks and for what cannot be seen."""
    if text.isascii() and text.isprintable():
        return text
    if len(text) <= _AT_ONCE:
        return text.translate(_ESCAPES)
    slices = [text[at : at + _AT_ONCE] for at in range(0, len(text), _AT_ONCE)]
    return "".join([part.translate(_ESCAPES) for part in slices])


def cut(text: str, most: int) -> str:
    """Return `text`, or its first `most` characters and an ellipsis."""
    return text if len(text) <= most else f"{text[:most]}…"


def told(value: object) -> str:
    """Return a cleaned value in one line: a word as it is, other text quoted, the rest as JSON."""
    if isinstance(value, str) and (isinstance(value, Marker) or _BARE.fullmatch(value)):
        return value
    return one_line(json.dumps(value, ensure_ascii=False))


def window(count: int, line: Callable[[int], str], most: int, omission: str) -> list[str]:
    """Return the lines 0 to `count` - 1 where they have at most `most` characters together, else
    the first and the last of them, about half each, and between them `omission`, its `{}` the
    number left out. Only what is returned, and once more as much, is made.
    """
    lines = list(_fitting(map(line, range(count)), most))
    if len(lines) == count:
        return lines
    half = max(0, most - len(omission) - 16) // 2
    head = bisect_right(list(accumulate(len(line) + 1 for line in lines)), half)
    tail = list(_fitting(map(line, range(count - 1, head - 1, -1)), half))
    return [*lines[:head], omission.format(count - head - len(tail)), *reversed(tail)]


def _fitting(lines: Iterator[str], most: int) -> Iterator[str]:
    """Yield lines as long as they have at most `most` characters together."""
    for line in lines:
        most -= len(line) + 1
        if most < 0:
            return
        yield line
