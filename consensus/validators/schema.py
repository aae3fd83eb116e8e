"""JSON Schema (draft 2020-12) that hostile schemas and documents cannot hang or crash.

The library does the work. Around it: every keyword and every message costs effort, patterns run on
RE2, references stay inside the schema, and the few keywords that would search with the library's
own backtracking expressions are replaced or refused.
"""

import functools
import json
from collections.abc import Callable, Iterator, Mapping
from contextvars import ContextVar
from typing import Any

from jsonschema import Draft202012Validator, SchemaError, ValidationError
from jsonschema.protocols import Validator
from jsonschema.validators import extend
from msgspec import Struct
from referencing import Registry
from referencing.exceptions import Unresolvable

from consensus.validators.effort import Effort
from consensus.validators.expressions import ExpressionError, require_sound, search

MAX_SCHEMA = 20_000
"""Longest schema, in characters of JSON."""
MAX_NESTING = 32
REFUSED = ("unevaluatedProperties", "unevaluatedItems", "$dynamicRef")
_LOOK_STEPS = 700
"""Steps for looking over one character of a schema."""
_KEYWORD_STEPS = 2_000
_MEMBER_STEPS = 400
"""Steps for one member of an array or object under a keyword that goes through them."""
_QUOTE_STEPS = 4
"""Steps for one character of the document, which the library may quote in a message."""
_GOES_THROUGH = ("items", "prefixItems", "contains", "propertyNames", "uniqueItems",
                 "properties", "patternProperties", "additionalProperties")  # fmt: skip

_Errors = Iterator[ValidationError]
_Keyword = Callable[[Any, Any, Any, Any], "_Errors | None"]
MAX_DEPTH = 100
"""Deepest nesting of keywords at work, the schema's references included."""


class _Run(Struct):
    """One document under validation."""

    effort: Effort
    size: int
    depth: int = 0

    def enter(self) -> None:
        """Go one keyword deeper. Python's own limit would be met inside the library's native code,
        which ends in a panic.
        """
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise RecursionError


_run: ContextVar[_Run] = ContextVar("run")


def schema_fault(schema: Mapping[str, object], effort: Effort) -> str:
    """Return what is wrong with a schema, or an empty string. Raises EffortSpentError."""
    text = json.dumps(schema, sort_keys=True, default=repr)
    effort.spend(len(text))
    if len(text) > MAX_SCHEMA:
        return f"has {len(text)} characters as JSON; must have at most {MAX_SCHEMA}"
    effort.spend(_LOOK_STEPS * len(text))  # at hand or not: the same input, the same end
    try:
        for pattern in _patterns(schema, 0):
            require_sound(pattern, effort)
    except ExpressionError as error:
        return f"holds an expression that RE2 does not take: {error}"
    except ValueError as error:
        return str(error)
    return _library_fault(text)


def document_fault(
    schema: Mapping[str, object], document: object, size: int, effort: Effort
) -> str:
    """Return what is wrong with a document of `size` characters, or an empty string.

    Raises EffortSpentError.
    """
    if fault := schema_fault(schema, effort):
        return f"the schema {fault}"
    token = _run.set(_Run(effort, size))
    try:
        validator = _validator(json.dumps(schema, sort_keys=True, default=repr))
        error = next(iter(validator.iter_errors(document)), None)  # type: ignore[arg-type]
    except Unresolvable as problem:
        return f"the schema's reference {problem.ref!r} leads nowhere"
    except RecursionError:
        return "schema and document together are nested too deep"
    except (ArithmeticError, TypeError, ValueError) as problem:
        return f"cannot be compared with the schema: {type(problem).__name__}"
    finally:
        _run.reset(token)
    return "" if error is None else f"{error.json_path}: {error.message}"


def _patterns(node: Any, depth: int) -> Iterator[str]:
    """Yield every expression in a schema. Raises ValueError on what is refused."""
    if depth > MAX_NESTING:
        raise ValueError(f"is nested deeper than {MAX_NESTING} levels")
    for key, value in node.items() if isinstance(node, Mapping) else enumerate(node):
        if key in REFUSED:
            raise ValueError(f"uses {key}, which is not supported")
        if key == "$ref" and isinstance(value, str) and not value.startswith("#"):
            raise ValueError(f"refers to {value[:80]!r}; references must start with '#'")
        if key == "pattern" and isinstance(value, str):
            yield value
        if key == "patternProperties" and isinstance(value, Mapping):
            yield from value
        if isinstance(value, (Mapping, list)):
            yield from _patterns(value, depth + 1)


@functools.lru_cache(maxsize=256)
def _library_fault(text: str) -> str:
    try:
        Draft202012Validator.check_schema(json.loads(text))
    except SchemaError as error:
        return f"is not a JSON Schema: {error.message[:300]} at {error.json_path}"
    return ""


@functools.lru_cache(maxsize=256)
def _validator(text: str) -> Validator:
    validator: Validator = _Bounded(json.loads(text), registry=Registry())
    return validator


def _found(pattern: str, text: str) -> bool:
    return search(pattern, text.encode("utf-8", "replace"), _run.get().effort) is not None


def _pattern(_: Any, pattern: str, instance: Any, __: Any) -> _Errors:
    if isinstance(instance, str) and not _found(pattern, instance):
        yield ValidationError(f"does not match {pattern!r}")


def _pattern_properties(validator: Any, patterns: Any, instance: Any, _: Any) -> _Errors:
    if isinstance(instance, dict):
        for pattern, subschema in patterns.items():
            for name, value in instance.items():
                if _found(pattern, name):
                    yield from validator.descend(value, subschema, path=name, schema_path=pattern)


def _additional_properties(validator: Any, allowed: Any, instance: Any, schema: Any) -> _Errors:
    if not isinstance(instance, dict):
        return
    known, patterns = schema.get("properties", {}), schema.get("patternProperties", {})
    extra = [
        name
        for name in instance
        if name not in known and not any(_found(pattern, name) for pattern in patterns)
    ]
    if isinstance(allowed, dict):
        for name in extra:
            yield from validator.descend(instance[name], allowed, path=name)
    elif not allowed and extra:
        names = ", ".join(repr(name[:40]) for name in extra[:8])
        yield ValidationError(f"additional properties are not allowed: {names}")


def _unique_items(_: Any, unique: Any, instance: Any, __: Any) -> _Errors:
    """Compare canonical texts, in linear time; 1 and 1.0 are the same number."""
    if unique and isinstance(instance, list):
        run = _run.get()
        run.effort.spend(_QUOTE_STEPS * run.size)
        if len({_canonical(item) for item in instance}) < len(instance):
            yield ValidationError("has items that are repeated")


def _canonical(value: Any) -> str:
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, dict):
        members = sorted((json.dumps(key), _canonical(item)) for key, item in value.items())
        return "{" + ",".join(f"{key}:{item}" for key, item in members) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(_canonical, value)) + "]"
    return json.dumps(value)


def _counted(name: str, keyword: _Keyword) -> _Keyword:
    def counted(validator: Any, value: Any, instance: Any, schema: Any) -> _Errors:
        run = _run.get()
        run.enter()
        run.effort.spend(_KEYWORD_STEPS)
        if name in _GOES_THROUGH and isinstance(instance, (list, dict)):
            run.effort.spend(_MEMBER_STEPS * len(instance))
        if name in ("enum", "const"):
            run.effort.spend(MAX_SCHEMA)
        for error in keyword(validator, value, instance, schema) or ():
            run.effort.spend(_QUOTE_STEPS * run.size)
            yield error
        run.depth -= 1

    return counted


_OWN: dict[str, _Keyword] = {
    "pattern": _pattern,
    "patternProperties": _pattern_properties,
    "additionalProperties": _additional_properties,
    "uniqueItems": _unique_items,
}
_Bounded = extend(
    Draft202012Validator,
    {name: _counted(name, k) for name, k in {**Draft202012Validator.VALIDATORS, **_OWN}.items()},
)
