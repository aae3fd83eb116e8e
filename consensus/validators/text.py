"""The text that a check looks at, and what stands in it: words, fenced blocks and numbers."""

import json
import math
import re
from decimal import Decimal

from consensus.domain.submission import CheckTarget, Submission
from consensus.validators.effort import Effort

_SIGN = r"(?:(?<![\w)])[-+\u2212])?"
"""A sign, unless it stands between two things: 3-5 ends on 5, not on -5."""
_NUMBER = re.compile(
    _SIGN + r"(?:(?:\d{1,3}(?:,\d{3})+(?!\d)|\d+)(?:\.\d+)?|\.\d+)(?:[eE][-+]?\d+)?"
)
_LAST_DIGIT = re.compile(r".*\d", re.DOTALL)
_LAST_APART = re.compile(r".*[^\d.,eE+\u2212-]", re.DOTALL)
"""Everything up to the last character that no number holds."""
_DIGIT_STEPS = 3
_NUMBER_STEPS = 35
_FENCE = re.compile(r"^ {0,3}(`{3,}+|~{3,}+)[ \t]*+([^\s`]*+)[^`\n]*+$", re.MULTILINE)
_LINE_STEPS = 20
_FENCE_STEPS = 80
_CHUNK = 1 << 16


def target(
    submission: Submission, output: str, place: CheckTarget = CheckTarget.CANDIDATE
) -> str | None:
    """Return the output of that key as text, or without a key what stands at `place`; None where
    there is none.
    """
    if not output:
        if place is CheckTarget.CANDIDATE:
            return submission.candidate
        return submission.process.stderr if submission.process else None
    if output not in submission.outputs:
        return None
    value = submission.outputs[output]
    try:
        return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError):
        return None


def last_number(text: str, effort: Effort) -> str:
    """Return the last number in `text` as written, thousands commas included, or an empty string.

    Reads from the last digit back to where no number can be under way: texts are long and answers
    stand last.
    """
    effort.spend(_DIGIT_STEPS * len(text))
    last = _LAST_DIGIT.match(text)
    if last is None:
        return ""
    apart = _LAST_APART.match(text, 0, last.end())
    start = apart.end() if apart else 0
    effort.spend(_NUMBER_STEPS * (last.end() - start))
    found = ""
    for match in _NUMBER.finditer(text, start, last.end()):
        found = match[0]
    return found


def near(written: str, value: float, tolerance: float) -> bool:
    """Tell whether a number that `last_number` found is within `tolerance`, inclusive, of `value`.

    Reckons in decimals, as people read them: 1.1 is within 0.1 of 1.
    """
    found = float(written.replace(",", "").replace("\N{MINUS SIGN}", "-"))
    if found == value:
        return tolerance >= 0
    if not all(math.isfinite(number) for number in (found, value, tolerance)):
        return False
    return abs(Decimal(repr(found)) - Decimal(repr(value))) <= Decimal(repr(tolerance))


def word_count(text: str) -> int:
    """Count the words between white space, chunk by chunk to spare memory."""
    total = 0
    for start in range(0, len(text), _CHUNK):
        chunk = text[start : start + _CHUNK]
        total += len(chunk.split())
        if start and not (text[start - 1].isspace() or chunk[0].isspace()):
            total -= 1
    return total


def code_blocks(text: str, effort: Effort) -> list[tuple[str, str]]:
    """Return (language tag in lower case, content) of each closed fenced code block."""
    effort.spend(len(text) // 2)
    if "```" not in text and "~~~" not in text:
        return []
    fences = text.count("```") + text.count("~~~")
    effort.spend(len(text) + _LINE_STEPS * text.count("\n") + _FENCE_STEPS * fences)
    blocks: list[tuple[str, str]] = []
    opened: re.Match[str] | None = None
    for line in _FENCE.finditer(text):
        if opened is None:
            opened = line
        elif not line[2] and line[1].startswith(opened[1]):
            content = text[opened.end() + 1 : max(line.start() - 1, opened.end() + 1)]
            blocks.append((opened[2].lower(), content))
            opened = None
    return blocks


def unfenced(text: str, effort: Effort) -> str:
    """Return the content of the only code block where the text is nothing else, else the text."""
    stripped = text.strip()
    if stripped.startswith(("```", "~~~")):
        blocks = code_blocks(stripped, effort)
        if len(blocks) == 1 and stripped.endswith(stripped[:3]):
            return blocks[0][1]
    return text
