"""Deterministic checks of a tool call's arguments. Bounded in work; never raises on any input."""

import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NoReturn

from consensus.domain.decision import CheckResult
from consensus.domain.tools import ToolRule
from consensus.validators.checks import MAX_MESSAGE
from consensus.validators.effort import Effort, EffortSpentError
from consensus.validators.expressions import search

MAX_ARGUMENTS = 1_000_000
"""Longest arguments, in characters of JSON."""
MAX_LEVELS = 16
MAX_VALUES = 100_000
READABLE = "the arguments are a JSON object"
_SHOWN = 60
_SURROGATE = re.compile("[\\ud800-\\udfff]")
"""What `"\\ud800"` in JSON becomes, and no encoding takes."""
_PLAIN = (str, int, float, bool, type(None))


class ArgumentsError(ValueError):
    """Arguments that cannot be read, in words for the worker."""


def read_arguments(given: Mapping[str, object] | str) -> Mapping[str, object]:
    """Return the arguments as an object; an empty text is none. Raises ArgumentsError.

    A key that stands twice is refused: whoever runs the call may read the other one.
    """
    found = given
    if isinstance(given, str):
        if len(given) > MAX_ARGUMENTS:
            raise ArgumentsError(f"has {len(given)} characters; at most {MAX_ARGUMENTS}")
        try:
            found = _JSON.decode(given) if given.strip() else {}
        except RecursionError:
            raise ArgumentsError("is nested too deep") from None
        except ValueError as error:
            raise ArgumentsError(f"is not JSON: {error}") from None
    if not isinstance(found, Mapping):
        raise ArgumentsError("is JSON, and no object")
    _require_bounded(found)
    text = _text(found)
    if len(text) > MAX_ARGUMENTS:
        raise ArgumentsError(f"has more than {MAX_ARGUMENTS} characters as JSON")
    if not text.isascii() and _SURROGATE.search(text):
        raise ArgumentsError("holds half a character")
    return found


def argument_checks(rule: ToolRule, arguments: Mapping[str, object]) -> list[CheckResult]:
    """Return one result for the schema and one for each denied expression, in order.

    They share one effort; a check that it does not cover does not hold, and says so.
    """
    effort, text = Effort(), _text(arguments)
    results = []
    if rule.json_schema is not None:
        results.append(_schema(rule.json_schema, arguments, len(text), effort))
    if rule.deny:
        places = _searched(arguments)
        results += [_denied(pattern, places, effort) for pattern in rule.deny]
    return results


def _schema(
    schema: Mapping[str, object], arguments: Mapping[str, object], size: int, effort: Effort
) -> CheckResult:
    from consensus.validators.schema import document_fault  # 75 ms: not at every start

    name = "the arguments are accepted by their schema"
    try:
        fault = document_fault(schema, arguments, size, effort)
    except EffortSpentError:
        return _unchecked(name)
    return CheckResult(name, not fault, fault[:MAX_MESSAGE] or "accepted")


def _denied(pattern: str, places: Mapping[str, str], effort: Effort) -> CheckResult:
    shown = pattern if len(pattern) <= _SHOWN else pattern[: _SHOWN - 1] + "…"
    name = f"no argument matches /{shown}/"
    try:
        for text, place in places.items():
            if search(pattern, text.encode(), effort) is not None:
                return CheckResult(name, False, f"{place} matches")
    except EffortSpentError:
        return _unchecked(name)
    return CheckResult(name, True, "no match")


def _unchecked(name: str) -> CheckResult:
    return CheckResult(name, False, "not checked: it takes more work than one call may")


def _searched(arguments: Mapping[str, object]) -> dict[str, str]:
    """Return every text that expressions look at, once, with its place for the worker."""
    found: dict[str, str] = {}
    for text, place in _texts(arguments, "arguments"):
        found.setdefault(text, place)
    return found


def _texts(value: object, place: str) -> Iterator[tuple[str, str]]:
    match value:
        case Mapping():
            for key, item in value.items():
                here = f"{place}.{key[:_SHOWN]}"
                yield key, f"the key {here}"
                yield from _texts(item, here)
        case list():
            if len(value) > 1 and all(isinstance(item, _PLAIN) for item in value):
                yield " ".join(map(_plain, value)), place  # ["rm", "-rf"] is a command as well
            for index, item in enumerate(value):
                yield from _texts(item, f"{place}[{index}]")
        case _:
            yield _plain(value), place


def _plain(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, default=repr)


def _text(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, default=repr)


def _require_bounded(arguments: Mapping[str, object]) -> None:
    """Go through the values level by level. Raises ArgumentsError."""
    level: list[Any] = [arguments]
    count = 0
    for _ in range(MAX_LEVELS + 1):
        count += len(level)
        if count > MAX_VALUES:
            raise ArgumentsError(f"has more than {MAX_VALUES} values")
        if any(isinstance(value, float) and not math.isfinite(value) for value in level):
            raise ArgumentsError("has a number that is not finite")
        level = [item for value in level for item in _members(value)]
        if not level:
            return
    raise ArgumentsError(f"is nested deeper than {MAX_LEVELS} levels")


def _members(value: object) -> Iterable[object]:
    if isinstance(value, Mapping):
        return value.values()
    return value if isinstance(value, list) else ()


def _without_doubles(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found: dict[str, object] = {}
    for key, item in pairs:
        if key in found:
            raise ValueError(f"the key {key[:_SHOWN]!r} stands twice")
        found[key] = item
    return found


def _refused(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a JSON number")


_JSON = json.JSONDecoder(object_pairs_hook=_without_doubles, parse_constant=_refused)
