"""coverage: which criteria the candidate addresses, by shared words, with verbatim quotations.

For each criterion without checks (a check is surer than words): the share of its content words (no
stop words, light stemming) that occur in the candidate. At least 0.6 with a sentence to quote is
MET, below 0.25 is UNMET, between and for negatively worded criteria INCONCLUSIVE. score = weighted
mean share over the positively worded ones. Words are not meaning: confidence = 0.5 times the
weight that was judged, so never above 0.5. English only. Abstains where nothing can be judged.
"""

import functools
import json
import re
from collections.abc import KeysView
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
from consensus.domain.submission import Criterion

MET_SHARE = 0.6
UNMET_SHARE = 0.25
MAX_CONFIDENCE = 0.5
MAX_CHARS = 100_000
"""Longest text that is read; what lies beyond lowers the confidence."""
MAX_QUOTE = 200

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
_SENTENCE = re.compile(r"[^.!?\n]+[.!?]?")
_NEGATIVE = frozenset("not no never without avoid avoids none neither nor don't doesn't".split())
_STOP = frozenset(
    "a about all an and any are as at be been being but by can candidate could did do does each for"
    " from give gives had has have he her his how i if in into is it its just like made make makes"
    " may me mention mentions more most must my of on one or other our out over own says she should"
    " so some states such than that the their them then there these they this to too under up us"
    " use used uses using was we were what when where which while who whose why will with would"
    " you your answer response".split()
)


class CoverageJudge:
    """Answers from the words that criteria and candidate share."""

    name = "coverage"
    kind = "embedded"
    waits: Literal[False] = False
    description = "Which criteria the candidate addresses, by shared words; confidence at most 0.5."

    def evaluate_now(self, evaluation: Evaluation) -> Answer:
        """Return the weighted mean share of criteria words that the candidate holds."""
        submission = evaluation.submission
        outputs = [_text(value) for value in submission.outputs.values()]
        whole = "\n".join([submission.candidate, *outputs]).strip()
        asked = [
            (criterion, words)
            for criterion in submission.rubric
            if not criterion.checks and (words := _words(criterion.text))
        ]
        if not whole or not asked:
            return Abstention("No text." if asked else "No criterion is left to words alone.")
        text = whole[:MAX_CHARS]
        sentences = [(s.strip(), _words(s).keys()) for s in _SENTENCE.findall(text)]
        found = set().union(*(words for _, words in sentences))
        findings, mass, weight = [], 0.0, 0.0
        for criterion, words in asked:
            finding, share = _find(criterion, words, found, sentences)
            findings.append(finding)
            if share is not None:
                mass, weight = mass + criterion.weight * share, weight + criterion.weight
        if weight == 0:
            return Abstention("Every criterion is worded negatively, where words prove nothing.")
        read = len(text) / len(whole)
        seen = weight / sum(criterion.weight for criterion in submission.rubric)
        met = sum(finding.status is FindingStatus.MET for finding in findings)
        return GradientResult(
            score=min(mass / weight, 1.0),
            confidence=min(MAX_CONFIDENCE * read * seen, MAX_CONFIDENCE),
            reasoning=f"The candidate shares the words of {met} of {len(asked)} criteria.",
            findings=tuple(findings),
        )


def _find(
    criterion: Criterion,
    words: dict[str, str],
    found: set[str],
    sentences: list[tuple[str, KeysView[str]]],
) -> tuple[Finding, float | None]:
    """Return the finding and the share of words found; no share for negative wording."""
    if _NEGATIVE.intersection(word.lower() for word in _WORD.findall(criterion.text)):
        notes = "Worded negatively: shared words prove nothing."
        status = FindingStatus.INCONCLUSIVE
        return Finding(criterion_id=criterion.id, status=status, notes=notes), None
    missing = [word for stem, word in words.items() if stem not in found]
    share = 1 - len(missing) / len(words)
    quote, shared = "", 0
    for sentence, stems in sentences:
        common = len(words.keys() & stems)
        if common > shared:
            quote, shared = sentence, common
    evidence = (Evidence(quote[:MAX_QUOTE]),) if share >= UNMET_SHARE and quote else ()
    if share >= MET_SHARE and evidence:
        status = FindingStatus.MET
    else:
        status = FindingStatus.UNMET if share < UNMET_SHARE else FindingStatus.INCONCLUSIVE
    notes = f"{share:.0%} of its words occur" + (
        f"; missing: {', '.join(missing[:8])}." if missing else "."
    )
    finding = Finding(criterion_id=criterion.id, status=status, evidence=evidence, notes=notes)
    return finding, share


def _text(value: object) -> str:
    """Return an output as evidence is located in it: a string as it is, other JSON as its text."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _words(text: str) -> dict[str, str]:
    """Return the content words of `text` by their stems."""
    return {_stem(word): word for word in _WORD.findall(text.lower()) if word not in _STOP}


@functools.lru_cache(maxsize=1 << 14)
def _stem(word: str) -> str:
    """Cut the commonest English endings; enough for `ratings` to meet `rating`."""
    for ending in ("ings", "ing", "ies", "ed", "es", "s", "e"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)] + ("y" if ending == "ies" else "")
    return word
