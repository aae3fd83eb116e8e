"""From what a reply says to a judge's answer: what was left out, and what was not stated."""

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from consensus.domain.gradient import Abstention, Answer, Finding, FindingStatus, GradientResult
from consensus.domain.judges import LlmSpec
from consensus.domain.submission import Criterion
from consensus.judges.llm.reading import unreadable
from consensus.judges.llm.reply import Opinion

LEFT_OUT = "The reply leaves this criterion out."
WITHOUT_QUOTATION = "Called MET without a quotation, which this judge demands. "


def answer_of(
    opinion: Opinion,
    spec: LlmSpec,
    rubric: Sequence[Criterion],
    score: float | None,
    metadata: Mapping[str, str],
) -> Answer:
    """Return the answer that an opinion is, with `score` in place of the stated one.

    Raises JudgeFailed (UNREADABLE) where it states no confidence and none is configured, unless
    several samples tell it by their spread.
    """
    if score is None:
        return Abstention(opinion.reasoning.strip() or "The judge cannot tell.")
    confidence, source = opinion.confidence, "stated"
    if confidence is None:
        confidence, source = spec.missing_confidence, "missing"
    if confidence is None and spec.samples > 1:
        confidence = 0.0  # of no weight: the spread takes its place
    if confidence is None:
        raise unreadable("the reply states no confidence")
    asked = rubric if spec.reply == "json" else ()  # prose is not asked for findings
    return GradientResult(
        score=score,
        confidence=confidence,
        reasoning=opinion.reasoning,
        findings=_findings(opinion.findings, spec, asked),
        metadata={**metadata, "parse_mode": opinion.mode, "confidence_source": source},
    )


def _findings(
    stated: Sequence[Finding], spec: LlmSpec, rubric: Sequence[Criterion]
) -> tuple[Finding, ...]:
    findings = (
        [_demanding(finding) for finding in stated] if spec.evidence == "required" else [*stated]
    )
    answered = {finding.criterion_id for finding in stated}
    for criterion in rubric:
        if criterion.id not in answered:
            closed = criterion.required and spec.missing_findings == "unmet"
            status = FindingStatus.UNMET if closed else FindingStatus.INCONCLUSIVE
            findings.append(Finding(criterion_id=criterion.id, status=status, notes=LEFT_OUT))
    return tuple(findings)


def _demanding(finding: Finding) -> Finding:
    """Return the finding, INCONCLUSIVE where it is MET without a quotation.

    Quotations that the submission does not hold are struck where the answer is admitted.
    """
    quoted = any(evidence.quote.strip() for evidence in finding.evidence)
    if quoted or finding.status is not FindingStatus.MET:
        return finding
    notes = WITHOUT_QUOTATION + finding.notes
    return replace(finding, status=FindingStatus.INCONCLUSIVE, notes=notes)
