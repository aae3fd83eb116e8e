"""Locates quotations in the submission: exactly, or with white space and quote marks evened out."""

from consensus.domain.gradient import Evidence
from consensus.domain.submission import Submission
from consensus.validators.effort import Effort, EffortSpentError
from consensus.validators.reading import search_steps
from consensus.validators.text import target

_EVENED = {
    '"': "\N{LEFT DOUBLE QUOTATION MARK}\N{RIGHT DOUBLE QUOTATION MARK}"
    "\N{DOUBLE LOW-9 QUOTATION MARK}\N{LEFT-POINTING DOUBLE ANGLE QUOTATION MARK}"
    "\N{RIGHT-POINTING DOUBLE ANGLE QUOTATION MARK}",
    "'": "\N{LEFT SINGLE QUOTATION MARK}\N{RIGHT SINGLE QUOTATION MARK}",
    "-": "\N{EN DASH}\N{EM DASH}",
}
"""Plain marks, and the marks that count as the same."""
_EVEN_STEPS = 4


class Locator:
    """Finds quotations in one submission. What it reads and evens out, it keeps.

    Its searches share one effort; a quotation that it does not cover counts as not found.
    """

    def __init__(self, submission: Submission) -> None:
        self._submission = submission
        self._effort = Effort()
        self._read: dict[int | None, list[str]] = {}
        self._evened: dict[int | None, list[str]] = {}

    def holds(self, evidence: Evidence) -> bool:
        """Tell whether the quotation stands where the evidence says; an empty one does not."""
        if not evidence.quote.strip():
            return False
        try:
            texts = self._texts(evidence.message_index)
            if any(self._stands(evidence.quote, text) for text in texts):
                return True
            quote = self._even(evidence.quote)
            return any(self._stands(quote, text) for text in self._evenly(evidence.message_index))
        except EffortSpentError:
            return False

    def _stands(self, quote: str, text: str) -> bool:
        if len(quote) > len(text):
            return False
        self._effort.spend(search_steps(text, quote))
        return quote in text

    def _texts(self, index: int | None) -> list[str]:
        if index not in self._read:
            self._read[index] = self._find(index)
        return self._read[index]

    def _find(self, index: int | None) -> list[str]:
        submission = self._submission
        if index is None:
            outputs = [target(submission, key) or "" for key in submission.outputs]
            stderr = [submission.process.stderr] if submission.process else []
            return [submission.candidate, *outputs, *stderr]
        if 0 <= index < len(submission.messages):
            return [submission.messages[index].content]
        return []

    def _evenly(self, index: int | None) -> list[str]:
        if index not in self._evened:
            self._evened[index] = [self._even(text) for text in self._texts(index)]
        return self._evened[index]

    def _even(self, text: str) -> str:
        self._effort.spend(len(text) * _EVEN_STEPS)
        if not text.isascii():
            for plain, marks in _EVENED.items():
                for mark in marks:
                    text = text.replace(mark, plain)
        return " ".join(text.split())
