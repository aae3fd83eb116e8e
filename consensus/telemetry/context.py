"""The trace id of the call under way (W3C Trace Context)."""

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_PARENT = re.compile(r"[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}")
_NONE = "0" * 32

_trace_id: ContextVar[str] = ContextVar("trace_id", default="")


@contextmanager
def tracing(traceparent: str) -> Iterator[str]:
    """Set the trace id from a `traceparent` header, or a new one where it is absent or invalid."""
    match = _PARENT.fullmatch(traceparent)
    trace_id = match[1] if match and match[1] != _NONE else os.urandom(16).hex()
    token = _trace_id.set(trace_id)
    try:
        yield trace_id
    finally:
        _trace_id.reset(token)


def current_trace_id() -> str:
    """Return the trace id of the call under way, or an empty string."""
    return _trace_id.get()
