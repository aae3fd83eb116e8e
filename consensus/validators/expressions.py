"""Regular expressions on RE2: time linear in the text, memory bounded, whatever the pattern."""

import functools

import re2

from consensus.validators.effort import Effort

MAX_PATTERN = 1_000
"""Longest pattern, in characters."""
MAX_PROGRAM = 5_000
"""Largest compiled size, in RE2 instructions; `(a{1000}){4}` is refused, words are about 10."""
_MEMORY_BYTES = 1 << 18
"""Holds MAX_PROGRAM; with 1 MiB `(?:\\pL|\\pN|\\pS|\\pP){30}` takes 26 ms to compile, so 3.5 ms."""
_COMPILE_STEPS = 100
"""Steps for compiling one instruction; spent whether or not the expression is at hand, so that
the same submission always comes to the same end."""
_OVERHEAD_STEPS = 3_000
"""Steps for compiling and searching at all."""
_WORST_COMPILE_STEPS = 400_000
"""Steps for finding that an expression is too large."""
_TAME_PROGRAM = 15
"""Programs up to this size have too few states to leave RE2's fast engine, 3 ns a byte."""


class ExpressionError(ValueError):
    """An expression that RE2 does not take."""


@functools.lru_cache(maxsize=512)
def compiled(pattern: str) -> "re2._Regexp[bytes]":
    """Return the compiled expression. Raises ExpressionError with RE2's own words."""
    if not 1 <= len(pattern) <= MAX_PATTERN:
        raise ExpressionError(f"has {len(pattern)} characters; must have 1 to {MAX_PATTERN}")
    options = re2.Options()
    options.log_errors = False
    options.never_capture = True  # a group would force the slow engine, and nobody reads groups
    options.max_mem = _MEMORY_BYTES
    try:
        expression = re2.compile(pattern.encode("utf-8", "surrogatepass"), options)
    except re2.error as error:
        words: bytes = error.args[0]
        raise ExpressionError(words.decode("utf-8", "replace")) from None
    if expression.programsize > MAX_PROGRAM:
        raise ExpressionError(f"compiles to {expression.programsize} steps, {MAX_PROGRAM} at most")
    return expression


def require_sound(pattern: str, effort: Effort) -> None:
    """Raise ExpressionError if RE2 does not take the pattern, or EffortSpentError."""
    _compiled(pattern, effort)


def search(pattern: str, text: bytes, effort: Effort) -> str | None:
    """Return the first match in UTF-8 text, or None. Raises ExpressionError, EffortSpentError."""
    expression = _compiled(pattern, effort)
    size: int = expression.programsize
    effort.spend((size if size > _TAME_PROGRAM else 1) * len(text))
    match = expression.search(text)
    return None if match is None else match[0].decode("utf-8", "replace")


def _compiled(pattern: str, effort: Effort) -> "re2._Regexp[bytes]":
    effort.spend(_WORST_COMPILE_STEPS)
    expression = compiled(pattern)
    used = _OVERHEAD_STEPS + expression.programsize * _COMPILE_STEPS
    effort.give_back(_WORST_COMPILE_STEPS - used)
    return expression
