"""What stands in a text that the sandbox is to prove: its query, its code or its URLs."""

import re

from consensus.domain.submission import Check, CodeRun, SqlQuery, Submission
from consensus.validators.effort import Effort
from consensus.validators.text import code_blocks, target

MAX_SUBJECT = 200_000
"""Most characters of a query, of code or of a URL; more is not proven."""
MAX_FOUND = 64
"""Most different URLs that are looked for in a text."""
MAX_URL = 2_000
_URL = re.compile(r"""https?://[^\s<>"'`\\{}|^]{1,2001}""", re.IGNORECASE)
_URL_STEPS = 8
_TRAILING = ".,;:!?*_"
_BRACKETS = {")": "(", "]": "["}


def subjects(check: Check, submission: Submission, effort: Effort) -> tuple[str, ...]:
    """Return what a check that needs the sandbox is to prove, verbatim: one query, one piece of
    code, or URLs each once.

    Nothing where the text holds none. Raises EffortSpentError.
    """
    text = target(submission, check.output, check.target)
    if text is None:
        return ()
    match check.kind:
        case SqlQuery():
            blocks = code_blocks(text, effort)
            tagged = [content for language, content in blocks if language == "sql"]
            return _one(tagged[-1] if tagged else text)
        case CodeRun(language):
            blocks = code_blocks(text, effort)
            tagged = [content for tag, content in blocks if tag == language.lower()]
            return _one(tagged[-1]) if tagged else ()
        case _:
            return _urls(text, effort)


def _one(text: str) -> tuple[str, ...]:
    return (text,) if text.strip() and len(text) <= MAX_SUBJECT else ()


def _urls(text: str, effort: Effort) -> tuple[str, ...]:
    effort.spend(len(text) * _URL_STEPS)
    found: dict[str, None] = {}
    for match in _URL.finditer(text):
        found[_trimmed(match[0])] = None
        if len(found) == MAX_FOUND:
            break
    return tuple(found)


def _trimmed(url: str) -> str:
    """Return a URL without the sentence's own punctuation behind it."""
    end = len(url)
    spare = {last: url.count(last) - url.count(first) for last, first in _BRACKETS.items()}
    while (last := url[end - 1]) in _TRAILING or spare.get(last, 0) > 0:
        if last in spare:
            spare[last] -= 1
        end -= 1
    return url[:end]
