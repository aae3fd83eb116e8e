"""Locates quotations in the submission: exactly, or with white space and quote marks evened out."""

from consensus.domain.gradient import Evidence
from consensus.domain.submission import Submission
from consensus.validators.text import target

_EVENED = str.maketrans(
    {"“": '"', "”": '"', "„": '"', "«": '"', "»": '"', "‘": "'", "’": "'", "–": "-", "—": "-"}
)


class Locator:
    """Finds quotations in one submission. What it evens out, it keeps."""

    def __init__(self, submission: Submission) -> None:
        self._submission = submission
        self._evened: dict[int | None, list[str]] = {}

    def holds(self, evidence: Evidence) -> bool:
        """Tell whether the quotation stands where the evidence says; an empty one does not."""
        texts = self._texts(evidence.message_index)
        if not evidence.quote.strip():
            return False
        if any(evidence.quote in text for text in texts):
            return True
        if evidence.message_index not in self._evened:
            self._evened[evidence.message_index] = [_even(text) for text in texts]
        quote = _even(evidence.quote)
        return any(quote in text for text in self._evened[evidence.message_index])

    def _texts(self, index: int | None) -> list[str]:
        submission = self._submission
        if index is None:
            outputs = [target(submission, key) or "" for key in submission.outputs]
            return [submission.candidate, *outputs]
        if 0 <= index < len(submission.messages):
            return [submission.messages[index].content]
        return []


def _even(text: str) -> str:
    return " ".join(text.translate(_EVENED).split())
