"""Replies in prose, for models that cannot answer in JSON: the pattern that matches last counts.

A conclusion stands at the end, after whatever was quoted on the way; so the match that ends last
gives the score, and of several that end there the pattern that is listed first. No match, no score.
"""

from collections.abc import Sequence

import re2

from consensus.domain.judges import ProsePattern
from consensus.judges.llm.reading import MAX_CHARS, unreadable
from consensus.judges.llm.reply import Opinion

_BEGINS = r"(?:\A|[.,:;!?\n]|\b(?i:therefore|thus|hence|so|overall))\s*"
PAIRWISE = (
    ProsePattern(match=r"\A\s*Output \(a\)\.?\s*\z", score=1.0),
    ProsePattern(match=r"\A\s*Output \(b\)\.?\s*\z", score=0.0),
    ProsePattern(match=_BEGINS + r"Output \(a\) is better\.", score=1.0),
    ProsePattern(match=_BEGINS + r"Output \(b\) is better\.", score=0.0),
)
"""For judges that compare two outputs as LLMBar's do: 1 where they prefer the first.

A verdict is the whole reply or a clause of its own, full stop included: `neither Output (a) nor
Output (b) is better.`, `I doubt that Output (a) is better.` and a reply cut off say nothing.
"""


class ProseReader:
    """A set of patterns, compiled once."""

    def __init__(self, patterns: Sequence[ProsePattern]) -> None:
        """Compile them. Raises ValueError where RE2 takes one of them not."""
        options = re2.Options()
        options.log_errors = False
        options.never_capture = True
        self._patterns = []
        for pattern in patterns:
            # The greedy start finds the last match in one pass, linear in the text.
            whole = f"(?s:.*)(?:{pattern.match})".encode("utf-8", "surrogatepass")
            try:
                self._patterns.append((re2.compile(whole, options), pattern.score))
            except re2.error:
                raise ValueError("RE2 does not take a pattern") from None

    def read(self, text: str) -> Opinion:
        """Return what a reply in prose says. Raises JudgeFailed (UNREADABLE)."""
        if len(text) > MAX_CHARS:
            raise unreadable(f"the reply has more than {MAX_CHARS} characters")
        encoded = text.encode("utf-8", "replace")
        last, score = -1, 0.0
        for expression, worth in self._patterns:
            match = expression.match(encoded)
            if match is not None and match.end() > last:
                last, score = match.end(), worth
        if last < 0:
            raise unreadable("no pattern matches the reply")
        return Opinion(mode="patterns", score=score, confidence=None, reasoning=text)
