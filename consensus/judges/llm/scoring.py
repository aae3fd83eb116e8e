"""From replies to a score: the expectation over a score token, several samples, two passes."""

import math
import re
import statistics
from collections.abc import Iterable, Mapping, Sequence

from msgspec.structs import replace

from consensus.domain.gradient import (
    Abstention,
    Answer,
    Evidence,
    Finding,
    FindingStatus,
    GradientResult,
)
from consensus.judges.llm.chat import Reply, Token
from consensus.judges.llm.form import DIGIT_TOP

TOP_LOGPROBS = 20
MIN_MASS = 0.8
"""Least probability that must lie on the digits for their expectation to count."""
MAX_MASS = 1.01
"""More than this is no probability."""
FLIP_AT = 0.5
"""A judge does not know its panel's threshold: sides are told apart here, inclusive above."""
MAX_EVIDENCE = 16
_SCORE = re.compile(r'"score"\s*:\s*(\d)(?!\d)')
"""Cannot stand in a sound JSON string, whose quote marks are escaped."""


def expected_score(reply: Reply) -> tuple[float, float] | None:
    """Return the expectation over the score token, 0 to 1, and the probability on its digits.

    With p(d) the probability of digit d among the token's alternatives and M the sum of p(d), the
    score is sum(d x p(d)) / (9 x M). None where M is below MIN_MASS, or the tokens do not tell.
    """
    token = _score_token(reply)
    if token is None:
        return None
    masses = [0.0] * (DIGIT_TOP + 1)
    for text, logprob in token.top:
        digit = text.strip()
        if len(digit) == 1 and digit.isascii() and digit.isdigit() and not math.isnan(logprob):
            masses[int(digit)] += math.exp(min(logprob, 1.0))
    mass = sum(masses)
    if not MIN_MASS <= mass <= MAX_MASS:
        return None
    score = sum(digit * share for digit, share in enumerate(masses)) / (DIGIT_TOP * mass)
    return min(score, 1.0), min(mass, 1.0)


def _score_token(reply: Reply) -> Token | None:
    """Return the token that is the score's digit and nothing else beside white space."""
    found = list(_SCORE.finditer(reply.text))
    if len(found) != 1 or "".join([token.text for token in reply.tokens]) != reply.text:
        return None
    end = 0
    for token in reply.tokens:
        end += len(token.text)
        if end > found[0].start(1):
            return token if token.text.strip() == found[0][1] else None
    return None


def of_samples(answers: Sequence[Answer], asked: int) -> Answer:
    """Return what several replies to the same question come to; `asked` counts the failed too.

    score = their mean; confidence = scored / asked x (1 - 2 x s), s their population standard
    deviation, which is 0.5 at most. Half of them or more abstain: so does the judge.
    """
    scored = [answer for answer in answers if isinstance(answer, GradientResult)]
    if 2 * len(scored) <= len(answers):
        return next(answer for answer in answers if isinstance(answer, Abstention))
    score = _mean(answer.score for answer in scored)
    spread = statistics.pstdev([answer.score for answer in scored], score)
    nearest = min(scored, key=lambda answer: abs(answer.score - score))
    return GradientResult(
        score=score,
        confidence=len(scored) / asked * max(1 - 2 * spread, 0.0),
        reasoning=nearest.reasoning,
        findings=_voted([answer.findings for answer in scored]),
        metadata={
            **_merged([answer.metadata for answer in scored]),
            "confidence_source": "spread",
            "samples": f"{len(scored)} of {asked}",
            "spread": f"{spread:.4f}",
        },
    )


def of_passes(first: Answer, second: Answer) -> Answer:
    """Return what two passes come to: who cannot tell in one of them cannot tell.

    score = (s1 + s2) / 2; confidence = (c1 + c2) / 2 x (1 - |s1 - s2|).
    """
    if isinstance(first, Abstention) or isinstance(second, Abstention):
        return first if isinstance(first, Abstention) else second
    both = (first, second)
    flip = (first.score >= FLIP_AT) != (second.score >= FLIP_AT)
    return GradientResult(
        score=_mean(answer.score for answer in both),
        confidence=_mean(answer.confidence for answer in both)
        * (1 - abs(first.score - second.score)),
        reasoning=first.reasoning,
        findings=_voted([answer.findings for answer in both]),
        metadata={
            **_merged([answer.metadata for answer in both]),
            "flip": str(flip).lower(),
            "pass_scores": f"{first.score:.4f}, {second.score:.4f}",
        },
    )


def _mean(values: Iterable[float]) -> float:
    """Return the mean, which rounding never takes beyond [0, 1]."""
    return min(max(statistics.fmean(values), 0.0), 1.0)


def _merged(metadata: Sequence[Mapping[str, str]]) -> dict[str, str]:
    """Return every key with its values, each once."""
    keys = dict.fromkeys(key for each in metadata for key in each)
    return {
        key: ", ".join(dict.fromkeys(each[key] for each in metadata if key in each)) for key in keys
    }


def _voted(sets: Sequence[Sequence[Finding]]) -> tuple[Finding, ...]:
    """Return one finding for each criterion: the status that more than half of `sets` give it."""
    found: dict[str, list[Finding]] = {}
    for findings in sets:
        for finding in findings:
            found.setdefault(finding.criterion_id, []).append(finding)
    return tuple(_majority(votes, len(sets)) for votes in found.values())


def _majority(votes: Sequence[Finding], voters: int) -> Finding:
    for status in FindingStatus:
        agreed = [finding for finding in votes if finding.status is status]
        if 2 * len(agreed) > voters:
            evidence: dict[Evidence, None] = dict.fromkeys(
                quoted for finding in agreed for quoted in finding.evidence
            )
            return replace(agreed[0], evidence=tuple(evidence)[:MAX_EVIDENCE])
    told = ", ".join(sorted({finding.status.name for finding in votes}))
    return Finding(
        criterion_id=votes[0].criterion_id,
        status=FindingStatus.INCONCLUSIVE,
        notes=f"No status has more than half of the replies: {told}.",
    )
