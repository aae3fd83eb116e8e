"""A decision as one judge's answer: what a policy says when it is asked as a judge, in this process
or by another server.
"""

from consensus.domain.decision import Decision
from consensus.domain.gradient import Abstention, Answer, Finding, GradientResult, Signal


def as_answer(decision: Decision) -> Answer:
    """Return a decision as one judge's answer.

    score = effective score; confidence = the lowest of the panels that folded (1 for checks alone);
    one signal for each stage. Abstains when a panel missed its quorum or none came to a score.
    """
    panels = [stage.consensus for stage in decision.stages if stage.consensus is not None]
    missed = any(panel.final_score is None for panel in panels)
    reasons = " ".join(reason.message for reason in decision.reasons)
    if decision.effective_score is None or missed:
        return Abstention(reasons)
    confidences = [panel.confidence for panel in panels if panel.confidence is not None]
    return GradientResult(
        score=decision.effective_score,
        confidence=min(confidences, default=1.0),
        reasoning=f"{reasons}\n{decision.feedback}".strip(),
        signals=tuple(
            Signal(stage.stage, stage.score, f"gate: {stage.gate.answer.name}")
            for stage in decision.stages
            if stage.score is not None
        ),
        findings=tuple(
            Finding(criterion_id=c.criterion_id, status=c.status, evidence=c.evidence)
            for c in decision.criteria
        ),
        metadata={
            "decision_id": decision.decision_id,
            "policy": decision.policy,
            "policy_revision": decision.policy_revision,
            "verdict": decision.verdict.name,
        },
    )
