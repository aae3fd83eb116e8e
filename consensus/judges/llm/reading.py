"""Reads the JSON object of a reply, and nothing else: no prose, no half an object.

Three readings, each tried only where the one before failed: as it stands (`strict`); less a code
fence around the whole of it (`fenced`); with trailing commas dropped and typographic quote marks
around names and strings made plain (`repaired`). None of them adds a character that would complete
what was cut off, so no beginning of a reply ever reads as a reply.
"""

import json
import math
import re
from collections.abc import Mapping, Sequence
from typing import NoReturn

from consensus.domain.errors import JudgeFailed
from consensus.domain.gradient import FailureKind

MAX_CHARS = 1 << 20
"""A longer reply is none."""
MAX_REPAIRED_CHARS = 1 << 16
"""A longer one must be JSON as it stands: mending it would hold up every other call."""
_FENCE = re.compile(r"(`{3,}+|~{3,}+)[^\S\n]*+[\w+-]*+[^\S\n]*+\n(.*)\n[^\S\n]*+\1", re.DOTALL)
_PLAIN_STRING = r'"(?:[^"\\]|\\.)*+"?+'
_TYPOGRAPHIC_STRING = r"[“”„]((?:[^“”„\"\\]|\\.)*+)([“”„]?+)"
_REPAIRABLE = re.compile(rf"{_PLAIN_STRING}|{_TYPOGRAPHIC_STRING}|,(?=\s*+[}}\]])", re.DOTALL)
"""Whole strings are passed over, closed or not, so that it takes time linear in the text."""


def read_object(text: str) -> tuple[Mapping[str, object], str]:
    """Return the JSON object that a reply is, and how it was read. Raises JudgeFailed."""
    if len(text) > MAX_CHARS:
        raise unreadable(f"the reply has more than {MAX_CHARS} characters")
    bare = text.strip("\ufeff \t\r\n")
    if (found := _decoded(bare)) is not None:
        return found, "strict"
    fence = _FENCE.fullmatch(bare)
    inner = fence[2] if fence else bare
    if fence and (found := _decoded(inner)) is not None:
        return found, "fenced"
    if len(inner) <= MAX_REPAIRED_CHARS:
        found = _decoded(_REPAIRABLE.sub(_repair, inner))
        if found is not None:
            return found, "repaired"
    raise unreadable("the reply is not one JSON object")


def unreadable(reason: str) -> JudgeFailed:
    """Return the failure of a reply that breaks its form; `reason` repeats nothing of it."""
    return JudgeFailed(FailureKind.UNREADABLE, reason)


def _decoded(text: str) -> Mapping[str, object] | None:
    try:
        found = _JSON.decode(text)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _repair(found: re.Match[str]) -> str:
    if found[0] == ",":
        return ""
    return f'"{found[1]}"' if found[2] else found[0]


def _object(pairs: Sequence[tuple[str, object]]) -> dict[str, object]:
    known = dict(pairs)
    if len(known) != len(pairs):
        raise ValueError("a name stands twice")
    return known


def _number(written: str) -> float:
    value = float(written)
    if math.isinf(value):
        raise ValueError("a number is too large")
    return value


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a JSON number")


_JSON = json.JSONDecoder(
    object_pairs_hook=_object, parse_float=_number, parse_constant=_refuse_constant
)
