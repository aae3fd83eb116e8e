"""Reads a document by a schema: the keywords that hold subschemas, and the walk down both."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from consensus.domain.errors import ConsensusError
from consensus.validators.effort import Effort
from consensus.validators.expressions import search
from consensus.validators.schema.rules import RULES
from consensus.validators.schema.soundness import pointed
from consensus.validators.schema.values import member, shown

MAX_NESTING = 200
"""Deepest nesting of schemas in use: subschemas, references and the document together."""

_SCHEMA_STEPS = 200
_KEYWORD_STEPS = 80
_NAME_STEPS = 20
_REFERENCE_STEPS = 700
_Schema = Mapping[str, Any]


class TooDeepError(ConsensusError):
    """Schemas in use are nested too deep, or refer to themselves without end."""


class Fault(NamedTuple):
    """What is wrong with a value of the document."""

    path: str
    """From the value that was read, such as `.lines[2]`; empty for itself."""
    words: str


class Reader:
    """Reads one document; `root` is what references start from. Both must be sound."""

    def __init__(self, root: _Schema, effort: Effort) -> None:
        self.root = root
        self.effort = effort
        self._depth = 0

    def fault(self, schema: Any, value: Any) -> Fault | None:
        """Return the first fault of `value` by `schema`."""
        self.effort.spend(_SCHEMA_STEPS)
        if isinstance(schema, bool):
            return None if schema else Fault("", f"is {shown(value)}; nothing is allowed here")
        if self._depth >= MAX_NESTING:
            raise TooDeepError
        self._depth += 1
        found = self._first(schema, value)
        self._depth -= 1
        return found

    def _first(self, schema: _Schema, value: Any) -> Fault | None:
        for keyword, operand in schema.items():
            self.effort.spend(_KEYWORD_STEPS)
            if keyword in RULES and (words := RULES[keyword](operand, value, self.effort)):
                return Fault("", words)
            if keyword in _NESTED and (found := _NESTED[keyword](self, operand, value, schema)):
                return found
        return None

    def first_inside(self, parts: Iterable[tuple[str, Any, Any]]) -> Fault | None:
        """Return the first fault of (path, schema, value) parts."""
        for path, schema, value in parts:
            if found := self.fault(schema, value):
                return Fault(path + found.path, found.words)
        return None


_Nested = Callable[[Reader, Any, Any, _Schema], Fault | None]
"""Takes the keyword's operand, the value, and the schema that the keyword stands in."""


def _all_of(reader: Reader, operand: Any, value: Any, _schema: _Schema) -> Fault | None:
    return reader.first_inside(("", schema, value) for schema in operand)


def _any_of(reader: Reader, operand: Any, value: Any, _schema: _Schema) -> Fault | None:
    first = None
    for schema in operand:
        found = reader.fault(schema, value)
        if found is None:
            return None
        first = first or found
    return first and Fault(first.path, f"{first.words} (or another of `anyOf`)")


def _one_of(reader: Reader, operand: Any, value: Any, _schema: _Schema) -> Fault | None:
    faults = [reader.fault(schema, value) for schema in operand]
    fitting = faults.count(None)
    if fitting == 1:
        return None
    return Fault("", f"fits {fitting} schemas of `oneOf`; must fit exactly one")


def _not(reader: Reader, operand: Any, value: Any, _schema: _Schema) -> Fault | None:
    if reader.fault(operand, value):
        return None
    return Fault("", f"is {shown(value)}, which `not` rules out")


def _if(reader: Reader, operand: Any, value: Any, schema: _Schema) -> Fault | None:
    branch = "else" if reader.fault(operand, value) else "then"
    return reader.fault(schema.get(branch, True), value)


def _ref(reader: Reader, operand: Any, value: Any, _schema: _Schema) -> Fault | None:
    reader.effort.spend(_REFERENCE_STEPS + _NAME_STEPS * len(operand))
    return reader.fault(pointed(reader.root, operand), value)


def _prefix_items(reader: Reader, operand: Any, value: Any, _schema: _Schema) -> Fault | None:
    items = value if isinstance(value, list) else []
    pairs = enumerate(zip(operand, items, strict=False))
    return reader.first_inside((f"[{index}]", schema, item) for index, (schema, item) in pairs)


def _items(reader: Reader, operand: Any, value: Any, schema: _Schema) -> Fault | None:
    start = len(schema.get("prefixItems", ()))
    items = value[start:] if isinstance(value, list) else []
    return reader.first_inside(
        (f"[{index}]", operand, item) for index, item in enumerate(items, start)
    )


def _contains(reader: Reader, operand: Any, value: Any, schema: _Schema) -> Fault | None:
    if not isinstance(value, list):
        return None
    least, most = schema.get("minContains", 1), schema.get("maxContains")
    fitting = sum(reader.fault(operand, item) is None for item in value)
    if fitting < least:
        return Fault("", f"holds {fitting} items that fit `contains`; must hold at least {least}")
    if most is not None and fitting > most:
        return Fault("", f"holds {fitting} items that fit `contains`; must hold at most {most}")
    return None


def _properties(reader: Reader, operand: Any, value: Any, _schema: _Schema) -> Fault | None:
    if not isinstance(value, dict):
        return None
    reader.effort.spend(_NAME_STEPS * len(operand))
    return reader.first_inside(
        (member(name), schema, value[name]) for name, schema in operand.items() if name in value
    )


def _pattern_properties(reader: Reader, operand: Any, value: Any, _schema: _Schema) -> Fault | None:
    members = value.items() if isinstance(value, dict) else ()
    return reader.first_inside(
        (member(name), schema, item)
        for name, item in members
        for pattern, schema in operand.items()
        if _matches(reader, pattern, name)
    )


def _additional_properties(
    reader: Reader, operand: Any, value: Any, schema: _Schema
) -> Fault | None:
    members = value.items() if isinstance(value, dict) else ()
    known, patterns = schema.get("properties", {}), schema.get("patternProperties", {})
    return reader.first_inside(
        (member(name), operand, item)
        for name, item in members
        if name not in known and not any(_matches(reader, pattern, name) for pattern in patterns)
    )


def _property_names(reader: Reader, operand: Any, value: Any, _schema: _Schema) -> Fault | None:
    names = value if isinstance(value, dict) else ()
    return reader.first_inside((member(name), operand, name) for name in names)


def _dependent_schemas(reader: Reader, operand: Any, value: Any, _schema: _Schema) -> Fault | None:
    if not isinstance(value, dict):
        return None
    reader.effort.spend(_NAME_STEPS * len(operand))
    return reader.first_inside(
        ("", schema, value) for name, schema in operand.items() if name in value
    )


def _matches(reader: Reader, pattern: str, name: str) -> bool:
    return search(pattern, name.encode("utf-8", "replace"), reader.effort) is not None


_NESTED: dict[str, _Nested] = {
    "allOf": _all_of,
    "anyOf": _any_of,
    "oneOf": _one_of,
    "not": _not,
    "if": _if,
    "$ref": _ref,
    "prefixItems": _prefix_items,
    "items": _items,
    "contains": _contains,
    "properties": _properties,
    "patternProperties": _pattern_properties,
    "additionalProperties": _additional_properties,
    "propertyNames": _property_names,
    "dependentSchemas": _dependent_schemas,
}
