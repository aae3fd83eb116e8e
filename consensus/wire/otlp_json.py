"""OTLP/JSON to spans: ids in hexadecimal, whole numbers as numbers or texts, lowerCamelCase.

By hand: protobuf's own reader of JSON takes a millisecond for a span of eight attributes, this
a fifteenth of that.
"""

import base64
import contextlib
import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import TypeVar

from consensus.domain.errors import TraceUnusable
from consensus.domain.trace import Span, SpanEvent

MAX_NESTING = 60
"""Lists and objects in the value of an attribute; protobuf allows about as many."""
_MAX_NS = 2**64 - 1
_COUNTED = (b"{", b"[", b"null")
"""Nothing is looked at more closely that does not begin so. They are counted in texts too, for
that is quick, and few texts have so many.
"""
_HEXADECIMAL = re.compile("[0-9a-f]+")
_WHOLE = re.compile("-?[0-9]{1,20}")
_HALVES = re.compile("[\ud800-\udfff]")
"""Half characters: JSON can write them, nothing that we write can."""
_BLANK = re.compile(r"\s*")
_ERRORS = (2, "STATUS_CODE_ERROR")
_Object = Mapping[str, object]
_T = TypeVar("_T")


class _WrongError(Exception):
    """A value that is not what it must be; says what it is and what it must be."""


def json_spans(data: bytes, most_values: int) -> Iterator[Span]:
    """Yield the spans of one JSON document, or of several that follow each other, as collectors
    write them to files. Fields that are not known are skipped.

    Raises TraceUnusable with the place of what is wrong.
    """
    if sum(map(data.count, _COUNTED)) > most_values or data.count(b",") > 2 * most_values:
        raise TraceUnusable("", f"has more than {most_values} objects and lists")
    for document in _documents(data):
        if not isinstance(document, dict) or "resourceSpans" not in document:
            raise TraceUnusable("resourceSpans", "is missing; the JSON is no OTLP trace")
        for resource, where in _objects(document, "resourceSpans", ""):
            for scope, inner in _objects(resource, "scopeSpans", f"{where}."):
                for span, place in _objects(scope, "spans", f"{inner}."):
                    yield _span(span, place)


def _documents(data: bytes) -> Iterator[object]:
    try:
        text = data.decode("utf-8-sig")
        at = _skipped(text, 0)
        while at < len(text):
            document, at = _DECODER.raw_decode(text, at)
            at = _skipped(text, at)
            yield document
    except UnicodeDecodeError as error:
        raise TraceUnusable("", f"is not UTF-8 at byte {error.start}") from None
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise TraceUnusable("", f"is not JSON at {place}: {error.msg}") from None
    except RecursionError:
        raise TraceUnusable("", "is JSON that is nested too deep") from None
    except ValueError:  # Python reads no whole number of more than 4,300 digits
        raise TraceUnusable("", "holds a number that is too long") from None


def _as_it_is(found: object) -> object:
    """Return `found`. Where Python runs, another thread may: without this, reading four megabytes
    would hold up the event loop for a tenth of a second.
    """
    return found


_DECODER = json.JSONDecoder(object_hook=_as_it_is)


def _skipped(text: str, at: int) -> int:
    blank = _BLANK.match(text, at)
    return blank.end() if blank else at


def _objects(holder: _Object, key: str, where: str) -> Iterator[tuple[_Object, str]]:
    for index, item in enumerate(_field(holder, key, _list, where)):
        place = f"{where}{key}[{index}]"
        if not isinstance(item, dict):
            raise TraceUnusable(place, f"is {_kind(item)}; must be an object")
        yield item, place


def _field(holder: _Object, key: str, read: Callable[[object], _T], where: str) -> _T:
    try:
        return read(holder.get(key))
    except _WrongError as wrong:
        raise TraceUnusable(f"{where}{key}", str(wrong)) from None


def _span(span: _Object, where: str) -> Span:
    where = f"{where}."
    status = _field(span, "status", _object, where)
    events = [
        SpanEvent(
            _field(event, "name", _text, f"{place}."),
            _field(event, "attributes", _attributes, f"{place}."),
        )
        for event, place in _objects(span, "events", where)
    ]
    return Span(
        trace_id=_field(span, "traceId", _trace_id, where),
        span_id=_field(span, "spanId", _span_id, where),
        parent_id=_field(span, "parentSpanId", _parent_id, where),
        name=_field(span, "name", _text, where),
        start_ns=_field(span, "startTimeUnixNano", _nanoseconds, where),
        end_ns=_field(span, "endTimeUnixNano", _nanoseconds, where),
        attributes=_field(span, "attributes", _attributes, where),
        events=tuple(events),
        failed=status.get("code") in _ERRORS,
        message=_field(status, "message", _text, f"{where}status."),
    )


def _kind(value: object) -> str:
    return f"of type {type(value).__name__}"


def _list(value: object) -> list[object]:
    if value is None:
        return []
    if not isinstance(value, list):
        raise _WrongError(f"is {_kind(value)}; must be a list")
    return value


def _object(value: object) -> _Object:
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise _WrongError(f"is {_kind(value)}; must be an object")
    return value


def _text(value: object) -> str:
    if value is None:
        return ""
    if not isinstance(value, str):
        raise _WrongError(f"is {_kind(value)}; must be a text")
    return value if value.isascii() else _HALVES.sub("\N{REPLACEMENT CHARACTER}", value)


def _trace_id(value: object) -> str:
    return _id(value, 32)


def _span_id(value: object) -> str:
    return _id(value, 16)


def _parent_id(value: object) -> str:
    return _id(value, 16) if _text(value).strip("0") else ""


def _id(value: object, digits: int) -> str:
    given = _text(value).lower()
    if len(given) != digits or not _HEXADECIMAL.fullmatch(given) or not given.strip("0"):
        raise _WrongError(f"is {given[:40]!r}; must be {digits} hexadecimal digits, not all 0")
    return given


def _nanoseconds(value: object) -> int:
    number = 0 if value is None else _whole(value)
    if not 0 <= number <= _MAX_NS:
        raise _WrongError(f"is {str(number)[:40]}; must be 0 to {_MAX_NS}")
    return number


def _whole(value: object) -> int:
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    if isinstance(value, str) and _WHOLE.fullmatch(value):
        return int(value)
    shown = repr(value[:40]) if isinstance(value, str) else _kind(value)
    raise _WrongError(f"is {shown}; must be a whole number")


def _attributes(value: object, depth: int = 0) -> dict[str, object]:
    found: dict[str, object] = {}
    for item in _list(value):
        pair = _object(item)
        found.setdefault(_text(pair.get("key")), _value(pair.get("value"), depth))
    return found


def _value(value: object, depth: int) -> object:
    if depth > MAX_NESTING:
        raise _WrongError(f"is nested more than {MAX_NESTING} deep")
    for kind, content in _object(value).items():
        if kind == "stringValue":
            return _text(content)
        if kind == "arrayValue":
            return [_value(item, depth + 1) for item in _list(_object(content).get("values"))]
        if kind == "kvlistValue":
            return _attributes(_object(content).get("values"), depth + 1)
        if kind in _SCALARS:
            return _SCALARS[kind](content)
    return None


def _truth(value: object) -> bool:
    if not isinstance(value, bool):
        raise _WrongError(f"is {_kind(value)}; must be true or false")
    return value


def _number(value: object) -> float:
    if isinstance(value, int | float | str) and not isinstance(value, bool):
        with contextlib.suppress(ValueError, OverflowError):
            return float(value)
    raise _WrongError("is no number")


def _bytes(value: object) -> bytes:
    try:
        return base64.b64decode(_text(value), validate=True)
    except ValueError:
        raise _WrongError("is not base64") from None


_SCALARS: Mapping[str, Callable[[object], object]] = {
    "boolValue": _truth,
    "intValue": _whole,
    "doubleValue": _number,
    "bytesValue": _bytes,
}
