"""checks: the rubric's own deterministic checks.

score = weight of the criteria whose checks all hold / weight of the criteria with checks.
confidence = weight of the criteria with checks / weight of all criteria: a check is certain, but
this judge sees nothing of the criteria that carry none. Abstains when no criterion carries any.
"""

from collections.abc import Sequence
from typing import Literal

from consensus.domain.decision import CheckResult
from consensus.domain.gradient import Abstention, Answer, Finding, FindingStatus, GradientResult
from consensus.domain.ports import Evaluation, Validator
from consensus.domain.submission import Criterion


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
        results = iter(self._validator(every, evaluation.submission))
        findings, failed, held = [], [], 0.0
        for criterion in checked:
            outcomes = [next(results) for _ in criterion.checks]
            findings.append(_finding(criterion, outcomes))
            if findings[-1].status is FindingStatus.MET:
                held += criterion.weight
            else:
                failed.append(f"{criterion.id}: {findings[-1].notes}")
        weight = sum(criterion.weight for criterion in checked)
        return GradientResult(
            score=min(held / weight, 1.0),
            confidence=min(weight / sum(criterion.weight for criterion in rubric), 1.0),
            reasoning=_reasoning(len(checked), len(rubric), failed),
            findings=tuple(findings),
        )


def _finding(criterion: Criterion, outcomes: Sequence[CheckResult]) -> Finding:
    failed = [outcome for outcome in outcomes if not outcome.passed]
    shown = failed or outcomes
    return Finding(
        criterion_id=criterion.id,
        status=FindingStatus.UNMET if failed else FindingStatus.MET,
        evidence=tuple(quote for outcome in shown for quote in outcome.evidence)[:4],
        notes="; ".join(f"{outcome.check}: {outcome.message}" for outcome in shown)[:1000],
    )


def _reasoning(checked: int, criteria: int, failed: Sequence[str]) -> str:
    held = f"{checked - len(failed)} of {checked} checked criteria hold"
    unseen = f" ({criteria - checked} carry no check)" if checked < criteria else ""
    return f"{held}{unseen}." + "".join(f"\n{line}" for line in failed)
