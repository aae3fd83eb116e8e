"""coverage: which criteria the candidate addresses, by shared words, with verbatim quotations.

For each criterion without checks (a check is surer than words): the share of its content words (no
stop words, light stemming) that occur in the candidate. At least 0.6 with a sentence to quote is
MET, below 0.25 is UNMET, between and for negatively worded criteria INCONCLUSIVE. score = weighted
mean share over the positively worded ones. Words are not meaning: confidence = 0.5 times the
share of weight that was judged, so never above 0.5. English only. Abstains where nothing can be
judged.
"""

import json
from collections.abc import Sequence
from typing import Literal

from consensus.domain.gradient import (
    Abstention,
    Answer,
    Evidence,
    Finding,
    FindingStatus,
    GradientResult,
)
from consensus.domain.ports import Evaluation
from consensus.domain.submission import Criterion, Submission
from consensus.judges.embedded.shares import share
from consensus.judges.embedded.words import Passages, Wording, wording

MET_SHARE = 0.6
UNMET_SHARE = 0.25
MAX_CONFIDENCE = 0.5
MAX_CHARS = 100_000
"""Longest text that is read; what lies beyond lowers the confidence."""
MAX_MISSING = 8
"""Most missing words that are named."""


class CoverageJudge:
    """Answers from the words that criteria and candidate share."""

    name = "coverage"
    kind = "embedded"
    waits: Literal[False] = False
    description = "Which criteria the candidate addresses, by shared words; confidence at most 0.5."

    def evaluate_now(self, evaluation: Evaluation) -> Answer:
        """Return the weighted mean share of criteria words that the candidate holds."""
        submission = evaluation.submission
        asked = [
            (criterion, words)
            for criterion in submission.rubric
            if not criterion.checks and (words := wording(criterion.text)).stems
        ]
        if not asked:
            return Abstention("No criterion is left to words alone.")
        if all(words.negative for _, words in asked):
            return Abstention("Every criterion is worded negatively, where words prove nothing.")
        whole = _text(submission)
        if not whole:
            return Abstention("There is no text.")
        wanted = set().union(*(words.stems for _, words in asked))
        passages = Passages(whole[:MAX_CHARS], wanted)
        findings = [_finding(criterion, words, passages) for criterion, words in asked]
        read = min(MAX_CHARS / len(whole), 1.0)
        return _gradient(submission.rubric, asked, findings, passages, read)


def _gradient(...): ...
