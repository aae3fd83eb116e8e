"""Regular expressions on RE2: time linear in the text, memory bounded, whatever the pattern."""

import functools

import re2

MAX_PROGRAM = 5_000
"""Largest compiled size, in RE2 instructions; `(a{1000}){1000}` is refused, words are about 10."""
_MEMORY_BYTES = 1 << 20


class ExpressionError(ValueError):
    """An expression that RE2 does not take."""


@functools.lru_cache(maxsize=512)
def compiled(pattern: str) -> "re2._Regexp[str]":
    """Return the compiled expression. Raises ExpressionError with RE2's own words."""
    options = re2.Options()
    options.log_errors = False
    options.max_mem = _MEMORY_BYTES
    try:
        expression = re2.compile(pattern, options)
    except re2.error as error:
        text = error.args[0] if error.args else error
        words = text.decode("utf-8", "replace") if isinstance(text, bytes) else str(text)
        raise ExpressionError(words) from None
    if expression.programsize > MAX_PROGRAM:
        raise ExpressionError(f"compiles to {expression.programsize} steps, {MAX_PROGRAM} at most")
    return expression
