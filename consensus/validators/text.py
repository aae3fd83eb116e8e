"""The text that a check looks at, and what stands in it: fenced blocks and numbers."""

import json
import re
from collections.abc import Iterator

from consensus.domain.submission import Submission

_NUMBER = re.compile(
    r"[-+]?(?:\d{1,3}(?:,\d{3})+(?!\d)|\d+)(?:\.\d+)?(?:[eE][-+]?\d+)?|[-+]?\.\d+(?:[eE][-+]?\d+)?"
)
_TAIL = 5_000
_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})[ \t]*([^\s`]*)[^`\n]*$")


def target(submission: Submission, output: str) -> str | None:
    """Return the candidate, or the output of that key as text; None where there is none."""
    if not output:
        return submission.candidate
    if output not in submission.outputs:
        return None
    value = submission.outputs[output]
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def last_number(text: str) -> str:
    """Return the last number in `text` as written, thousands commas included, or an empty string.

    Looks at the end first: texts are long and answers stand last.
    """
    tail = len(text) - _TAIL
    found = list(_NUMBER.finditer(text, max(tail, 0)))
    if tail > 0 and (not found or found[-1].start() == tail):
        found = list(_NUMBER.finditer(text))
    return found[-1][0] if found else ""


def as_number(written: str) -> float:
    """Return the value of a number that `last_number` found."""
    return float(written.replace(",", ""))


def code_blocks(text: str) -> Iterator[tuple[str, str]]:
    """Yield (language tag in lower case, content) for each closed fenced code block."""
    fence, language, lines = "", "", list[str]()
    for line in text.splitlines():
        match = _FENCE.match(line)
        if not fence and match:
            fence, language, lines = match[1], match[2].lower(), []
        elif fence and match and not match[2] and match[1].startswith(fence):
            yield language, "\n".join(lines)
            fence = ""
        elif fence:
            lines.append(line)


def unfenced(text: str) -> str:
    """Return the content of the only code block where the text is nothing else, else the text."""
    stripped = text.strip()
    if stripped.startswith(("```", "~~~")):
        blocks = list(code_blocks(stripped))
        if len(blocks) == 1 and stripped.endswith(stripped[:3]):
            return blocks[0][1]
    return text
