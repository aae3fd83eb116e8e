"""JSON Schema (draft 2020-12) that hostile schemas and documents cannot hang or crash.

Patterns run on RE2, references stay inside the schema, every keyword costs effort, and what
needs the library's own backtracking expressions is refused.
"""

import functools
import json
from collections.abc import Callable, Iterator, Mapping
from contextvars import ContextVar
from typing import Any

from jsonschema import Draft202012Validator, SchemaError, ValidationError
from jsonschema.protocols import Validator
from jsonschema.validators import extend
from referencing import Registry
from referencing.exceptions import Unresolvable

from consensus.validators.effort import Effort
from consensus.validators.expressions import ExpressionError, compiled

KEYWORD_STEPS = 1_000
"""Effort of one keyword on one value, about 10 us."""
REFUSED = ("unevaluatedProperties", "unevaluatedItems", "$dynamicRef")
MAX_DEPTH = 32
"""Deepest nesting of a schema."""

_effort: ContextVar[Effort] = ContextVar("effort")
_Errors = Iterator[ValidationError]
_Keyword = Callable[[Any, Any, Any, Any], "_Errors | None"]


def _pattern(validator: Any, pattern: str, instance: Any, schema: Any) -> _Errors:
    if isinstance(instance, str):
        expression = compiled(pattern)
        _effort.get().spend(expression.programsize * len(instance))
        if not expression.search(instance):
            yield ValidationError(f"{instance!r} does not match {pattern!r}")


def _matching(patterns: Any, name: str) -> bool:
    return any(compiled(pattern).search(name) for pattern in patterns)


def _pattern_properties(validator: Any, patterns: Any, instance: Any, schema: Any) -> _Errors:
    if isinstance(instance, dict):
        for pattern, subschema in patterns.items():
            for name, value in instance.items():
                if compiled(pattern).search(name):
                    yield from validator.descend(value, subschema, path=name, schema_path=pattern)


def _additional_properties(validator: Any, allowed: Any, instance: Any, schema: Any) -> _Errors:
    if not isinstance(instance, dict):
        return
    known, patterns = schema.get("properties", {}), schema.get("patternProperties", {})
    extra = [name for name in instance if name not in known and not _matching(patterns, name)]
    if isinstance(allowed, dict):
        for name in extra:
            yield from validator.descend(instance[name], allowed, path=name)
    elif not allowed and extra:
        yield ValidationError(f"additional properties are not allowed: {', '.join(extra)}")


def _unique_items(validator: Any, unique: Any, instance: Any, schema: Any) -> _Errors:
    if unique and isinstance(instance, list):
        seen = {json.dumps(item, sort_keys=True) for item in instance}
        if len(seen) < len(instance):
            yield ValidationError(f"{len(instance) - len(seen)} items are repeated")


def _counted(keyword: _Keyword) -> _Keyword:
    def counted(validator: Any, value: Any, instance: Any, schema: Any) -> _Errors:
        size = len(instance) if isinstance(instance, (list, dict, str)) else 1
        _effort.get().spend(KEYWORD_STEPS + size)
        yield from keyword(validator, value, instance, schema) or ()

    return counted


_OWN: dict[str, _Keyword] = {
    "pattern": _pattern,
    "patternProperties": _pattern_properties,
    "additionalProperties": _additional_properties,
    "uniqueItems": _unique_items,
}
_Bounded = extend(
    Draft202012Validator,
    {name: _counted(fn) for name, fn in {**Draft202012Validator.VALIDATORS, **_OWN}.items()},
)


def schema_fault(schema: Mapping[str, object]) -> str:
    """Return what is wrong with a schema, or an empty string."""
    return _fault(json.dumps(schema, sort_keys=True))


@functools.lru_cache(maxsize=256)
def _fault(text: str) -> str:
    schema = json.loads(text)
    try:
        _scan(schema, 0)
        Draft202012Validator.check_schema(schema)
    except ExpressionError as error:
        return f"holds an expression that RE2 does not take: {error}"
    except SchemaError as error:
        return f"is not a JSON Schema: {error.message} at {error.json_path}"
    except ValueError as error:
        return str(error)
    return ""


def _scan(node: Any, depth: int) -> None:
    if depth > MAX_DEPTH:
        raise ValueError(f"is nested deeper than {MAX_DEPTH} levels")
    for key, value in node.items() if isinstance(node, dict) else enumerate(node):
        if key in REFUSED:
            raise ValueError(f"uses {key}, which is not supported")
        if key == "$ref" and isinstance(value, str) and not value.startswith("#"):
            raise ValueError(f"refers to {value!r}; references must start with '#'")
        if key == "pattern" and isinstance(value, str):
            compiled(value)
        if key == "patternProperties" and isinstance(value, dict):
            for pattern in value:
                compiled(pattern)
        if isinstance(value, (dict, list)):
            _scan(value, depth + 1)


def schema_errors(schema: Mapping[str, object], document: object, effort: Effort) -> str:
    """Return what is wrong with a document, or an empty string. Raises EffortSpentError."""
    token = _effort.set(effort)
    try:
        validator: Validator = _validator(json.dumps(schema, sort_keys=True))
        error = next(iter(validator.iter_errors(document)), None)
        return "" if error is None else f"{error.json_path}: {error.message}"
    except Unresolvable as problem:
        return f"the schema's reference {problem.ref!r} leads nowhere"
    except RecursionError:
        return "the schema or the document is nested too deep"
    finally:
        _effort.reset(token)


@functools.lru_cache(maxsize=256)
def _validator(text: str) -> Validator:
    validator: Validator = _Bounded(json.loads(text), registry=Registry())
    return validator
