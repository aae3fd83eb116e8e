"""The trace id of the call under way (W3C Trace Context)."""

import re
from contextvars import ContextVar

from consensus.domain.ids import random_hex

_PARENT = re.compile(r"(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}")

_trace_id: ContextVar[str] = ContextVar("trace_id", default="")


def begin_trace(traceparent: str) -> str:
    """Set the trace id from a `traceparent` header, or a new one where it is absent or invalid.

    Holds for the present task and those that it starts.
    """
    match = _PARENT.fullmatch(traceparent) if traceparent else None
    trace_id = match[1] if match else random_hex()
    _trace_id.set(trace_id)
    return trace_id


def current_trace_id() -> str:
    """Return the trace id of the call under way, or an empty string."""
    return _trace_id.get()
