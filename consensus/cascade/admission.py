"""Admits a judge's answer to its seat: what breaks the contract fails the seat, what is too long
is cut, what the submission does not hold is struck.
"""

import unicodedata
from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from consensus.domain.errors import JudgeFailed
from consensus.domain.gradient import (
    Abstention,
    Answer,
    Evidence,
    FailureKind,
    Finding,
    FindingStatus,
    GradientResult,
    Signal,
)
from consensus.domain.submission import Criterion
from consensus.validators import Locator

MAX_REASONING = 8_000
MAX_TEXT = 1_000
MAX_SIGNALS = 64
MAX_EVIDENCE = 16
MAX_METADATA = 32
_CONTROL = {
    code: None for code in range(0xA0) if unicodedata.category(chr(code)) == "Cc" and code != 10
} | {9: " "}
_DIRECTIONS = dict.fromkeys([*range(0x202A, 0x202F), *range(0x2066, 0x206A)])
_SURROGATES = dict.fromkeys(range(0xD800, 0xE000), "\ufffd")
_UNSPEAKABLE = _CONTROL | _DIRECTIONS | _SURROGATES
"""Terminals obey the first, eyes the second, and no encoding takes the third."""


def admit(answer: object, rubric: Sequence[Criterion], locator: Locator) -> tuple[Answer, int]:
    """Return the answer as it may stand on record, and how much of it was struck.

    Raises JudgeFailed (UNREADABLE) where the answer breaks the contract.
    """
    try:
        if isinstance(answer, GradientResult):
            return _gradient(answer, rubric, locator)
        if isinstance(answer, Abstention):
            return Abstention(plain(answer.reason, MAX_TEXT)), 0
    except (AttributeError, TypeError, ValueError):
        raise JudgeFailed(FailureKind.UNREADABLE, "a field is of the wrong type") from None
    raise JudgeFailed(FailureKind.UNREADABLE, f"answered with a {type(answer).__name__}")


def _gradient(
    answer: GradientResult, rubric: Sequence[Criterion], locator: Locator
) -> tuple[GradientResult, int]:
    score, confidence = answer.score, answer.confidence
    _require_unit("score", score)
    _require_unit("confidence", confidence)
    reasoning = plain(answer.reasoning, MAX_REASONING)
    if not (answer.findings or answer.signals or answer.metadata) and (
        reasoning is answer.reasoning and type(score) is type(confidence) is float
    ):
        return answer, 0  # as it is
    findings, struck = _findings(answer.findings, rubric, locator)
    gradient = GradientResult(
        score=float(score),
        confidence=float(confidence),
        reasoning=reasoning,
        signals=_signals(answer.signals) if answer.signals else (),
        findings=findings,
        metadata=_metadata(answer.metadata) if answer.metadata else {},
    )
    return gradient, struck


def plain(text: str, most: int) -> str:
    """Return `text` without control characters other than line feeds, cut at `most`."""
    kept = text if text.isprintable() else text[: most + 1].translate(_UNSPEAKABLE)
    return kept if len(text) <= most else kept[: most - 1] + "…"


def _require_unit(field: str, value: float) -> None:
    if not 0.0 <= value <= 1.0:  # NaN is not either
        raise JudgeFailed(FailureKind.UNREADABLE, f"{field} is {value:g}; must be in [0, 1]")


def _signals(signals: Sequence[Signal]) -> tuple[Signal, ...]:
    for signal in signals:
        _require_unit("a signal's score", signal.score)
    return tuple(
        Signal(plain(signal.category, 64), float(signal.score), plain(signal.message, MAX_TEXT))
        for signal in signals[:MAX_SIGNALS]
    )


def _metadata(metadata: Mapping[str, str]) -> dict[str, str]:
    kept = list(metadata.items())[:MAX_METADATA]
    return {plain(key, 64): plain(value, MAX_TEXT) for key, value in kept}


def _findings(
    findings: Sequence[Finding], rubric: Sequence[Criterion], locator: Locator
) -> tuple[tuple[Finding, ...], int]:
    known = {criterion.id for criterion in rubric}
    admitted: dict[str, Finding] = {}
    struck = 0
    for finding in findings:
        if finding.criterion_id not in known:
            struck += 1
            continue
        if finding.criterion_id in admitted:
            words = "answers a criterion twice"
            raise JudgeFailed(FailureKind.UNREADABLE, words)
        checked, lost = _checked(finding, locator)
        admitted[finding.criterion_id] = checked
        struck += lost
    return tuple(admitted.values()), struck


def _admitted(evidence: Evidence) -> Evidence:
    """Return a quotation that is held, with the one place that it was looked for in."""
    quote = plain(evidence.quote, MAX_TEXT)
    if evidence.span_id:
        return Evidence(quote, span_id=evidence.span_id)
    return evidence if quote is evidence.quote else replace(evidence, quote=quote)


def _checked(finding: Finding, locator: Locator) -> tuple[Finding, int]:
    """Return the finding with the quotations that the submission holds; MET needs one of them
    where any were given.
    """
    given = finding.evidence[:MAX_EVIDENCE]
    held = tuple(_admitted(evidence) for evidence in given if locator.holds(evidence))
    status = FindingStatus(finding.status)
    if given and not held and status is FindingStatus.MET:
        status = FindingStatus.INCONCLUSIVE
    notes = plain(finding.notes, MAX_TEXT)
    if held == finding.evidence and notes is finding.notes and status is finding.status:
        return finding, 0  # as it is
    checked = Finding(criterion_id=finding.criterion_id, status=status, evidence=held, notes=notes)
    return checked, len(given) - len(held)
