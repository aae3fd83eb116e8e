"""Gradients, abstentions and failures: proto <-> domain."""

from collections.abc import Mapping

from consensus.domain.gradient import (
    MOST_TOKENS,
    MOST_USD,
    Abstention,
    Answer,
    Evidence,
    FailureKind,
    Finding,
    FindingStatus,
    GradientResult,
    Signal,
    Usage,
)
from consensus.v1 import decision_pb2, judge_pb2
from consensus.v1 import gradient_pb2 as pb

MAX_PARTS = 10_000
"""Twice what the contract has room for. Millions of empty ones fit into 4 MiB, and would hold up
everybody for seconds.
"""

Fields = Mapping[str, object]
"""Keyword arguments of a message; nested ones are built in place."""

STATUS_TO = {
    FindingStatus.MET: pb.FINDING_STATUS_MET,
    FindingStatus.UNMET: pb.FINDING_STATUS_UNMET,
    FindingStatus.INCONCLUSIVE: pb.FINDING_STATUS_INCONCLUSIVE,
}
STATUS_FROM = {number: status for status, number in STATUS_TO.items()}
KIND_TO = {
    FailureKind.TIMEOUT: decision_pb2.FAILURE_KIND_TIMEOUT,
    FailureKind.ERROR: decision_pb2.FAILURE_KIND_ERROR,
    FailureKind.UNREADABLE: decision_pb2.FAILURE_KIND_UNREADABLE,
    FailureKind.OVERLOADED: decision_pb2.FAILURE_KIND_OVERLOADED,
    FailureKind.RATE_LIMITED: decision_pb2.FAILURE_KIND_RATE_LIMITED,
    FailureKind.BREAKER_OPEN: decision_pb2.FAILURE_KIND_BREAKER_OPEN,
    FailureKind.REFUSED: decision_pb2.FAILURE_KIND_REFUSED,
    FailureKind.TRUNCATED: decision_pb2.FAILURE_KIND_TRUNCATED,
    FailureKind.FILTERED: decision_pb2.FAILURE_KIND_FILTERED,
    FailureKind.SPEND_LIMIT: decision_pb2.FAILURE_KIND_SPEND_LIMIT,
}


def too_many_parts(message: pb.GradientResult) -> bool:
    """Tell whether a gradient holds more than MAX_PARTS signals, findings, quotations and entries
    of metadata. Quotations are counted last: only where the findings that hold them are few.
    """
    parts = len(message.signals) + len(message.findings) + len(message.metadata)
    if parts <= MAX_PARTS:
        parts += sum(len(finding.evidence) for finding in message.findings)
    return parts > MAX_PARTS


def answer_from(message: judge_pb2.EvaluateResponse) -> Answer | None:
    """Return the domain's answer; None where none is set or a status is unknown."""
    match message.WhichOneof("answer"):
        case "gradient":
            return _gradient_from(message.gradient)
        case "abstention":
            return Abstention(message.abstention.reason)
        case _:
            return None


def answer_to(answer: Answer, usage: Usage | None = None) -> judge_pb2.EvaluateResponse:
    """Return the contract's answer, with what it took."""
    used = None if usage is None else usage_fields(usage)
    if isinstance(answer, Abstention):
        return judge_pb2.EvaluateResponse(abstention={"reason": answer.reason}, usage=used)
    return judge_pb2.EvaluateResponse(gradient=gradient_fields(answer), usage=used)


def gradient_fields(gradient: GradientResult) -> Fields:
    """Return the contract's gradient as keyword arguments."""
    fields: dict[str, object] = {
        "score": gradient.score,
        "confidence": gradient.confidence,
        "reasoning": gradient.reasoning,
    }
    if gradient.signals:
        fields["signals"] = [
            {"category": s.category, "score": s.score, "message": s.message}
            for s in gradient.signals
        ]
    if gradient.findings:
        fields["findings"] = [
            {
                "criterion_id": f.criterion_id,
                "status": STATUS_TO[f.status],
                "evidence": [evidence_fields(e) for e in f.evidence],
                "notes": f.notes,
            }
            for f in gradient.findings
        ]
    if gradient.metadata:
        fields["metadata"] = gradient.metadata
    return fields


def evidence_fields(evidence: Evidence) -> Fields:
    """Return the contract's evidence as keyword arguments."""
    return {
        "message_index": evidence.message_index,
        "quote": evidence.quote,
        "span_id": evidence.span_id,
    }


def usage_fields(usage: Usage) -> Fields:
    """Return the contract's usage as keyword arguments."""
    return {
        "input_tokens": usage.input_tokens,
        "cached_input_tokens": usage.cached_input_tokens,
        "cache_write_tokens": usage.cache_write_tokens,
        "output_tokens": usage.output_tokens,
        "reasoning_tokens": usage.reasoning_tokens,
        "cost_usd": usage.cost_usd,
    }


def usage_from(message: pb.Usage) -> Usage:
    """Return the domain's usage. Raises ValueError where a number cannot be."""
    cost = message.cost_usd if message.HasField("cost_usd") else None
    counts = {
        "input_tokens": message.input_tokens,
        "cached_input_tokens": message.cached_input_tokens,
        "cache_write_tokens": message.cache_write_tokens,
        "output_tokens": message.output_tokens,
        "reasoning_tokens": message.reasoning_tokens,
    }
    if min(counts.values()) < 0 or max(counts.values()) > MOST_TOKENS:
        raise ValueError("no count of tokens")
    if cost is not None and not 0 <= cost <= MOST_USD:
        raise ValueError("no cost")
    return Usage(**counts, cost_usd=cost)


def _gradient_from(message: pb.GradientResult) -> GradientResult | None:
    findings = []
    for finding in message.findings:
        status = STATUS_FROM.get(finding.status)
        if status is None:
            return None
        findings.append(
            Finding(
                criterion_id=finding.criterion_id,
                status=status,
                evidence=tuple(_evidence_from(evidence) for evidence in finding.evidence),
                notes=finding.notes,
            )
        )
    return GradientResult(
        score=message.score,
        confidence=message.confidence,
        reasoning=message.reasoning,
        signals=tuple(Signal(s.category, s.score, s.message) for s in message.signals),
        findings=tuple(findings),
        metadata=dict(message.metadata),
    )


def _evidence_from(message: pb.Evidence) -> Evidence:
    index = message.message_index if message.HasField("message_index") else None
    return Evidence(message.quote, index, message.span_id.lower())
