"""Suspicion: a judge that answers everything alike is worth a warning, and no more than that."""

from collections import deque

from consensus.domain.gradient import Answer, GradientResult
from consensus.domain.submission import Submission
from consensus.judges.wrappers.observer import HabitObserver

LATEST = 50
"""So many different submissions in a row must have been answered alike."""


class Suspicion:
    """Watches for a score that never changes, and for a confidence that is always full."""

    def __init__(self, judge: str, observer: HabitObserver) -> None:
        self._judge = judge
        self._observer = observer
        self._seen: deque[int] = deque(maxlen=LATEST)
        self._score: float | None = None
        self._same = self._certain = 0
        self._told = (False, False)
        observer.constant(judge, "score", False)
        observer.constant(judge, "confidence", False)

    def look(self, submission: Submission, answer: Answer) -> None:
        """Take one answer into account; one to a submission seen lately does not count."""
        if not isinstance(answer, GradientResult):
            return
        which = _told_apart(submission)
        if which in self._seen:
            return
        self._seen.append(which)
        self._same = self._same + 1 if answer.score == self._score else 1
        self._score = answer.score
        self._certain = self._certain + 1 if answer.confidence == 1.0 else 0
        found = (self._same >= LATEST, self._certain >= LATEST)
        if found != self._told:
            self._told = found
            self._observer.constant(self._judge, "score", found[0])
            self._observer.constant(self._judge, "confidence", found[1])


def _told_apart(submission: Submission) -> int:
    outputs = repr(submission.outputs) if submission.outputs else ""
    return hash((submission.task, submission.candidate, outputs, submission.messages[-1:]))
