"""What each keyword of JSON Schema asks of a value by itself, without looking at subschemas.

A rule takes the keyword's operand, known to be sound, and a value, and returns what is wrong in
words, or an empty string. Keywords say nothing about values of other types than their own.
"""

import json
from collections.abc import Callable, Sized
from typing import Any

from consensus.validators.effort import Effort
from consensus.validators.expressions import search
from consensus.validators.schema.values import is_multiple, is_number, same, shown, type_of

Rule = Callable[[Any, Any, Effort], str]

_MULTIPLE_STEPS = 1_000
_BIT_STEPS = 5
_NAME_STEPS = 20
_ITEM_STEPS = 200
_TEXT_STEPS = 10
_TEXT = json.JSONEncoder(sort_keys=True)


def _type(operand: Any, value: Any, _effort: Effort) -> str:
    allowed = [operand] if isinstance(operand, str) else operand
    found = type_of(value)
    if found in allowed or (found == "integer" and "number" in allowed):
        return ""
    return f"is {shown(value)}; must be of type {' or '.join(allowed)}"


def _enum(operand: Any, value: Any, effort: Effort) -> str:
    if any(same(value, allowed, effort) for allowed in operand):
        return ""
    names = ", ".join(shown(allowed) for allowed in operand[:8]) + (", …" if operand[8:] else "")
    return f"is {shown(value)}; must be one of {names}"


def _const(operand: Any, value: Any, effort: Effort) -> str:
    return "" if same(value, operand, effort) else f"is {shown(value)}; must be {shown(operand)}"


def _multiple_of(operand: Any, value: Any, effort: Effort) -> str:
    if not is_number(value):
        return ""
    effort.spend(_MULTIPLE_STEPS + _BIT_STEPS * int(value).bit_length())
    return (
        "" if is_multiple(value, operand) else f"is {shown(value)}; must be a multiple of {operand}"
    )


def _pattern(operand: Any, value: Any, effort: Effort) -> str:
    if not isinstance(value, str):
        return ""
    found = search(operand, value.encode("utf-8", "replace"), effort)
    return f"is {shown(value)}; must match /{operand[:80]}/" if found is None else ""


def _unique_items(operand: Any, value: Any, effort: Effort) -> str:
    seen: dict[str, int] = {}
    for index, item in enumerate(value if operand and isinstance(value, list) else ()):
        text = _TEXT.encode(item)
        effort.spend(_ITEM_STEPS + _TEXT_STEPS * len(text))
        first = seen.setdefault(text, index)
        if first != index:
            return f"holds the item {first} again at {index}"
    return ""


def _required(operand: Any, value: Any, effort: Effort) -> str:
    if not isinstance(value, dict):
        return ""
    effort.spend(_NAME_STEPS * len(operand))
    missing = [name for name in operand if name not in value]
    return f"lacks {', '.join(shown(name) for name in missing[:8])}" if missing else ""


def _dependent_required(operand: Any, value: Any, effort: Effort) -> str:
    effort.spend(_NAME_STEPS * len(operand))
    for name, needed in operand.items() if isinstance(value, dict) else ():
        if name in value and (words := _required(needed, value, effort)):
            return f"{words}, which {shown(name)} needs"
    return ""


def _bound(holds: Callable[[Any, Any], bool], words: str) -> Rule:
    def rule(operand: Any, value: Any, _effort: Effort) -> str:
        if not is_number(value) or holds(value, operand):
            return ""
        return f"is {shown(value)}; must be {words} {operand}"

    return rule


def _size(kind: type[Sized], holds: Callable[[Any, Any], bool], words: str, unit: str) -> Rule:
    def rule(operand: Any, value: Any, _effort: Effort) -> str:
        if not isinstance(value, kind) or holds(len(value), operand):
            return ""
        return f"has {len(value)} {unit}; must have {words} {operand}"

    return rule


def _at_least(found: Any, bound: Any) -> bool:
    return bool(found >= bound)


def _at_most(found: Any, bound: Any) -> bool:
    return bool(found <= bound)


RULES: dict[str, Rule] = {
    "type": _type,
    "enum": _enum,
    "const": _const,
    "multipleOf": _multiple_of,
    "minimum": _bound(_at_least, "at least"),
    "maximum": _bound(_at_most, "at most"),
    "exclusiveMinimum": _bound(lambda found, bound: bool(found > bound), "above"),
    "exclusiveMaximum": _bound(lambda found, bound: bool(found < bound), "below"),
    "pattern": _pattern,
    "minLength": _size(str, _at_least, "at least", "characters"),
    "maxLength": _size(str, _at_most, "at most", "characters"),
    "minItems": _size(list, _at_least, "at least", "items"),
    "maxItems": _size(list, _at_most, "at most", "items"),
    "uniqueItems": _unique_items,
    "minProperties": _size(dict, _at_least, "at least", "members"),
    "maxProperties": _size(dict, _at_most, "at most", "members"),
    "required": _required,
    "dependentRequired": _dependent_required,
}
