"""coverage: which criteria the candidate addresses, by shared words, with verbatim quotations.

For each criterion without checks (a check is surer than words): the share of its content words (no
stop words, light stemming) that occur in the candidate. At least 0.6 with a sentence to quote is
MET, below 0.25 is UNMET, between and for negatively worded criteria INCONCLUSIVE. score = weighted
mean share over the positively worded ones. Words are not meaning: confidence = 0.5 times the
share of weight that was judged, so never above 0.5. English only. Abstains where nothing can be
judged.
"""

import json
from typing import Literal

from consensus.domain.evaluation import Evaluation
from consensus.domain.gradient import (
    Abstention,
    Answer,
    Evidence,
    Finding,
    FindingStatus,
    GradientResult,
)
from consensus.domain.submission import Submission
from consensus.judges.embedded.shares import mean
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
            (criterion, wanted)
            for criterion in submission.rubric
            if not criterion.checks and (wanted := wording(criterion.text)).words
        ]
        judged = [(criterion, wanted) for criterion, wanted in asked if not wanted.negative]
        if not judged:
            return Abstention("No criterion without checks is worded so that words can show it.")
        whole = _text(submission)
        if not whole:
            return Abstention("There is no text.")
        passages = Passages(
            whole[:MAX_CHARS], [stem for _, words in judged for stem in words.words]
        )
        shares = {criterion.id: passages.share(wanted.words) for criterion, wanted in judged}
        findings = tuple(
            _finding(criterion.id, wanted, shares.get(criterion.id), passages)
            for criterion, wanted in asked
        )
        seen = mean(
            [c.id in shares for c in submission.rubric], [c.weight for c in submission.rubric]
        )
        met = sum(finding.status is FindingStatus.MET for finding in findings)
        return GradientResult(
            score=mean(list(shares.values()), [criterion.weight for criterion, _ in judged]),
            confidence=MAX_CONFIDENCE * seen * min(MAX_CHARS / len(whole), 1.0),
            reasoning=f"The candidate shares the words of {met} of {len(asked)} criteria.",
            findings=findings,
        )


def _text(submission: Submission) -> str:
    """Return the candidate and the outputs, as evidence is looked up: strings bare, else JSON."""
    if not submission.outputs:
        return submission.candidate.strip()
    return "\n".join([submission.candidate, *map(_output, submission.outputs.values())]).strip()


def _output(value: object) -> str:
    try:
        return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError):
        return ""


def _finding(
    criterion_id: str, wanted: Wording, share: float | None, passages: Passages
) -> Finding:
    """Return the finding for a share of words found; negative wording has none."""
    if share is None:
        notes = "Worded negatively: shared words prove nothing."
        return Finding(criterion_id=criterion_id, status=FindingStatus.INCONCLUSIVE, notes=notes)
    quote = passages.quote(wanted.words) if share >= UNMET_SHARE else ""
    missing = [word for stem, word in wanted.words.items() if stem not in passages]
    notes = f"{share:.0%} of its words occur"
    return Finding(
        criterion_id=criterion_id,
        status=_status(share),
        evidence=(Evidence(quote),) if quote else (),
        notes=f"{notes}; missing: {', '.join(missing[:MAX_MISSING])}." if missing else f"{notes}.",
    )


def _status(share: float) -> FindingStatus:
    if share < UNMET_SHARE:
        return FindingStatus.UNMET
    return FindingStatus.MET if share >= MET_SHARE else FindingStatus.INCONCLUSIVE
