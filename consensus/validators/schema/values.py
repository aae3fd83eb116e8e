"""JSON values as JSON Schema sees them: their types, when two are the same, how to show one."""

import json
import math
from fractions import Fraction
from typing import Any

from consensus.validators.effort import Effort

TYPES = ("array", "boolean", "integer", "null", "number", "object", "string")
_LARGEST_EXACT = 1 << 53
_COMPARE_STEPS = 80
_SHOWN = 60


def type_of(value: Any) -> str:
    """Return the JSON type of a value; whole numbers are `integer`, whichever way written."""
    match value:
        case None:
            return "null"
        case bool():
            return "boolean"
        case str():
            return "string"
        case int():
            return "integer"
        case float():
            return "integer" if value.is_integer() else "number"
        case dict():
            return "object"
        case _:
            return "array"


def is_number(value: Any) -> bool:
    """Tell whether a value is a finite number; true and false are none."""
    if isinstance(value, float):
        return math.isfinite(value)
    return isinstance(value, int) and not isinstance(value, bool)


def same(one: Any, other: Any, effort: Effort) -> bool:
    """Tell whether two JSON values are equal: 1 is 1.0, true is not 1."""
    effort.spend(_COMPARE_STEPS)
    if isinstance(one, str) and isinstance(other, str):
        effort.spend(len(one) // 16)
        return one == other
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[k], other[k], effort) for k in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(
            same(left, right, effort) for left, right in zip(one, other, strict=True)
        )
    return isinstance(one, bool) == isinstance(other, bool) and bool(one == other)


def is_multiple(value: float, step: float) -> bool:
    """Tell whether `value` is a multiple of `step`, both as written in decimal: 0.3 is of 0.1."""
    return Fraction(repr(value)) % Fraction(repr(step)) == 0


def number(written: str) -> float:
    """Read a JSON number with a fraction or an exponent; whole ones become integers."""
    value = float(written)
    if math.isinf(value):
        raise ValueError(f"the number {written[:40]} is too large")
    return int(value) if value.is_integer() and abs(value) < _LARGEST_EXACT else value


def shown(value: Any) -> str:
    """Return a value in few words, whatever its size."""
    match value:
        case dict():
            return f"an object of {len(value)} members"
        case list():
            return f"an array of {len(value)} items"
        case str() if len(value) > _SHOWN:
            return json.dumps(value[: _SHOWN - 1])[:-1] + "…"
        case int() if abs(value) > _LARGEST_EXACT:
            return "a very large number"
        case _:
            return json.dumps(value, default=repr)


def member(name: str) -> str:
    """Return the path of a member, such as `.name` or `["full name"]`."""
    plain = len(name) <= _SHOWN and name.isidentifier()
    return f".{name}" if plain else f"[{shown(name)}]"
