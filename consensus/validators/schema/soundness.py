"""Tells what makes a JSON Schema unsound: before it is used, so that using it cannot fail."""

import sys
from collections.abc import Callable, Iterator, Mapping
from typing import Any
from urllib.parse import unquote

from consensus.validators import expressions
from consensus.validators.effort import Effort
from consensus.validators.schema.values import TYPES, is_number, member, shown

REFUSED = {
    "unevaluatedProperties": "additionalProperties",
    "unevaluatedItems": "items",
    "additionalItems": "items",
    "dependencies": "dependentRequired or dependentSchemas",
    "$dynamicRef": "$ref",
    "$recursiveRef": "$ref",
}
"""Keywords that would change what is accepted and are not supported, and what to use instead."""

_ONE = ("additionalProperties", "contains", "else", "if", "items", "not", "propertyNames", "then")
_LISTED = ("allOf", "anyOf", "oneOf", "prefixItems")
_NAMED = ("$defs", "definitions", "dependentSchemas", "patternProperties", "properties")
_BOUNDS = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum")
_COUNTS = tuple(
    most_or_least + what
    for most_or_least in ("min", "max")
    for what in ("Contains", "Items", "Length", "Properties")
)
_NODE_STEPS = 400
_NAME_STEPS = 20
_REFERENCE_STEPS = 2_000


class UnsoundSchemaError(ValueError):
    """A schema that cannot be used."""


def require_sound(schema: Mapping[str, object], effort: Effort) -> None:
    """Raise UnsoundSchemaError, with a path and what is wrong, unless `schema` can be used."""
    waiting: list[tuple[str, Any]] = [("$", schema)]
    seen: set[int] = set()
    while waiting:
        path, node = waiting.pop()
        effort.spend(_NODE_STEPS)
        if isinstance(node, bool) or id(node) in seen:
            continue
        _require(isinstance(node, Mapping), path, node, "an object, true or false")
        seen.add(id(node))
        for keyword, operand in node.items():
            effort.spend(_NODE_STEPS)
            here = path + member(keyword)
            if isinstance(operand, (list, dict)):
                effort.spend(_NAME_STEPS * len(operand))
            _require_operand(keyword, operand, here, effort)
            waiting.extend((here + part, child) for part, child in _subschemas(keyword, operand))
        if "$ref" in node:
            effort.spend(_REFERENCE_STEPS + _NAME_STEPS * len(node["$ref"]))
            waiting.append((node["$ref"], pointed(schema, node["$ref"])))


def pointed(schema: Any, reference: str) -> Any:
    """Return what a reference such as `#/$defs/x` points at. Raises UnsoundSchemaError."""
    if reference != "#" and not reference.startswith("#/"):
        raise UnsoundSchemaError(f"refers to {shown(reference)}; must be '#' or start with '#/'")
    found = schema
    for part in reference.split("/")[1:]:
        key = unquote(part).replace("~1", "/").replace("~0", "~")
        if isinstance(found, Mapping) and key in found:
            found = found[key]
        elif isinstance(found, list) and _is_index(key) and int(key) < len(found):
            found = found[int(key)]
        else:
            raise UnsoundSchemaError(f"refers to {shown(reference)}, which leads nowhere")
    return found


def _is_index(key: str) -> bool:
    return key.isascii() and key.isdigit() and len(key) < 9


def _require_operand(keyword: str, operand: Any, path: str, effort: Effort) -> None:
    if keyword in REFUSED:
        raise UnsoundSchemaError(f"{path} is not supported; use {REFUSED[keyword]}")
    if keyword in _OPERANDS:
        sound, words = _OPERANDS[keyword]
        _require(sound(operand), path, operand, words)
    if keyword in ("pattern", "patternProperties"):
        for pattern in [operand] if keyword == "pattern" else operand:
            _require_expression(pattern, path, effort)


def _require(holds: object, path: str, found: object, words: str) -> None:
    if not holds:
        raise UnsoundSchemaError(f"{path} is {shown(found)}; must be {words}")


def _require_expression(pattern: str, path: str, effort: Effort) -> None:
    try:
        expressions.require_sound(pattern, effort)
    except expressions.ExpressionError as error:
        words = f"{path} is {shown(pattern)}, which RE2 does not take: {error}"
        raise UnsoundSchemaError(words) from None


def _subschemas(keyword: str, operand: Any) -> Iterator[tuple[str, Any]]:
    if keyword in _ONE:
        yield "", operand
    elif keyword in _LISTED:
        for index, child in enumerate(operand):
            yield f"[{index}]", child
    elif keyword in _NAMED:
        for name, child in operand.items():
            yield member(name), child


def _is_bound(value: Any) -> bool:
    return is_number(value) and abs(value) <= sys.float_info.max


def _is_count(value: Any) -> bool:
    return _is_bound(value) and value >= 0 and value == value // 1


def _is_names(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(name, str) for name in value)


def _is_types(value: Any) -> bool:
    names = value if isinstance(value, list) else [value]
    return bool(names) and all(isinstance(name, str) and name in TYPES for name in names)


_Operand = tuple[Callable[[Any], object], str]
"""What an operand must be, as a test and in words."""


def _each(
    keywords: tuple[str, ...], holds: Callable[[Any], object], words: str
) -> dict[str, _Operand]:
    return dict.fromkeys(keywords, (holds, words))


_OPERANDS: dict[str, _Operand] = {
    **_each(("$ref", "pattern"), lambda value: isinstance(value, str), "a string"),
    **_each(("type",), _is_types, f"one of {', '.join(TYPES)}, or a list of these"),
    **_each(("enum",), lambda value: isinstance(value, list), "a list"),
    **_each(("multipleOf",), lambda value: _is_bound(value) and value > 0, "a number above 0"),
    **_each(("uniqueItems",), lambda value: isinstance(value, bool), "true or false"),
    **_each(("required",), _is_names, "a list of strings"),
    **_each(
        ("dependentRequired",),
        lambda value: isinstance(value, Mapping) and all(map(_is_names, value.values())),
        "an object of lists of strings",
    ),
    **_each(_BOUNDS, _is_bound, "a number"),
    **_each(_COUNTS, _is_count, "a whole number, at least 0"),
    **_each(_LISTED, lambda value: isinstance(value, list) and value, "a list of schemas"),
    **_each(_NAMED, lambda value: isinstance(value, Mapping), "an object of schemas"),
}
