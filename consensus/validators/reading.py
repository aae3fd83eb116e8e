"""One text as checks read it: each thing in it is worked out once, and paid for once."""

import functools
import json
import math
from typing import NoReturn

from consensus.validators.effort import Effort
from consensus.validators.text import code_blocks, last_number, unfenced, word_count

SEARCH_STEPS = 2
"""Characters that a search for a string passes in one step, in long texts."""
_SHORT = 30_000
_SHORT_STEPS = 44
"""In texts shorter than _SHORT a search may compare every character of the string every time."""
_WORD_STEPS = 3


class Reading:
    """A text and what stands in it. Everything raises EffortSpentError."""

    def __init__(self, text: str, effort: Effort) -> None:
        self.text = text
        self._effort = effort

    def holds(self, value: str) -> bool:
        """Tell whether `value` stands in the text."""
        self._effort.spend(search_steps(self.text, value))
        return value in self.text

    @functools.cached_property
    def encoded(self) -> bytes:
        """The text in UTF-8."""
        self._effort.spend(len(self.text) // 4)
        return self.text.encode("utf-8", "replace")

    @functools.cached_property
    def word_count(self) -> int:
        """Words between white space."""
        self._effort.spend(len(self.text) * _WORD_STEPS)
        return word_count(self.text)

    @functools.cached_property
    def last_number(self) -> str:
        """The last number as written, or an empty string."""
        return last_number(self.text, self._effort)

    @functools.cached_property
    def code(self) -> dict[str, str]:
        """First line of the first closed code block by language; empty where all are empty."""
        first: dict[str, str] = {}
        for language, content in code_blocks(self.text, self._effort):
            if not first.get(language):
                first[language] = content.strip().partition("\n")[0]
        return first

    @functools.cached_property
    def document(self) -> tuple[object, str]:
        """The text, less a code fence, as a JSON value, and why it is none."""
        text = unfenced(self.text, self._effort)
        self._effort.spend(len(text) // 2)
        self._effort.spend(_json_steps(text))
        try:
            return _JSON.decode(text), ""
        except (ValueError, RecursionError) as error:
            return None, str(error)


def search_steps(text: str, value: str) -> int:
    """Return the steps of the worst search for a string of that length in a text of that length."""
    short = len(text) * len(value) // _SHORT_STEPS if len(text) < _SHORT else 0
    return len(text) // SEARCH_STEPS + short


def _json_steps(text: str) -> int:
    """Return the steps of parsing JSON: by its arrays, objects, items and written fractions."""
    fractions = sum(text.count(sign) for sign in ".eE")
    items = 10 * text.count(",") + 40 * text.count("[") + 15 * text.count("{")
    return len(text) + items + 25 * fractions


def _number(written: str) -> float:
    """Read a number with a fraction or an exponent; whole ones become integers."""
    value = float(written)
    if math.isinf(value):
        raise ValueError(f"the number {written[:40]} is too large")
    return int(value) if value.is_integer() and abs(value) < 1 << 53 else value


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a JSON number")


_JSON = json.JSONDecoder(parse_float=_number, parse_constant=_refuse_constant)
