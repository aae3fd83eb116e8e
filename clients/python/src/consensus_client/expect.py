"""Arguments that nobody can mean, refused where they are given: what, its value, what it must be.

Values are shown where they are numbers; of anything else, which may be content, only the type.
"""

import math
from collections.abc import Callable, Collection, Iterable, Mapping
from numbers import Integral, Real
from types import UnionType
from typing import Any

from consensus_client.plain import listed

_LEAST_INTEGER, _MOST_INTEGER = -(2**31), 2**31 - 1
Kind = type | UnionType | tuple[Any, ...]
"""What isinstance() takes."""


def typed(name: str, given: object, kind: Kind, must: str) -> None:
    """Raise TypeError unless the argument is of this kind."""
    if not isinstance(given, kind):
        raise TypeError(f"{name} is {_shown(given)}; must be {must}")


def other_than(name: str, given: object, kind: Kind, must: str) -> None:
    """Raise TypeError where the argument is of this kind, which is easily taken for another."""
    if isinstance(given, kind):
        raise TypeError(f"{name} is {_shown(given)}; must be {must}")


def text(name: str, given: object, such_as: str = "") -> None:
    """Raise TypeError unless it is a text; ValueError where it is empty and need be `such_as`."""
    typed(name, given, str, f"a str, such as {such_as!r}" if such_as else "a str")
    if such_as and given == "":
        raise ValueError(f"{name} is empty; must be such as {such_as!r}")


def flag(name: str, given: object) -> None:
    """Raise TypeError unless it is True or False."""
    typed(name, given, bool, "True or False")


def whole(name: str, given: object, least: int, most: int | None = None) -> None:
    """Raise TypeError unless it is a whole number, ValueError out of range (both inclusive)."""
    allowed = f"at least {least}" if most is None else f"{least} to {most}"
    if isinstance(given, bool) or not isinstance(given, Integral):
        raise TypeError(f"{name} is {_shown(given)}; must be a whole number, {allowed}")
    if int(given) < least or (most is not None and int(given) > most):
        raise ValueError(f"{name} is {given}; must be {allowed}")


def number(name: str, given: object, least: float, most: float = math.inf) -> None:
    """Raise TypeError unless it is a number, ValueError unless it is finite and in range."""
    bounded = most < math.inf
    allowed = f"from {least:g} to {most:g}" if bounded else f"finite and at least {least:g}"
    value = _real(name, given, allowed)
    if not (least <= value <= most and value < math.inf):
        raise ValueError(f"{name} is {given}; must be {allowed}")


def real(name: str, given: object) -> None:
    """Raise TypeError unless it is a number; which ones are allowed is the server's to say."""
    _real(name, given, "")


def integer(name: str, given: object) -> None:
    """Raise TypeError unless it is a whole number, ValueError where a message cannot hold it; which
    ones are allowed is the server's to say.
    """
    whole(name, given, _LEAST_INTEGER, _MOST_INTEGER)


def texts(name: str, given: Iterable[str]) -> list[str]:
    """Return the texts as a list. Raises TypeError on other items, and on one text for a list."""
    typed(name, given, Iterable, "a list")
    found = list(listed(given, name))
    each(name, found, str, "a str")
    return found


def positive(name: str, given: object) -> None:
    """Raise TypeError unless it is a number, ValueError unless it is finite and above 0."""
    allowed = "finite and above 0"
    if not 0 < _real(name, given, allowed) < math.inf:
        raise ValueError(f"{name} is {given}; must be {allowed}")


def mapping(name: str, given: object, such_as: str) -> None:
    """Raise TypeError unless it is a mapping."""
    typed(name, given, Mapping, f"a mapping, such as {such_as}")


def each(name: str, given: Collection[object], kind: Kind, must: str) -> None:
    """Raise TypeError unless it is a collection of this kind; what can be read only once is none,
    since a run reads it in every turn.
    """
    listed(given, name)
    typed(name, given, Collection, "a list")
    for place, item in enumerate(given):
        typed(f"{name}[{place}]", item, kind, must)


def function(name: str, given: object) -> None:
    """Raise TypeError unless it can be called."""
    typed(name, given, Callable, "a function")  # type: ignore[arg-type]


def _real(name: str, given: object, allowed: str) -> float:
    if isinstance(given, bool) or not isinstance(given, Real):
        words = f"a number, {allowed}" if allowed else "a number"
        raise TypeError(f"{name} is {_shown(given)}; must be {words}")
    return float(given)


def _shown(given: object) -> str:
    if given is None or isinstance(given, bool | int | float):
        return repr(given)
    return f"of type {type(given).__name__}"
