"""JSON to and from servers that may send anything: nothing here raises on the wrong type."""

import json
from collections.abc import Mapping

import msgspec

from consensus.domain.gradient import MOST_TOKENS


def encoded(value: Mapping[str, object]) -> bytes:
    """Return `value` as JSON."""
    try:
        return msgspec.json.encode(value)
    except UnicodeEncodeError:  # half a character, which only an escape can say
        return json.dumps(value).encode()


def parsed(data: bytes | str) -> object:
    """Return the JSON value that `data` holds, or None where it holds none."""
    try:
        value: object = json.loads(data)
    except (ValueError, RecursionError):  # also: not UTF-8, a number of 5,000 digits
        return None
    return value


def mapping(value: object) -> Mapping[str, object]:
    """Return `value` if it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def items(value: object) -> list[object]:
    """Return `value` if it is a list, else an empty one."""
    return value if isinstance(value, list) else []


def text(value: object) -> str:
    """Return `value` if it is a string, else an empty one."""
    return value if isinstance(value, str) else ""


def count(value: object) -> int:
    """Return `value` if it is a plausible number of tokens, else 0."""
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MOST_TOKENS:
        return value
    return 0
