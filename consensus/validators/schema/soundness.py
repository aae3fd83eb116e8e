"""Tells what makes a JSON Schema unsound: before it is used, so that using it cannot fail."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any
from urllib.parse import unquote

from consensus.validators.effort import Effort
from consensus.validators.expressions import ExpressionError, compile_steps
from consensus.validators.schema.values import TYPES, is_number, member, shown

MAX_DEPTH = 32
"""Deepest nesting of a schema."""
REFUSED = {
    "unevaluatedProperties": "additionalProperties",
    "unevaluatedItems": "items",
    "$dynamicRef": "$ref",
    "$recursiveRef": "$ref",
    "additionalItems": "items",
    "dependencies": "dependentRequired or dependentSchemas",
}
"""Keywords that would change what is accepted and are not supported, and what to use instead."""
ONE = frozenset(
    "additionalProperties contains else if items not propertyNames then".split(),
)
"""Keywords whose operand is a schema."""
LISTED = frozenset(("allOf", "anyOf", "oneOf", "prefixItems"))
"""Keywords whose operand is a list of schemas."""
NAMED = frozenset(("$defs", "definitions", "dependentSchemas", "patternProperties", "properties"))
"""Keywords whose operand maps names to schemas."""

_NODE_STEPS = 150
_Node = tuple[str, Any, int]
"""Path, schema and depth."""


class UnsoundSchemaError(ValueError):
    """A schema that cannot be used."""


def require_sound(schema: Mapping[str, object], effort: Effort) -> None:
    """Raise UnsoundSchemaError, with a path and what is wrong, unless `schema` can be used."""
    open_nodes: list[_Node] = [("$", schema, 0)]
    referred: set[str] = set()
    while open_nodes:
        path, node, depth = open_nodes.pop()
        effort.spend(_NODE_STEPS)
        if isinstance(node, bool):
            continue
        _require(isinstance(node, Mapping), path, node, "an object, true or false")
        _require(depth <= MAX_DEPTH, path, node, f"nested at most {MAX_DEPTH} levels deep")
        open_nodes.extend(_children(path, node, depth + 1, effort))
        reference = node.get("$ref")
        if isinstance(reference, str) and reference not in referred:
            referred.add(reference)
            open_nodes.append((reference, pointed(schema, reference), 0))


def pointed(schema: Any, reference: str) -> Any:
    """Return what a reference such as `#/$defs/x` points at. Raises UnsoundSchemaError."""
    if reference != "#" and not reference.startswith("#/"):
        raise UnsoundSchemaError(f"refers to {shown(reference)}; must be '#' or start with '#/'")
    found = schema
    for part in reference.split("/")[1:]:
        key = unquote(part).replace("~1", "/").replace("~0", "~")
        if isinstance(found, list) and key.isdecimal() and len(key) < 9 and int(key) < len(found):
            found = found[int(key)]
        elif isinstance(found, Mapping) and key in found:
            found = found[key]
        else:
            raise UnsoundSchemaError(f"refers to {shown(reference)}, which leads nowhere")
    return found


def _children(path: str, node: Mapping[str, Any], depth: int, effort: Effort) -> Iterator[_Node]:
    """Look at each keyword's operand by itself; yield the schemas that it holds."""
    for keyword, operand in node.items():
        effort.spend(_NODE_STEPS)
        here = path + member(keyword)
        if keyword in REFUSED:
            words = f"{here} is not supported; use {REFUSED[keyword]}"
            raise UnsoundSchemaError(words)
        if keyword in ONE:
            yield here, operand, depth
        elif keyword in LISTED:
            _require(isinstance(operand, list) and operand, here, operand, "a list of schemas")
            for index, child in enumerate(operand):
                yield f"{here}[{index}]", child, depth
        elif keyword in NAMED:
            _require(isinstance(operand, Mapping), here, operand, "an object of schemas")
            for name, child in operand.items():
                if keyword == "patternProperties":
                    _require_expression(here, name, effort)
                yield here + member(name), child, depth
        elif keyword == "pattern":
            _require_expression(here, operand, effort)
        elif keyword in _OPERANDS:
            sound, words = _OPERANDS[keyword]
            _require(sound(operand), here, operand, words)


def _require(holds: object, path: str, found: object, words: str) -> None:
    if not holds:
        raise UnsoundSchemaError(f"{path} is {shown(found)}; must be {words}")


def _require_expression(path: str, pattern: object, effort: Effort) -> None:
    if not isinstance(pattern, str):
        raise UnsoundSchemaError(f"{path} is {shown(pattern)}; must be a string")
    try:
        effort.spend(compile_steps(pattern))
    except ExpressionError as error:
        words = f"{path} is {shown(pattern)}, which RE2 does not take: {error}"
        raise UnsoundSchemaError(words) from None


def _is_count(value: Any) -> bool:
    return is_number(value) and value >= 0 and value == value // 1


def _is_names(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(name, str) for name in value)


def _is_types(value: Any) -> bool:
    names = value if isinstance(value, list) else [value]
    return bool(names) and all(isinstance(name, str) and name in TYPES for name in names)


_Operand = tuple[Callable[[Any], object], str]
_NUMBER: _Operand = (is_number, "a number")
_COUNT: _Operand = (_is_count, "a whole number, at least 0")
_OPERANDS: dict[str, _Operand] = {
    "$ref": (lambda value: isinstance(value, str), "a string"),
    "type": (_is_types, f"one of {', '.join(TYPES)}, or a list of these"),
    "enum": (lambda value: isinstance(value, list), "a list"),
    "multipleOf": (lambda value: is_number(value) and value > 0, "a number above 0"),
    "uniqueItems": (lambda value: isinstance(value, bool), "true or false"),
    "required": (_is_names, "a list of strings"),
    "dependentRequired": (
        lambda value: isinstance(value, Mapping) and all(map(_is_names, value.values())),
        "an object of lists of strings",
    ),
    **dict.fromkeys(("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"), _NUMBER),
    **dict.fromkeys(
        "maxContains maxItems maxLength maxProperties"
        " minContains minItems minLength minProperties".split(),
        _COUNT,
    ),
}
