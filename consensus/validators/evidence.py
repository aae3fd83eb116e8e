"""Locates quotations in the submission: exactly, or with white space and quote marks evened out."""

import re

from consensus.domain.gradient import Evidence
from consensus.domain.submission import Submission
from consensus.domain.trace import Span
from consensus.traces import message_text, span_text
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
_TELL_STEPS = 2
_SPAN_ID = re.compile("[0-9a-f]{8,16}")
_INDEXED = 8
"""Digits of a span id that every reference has."""
_Place = int | str | None
"""Index of a message, id of a span, or None: the candidate and the outputs."""


class Locator:
    """Finds quotations in one submission. What it reads and evens out, it keeps.

    Its searches share one effort; a quotation that it does not cover counts as not found.
    """

    def __init__(self, submission: Submission) -> None:
        self._submission = submission
        self._effort = Effort()
        self._read: dict[_Place, list[str]] = {}
        self._evened: dict[_Place, list[str]] = {}
        self._told: dict[int, list[str]] = {}
        self._spans: dict[str, dict[tuple[str, str], Span]] = {}

    def holds(self, evidence: Evidence) -> bool:
        """Tell whether the quotation stands where the evidence says; an empty one does not."""
        if not evidence.quote.strip():
            return False
        place = evidence.span_id or evidence.message_index
        try:
            if any(self._stands(evidence.quote, text) for text in self._texts(place)):
                return True
            quote = self._even(evidence.quote)
            if any(self._stands(quote, text) for text in self._evenly(place)):
                return True
            return any(self._stands(evidence.quote, text) for text in self._as_told(place))
        except EffortSpentError:
            return False

    def _stands(self, quote: str, text: str) -> bool:
        if len(quote) > len(text):
            return False
        self._effort.spend(search_steps(text, quote))
        return quote in text

    def _texts(self, place: _Place) -> list[str]:
        if place not in self._read:
            self._read[place] = self._find(place)
        return self._read[place]

    def _find(self, place: _Place) -> list[str]:
        submission = self._submission
        if place is None:
            outputs = [target(submission, key) or "" for key in submission.outputs]
            stderr = [submission.process.stderr] if submission.process else []
            return [submission.candidate, *outputs, *stderr]
        if isinstance(place, str):
            return self._span(place)
        if 0 <= place < len(submission.messages):
            return [submission.messages[place].content]
        return []

    def _span(self, span_id: str) -> list[str]:
        """Return the text of the one span whose id begins so."""
        if not _SPAN_ID.fullmatch(span_id):
            return []
        if not self._spans:
            for span in self._submission.trace:
                known = self._spans.setdefault(span.span_id[:_INDEXED], {})
                known[span.trace_id, span.span_id] = span
        known = self._spans.get(span_id[:_INDEXED], {})
        found = [span for span in known.values() if span.span_id.startswith(span_id)]
        if len(found) != 1:
            return []
        text = span_text(found[0])
        self._effort.spend(len(text) * _TELL_STEPS)
        return [text]

    def _as_told(self, place: _Place) -> list[str]:
        """Return a message as judges read it who looked it up: in one line, its JSON opened."""
        if not isinstance(place, int):
            return []
        if place not in self._told:
            texts = self._texts(place)
            for text in texts:
                self._effort.spend(len(text) * _TELL_STEPS)
            self._told[place] = [message_text(text) for text in texts]
        return self._told[place]

    def _evenly(self, place: _Place) -> list[str]:
        if place not in self._evened:
            self._evened[place] = [self._even(text) for text in self._texts(place)]
        return self._evened[place]

    def _even(self, text: str) -> str:
        self._effort.spend(len(text) * _EVEN_STEPS)
        if not text.isascii():
            for plain, marks in _EVENED.items():
                for mark in marks:
                    text = text.replace(mark, plain)
        return " ".join(text.split())
