"""Values that type checkers hold to be frozen and that cost no more than they must at run time.

A frozen dataclass sets every field through `object.__setattr__`, which takes three times as long; a
judgment makes some forty values, and that was a tenth of it.
"""

from enum import Enum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dataclasses import dataclass as value
else:
    from dataclasses import dataclass

    def value(*, frozen: bool, **options: Any) -> Any:
        """Make a dataclass that compares and hashes as a frozen one does."""
        return dataclass(unsafe_hash=frozen, **options)


class Word(Enum):
    """One of a fixed set of words. Hashed by identity, as its members are compared: Enum's own
    hash is a call in Python, and a judgment looks up some twenty.
    """

    __hash__ = object.__hash__


__all__ = ["Word", "value"]
