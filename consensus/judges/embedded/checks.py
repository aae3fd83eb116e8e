"""checks: the rubric's own deterministic checks.

score = weight of the criteria whose checks all hold / weight of the criteria with checks.
confidence = weight of the criteria with checks / weight of all criteria: a check is certain, but
this judge sees nothing of the criteria that carry none. Abstains when no criterion carries any.
"""

from collections.abc import Sequence
from typing import Literal

from consensus.domain.decision import CheckResult
from consensus.domain.evaluation import Evaluation
from consensus.domain.gradient import Abstention, Answer, Finding, FindingStatus, GradientResult
from consensus.domain.ports import Validator
from consensus.domain.submission import Criterion
from consensus.judges.embedded.shares import mean

MAX_EVIDENCE = 4
"""Most quotations for one criterion."""
MAX_NOTES = 1_000


class ChecksJudge:
    """Answers from the rubric's own deterministic checks."""

    name = "checks"
    kind = "embedded"
    waits: Literal[False] = False
    description = "The rubric's own deterministic checks; sure of the criteria that carry any."

    def __init__(self, validator: Validator) -> None:
        self._validator = validator

    def evaluate_now(self, evaluation: Evaluation) -> Answer:
        """Return the share of checked criteria that hold, with a finding for each."""
        rubric = evaluation.submission.rubric
        checked = [criterion for criterion in rubric if criterion.checks]
        if not checked:
            return Abstention("No criterion carries a check.")
        every = [check for criterion in checked for check in criterion.checks]
        results = iter(self._validator(every, evaluation.submission, evaluation.proofs))
        findings = tuple(
            _finding(criterion, [next(results) for _ in criterion.checks]) for criterion in checked
        )
        held = [finding.status is FindingStatus.MET for finding in findings]
        return GradientResult(
            score=mean(held, [criterion.weight for criterion in checked]),
            confidence=mean(
                [bool(criterion.checks) for criterion in rubric],
                [criterion.weight for criterion in rubric],
            ),
            reasoning=_reasoning(findings, len(rubric)),
            findings=findings,
        )


def _finding(criterion: Criterion, outcomes: Sequence[CheckResult]) -> Finding:
    failed = [outcome for outcome in outcomes if not outcome.passed]
    shown = failed or outcomes
    return Finding(
        criterion_id=criterion.id,
        status=FindingStatus.UNMET if failed else FindingStatus.MET,
        evidence=tuple([quote for outcome in shown for quote in outcome.evidence][:MAX_EVIDENCE]),
        notes="; ".join([f"{outcome.check}: {outcome.message}" for outcome in shown])[:MAX_NOTES],
    )


def _reasoning(findings: Sequence[Finding], criteria: int) -> str:
    failed = [finding for finding in findings if finding.status is FindingStatus.UNMET]
    held = f"{len(findings) - len(failed)} of {len(findings)} checked criteria hold"
    unseen = criteria - len(findings)
    return "\n".join(
        [f"{held} ({unseen} carry no check)." if unseen else f"{held}."]
        + [f"{finding.criterion_id}: {finding.notes}" for finding in failed]
    )
