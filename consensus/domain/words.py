"""Words: the fixed sets of which a value is one."""

from enum import Enum


class Word(Enum):
    """One of a fixed set of words. Hashed by identity, as its members are compared: Enum's own
    hash is a call in Python, and a judgment looks up some twenty.
    """

    __hash__ = object.__hash__
