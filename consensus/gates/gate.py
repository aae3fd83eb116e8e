"""Weighs a consensus against a gate. Every bound is inclusive, less rounding."""

from consensus.domain.decision import GateAnswer, GateResult
from consensus.domain.fold import Folded, reaches
from consensus.domain.policy import Gate, Panel, StrategyName, Tie


def pass_bar(panel: Panel, gate: Gate) -> float:
    """Return the final score from which the panel passes.

    `min_score`, but: under unanimous every vote must reach the panel's threshold too; under
    majority a tie (0.5) passes or not as `tie` says, whatever side of 0.5 `min_score` is on.
    A `min_score` of 0 switches the condition off, but not the votes of unanimous.
    """
    if panel.strategy is StrategyName.UNANIMOUS:
        return max(gate.min_score, panel.threshold)
    if panel.strategy is StrategyName.MAJORITY and gate.min_score > 0:
        return min(gate.min_score, 0.5) if panel.tie is Tie.PASS else 1.0
    return gate.min_score


def weigh(
    folded: Folded | None, panel: Panel, gate: Gate, *, criteria_ok: bool, all_scored: bool
) -> GateResult:
    """Return what `gate` says of a panel's numbers.

    `folded` is None when the quorum was missed. `all_scored` tells whether every seat of positive
    weight scored, which only unanimous insists on.
    """
    if folded is None:
        return _result(False, False, False, criteria_ok, quorum_ok=False, seats_ok=all_scored)
    return _result(
        reaches(folded.final, pass_bar(panel, gate)),
        reaches(folded.confidence, gate.min_confidence),
        agreement_ok(folded.agreement, gate),
        criteria_ok,
        quorum_ok=True,
        seats_ok=all_scored or panel.strategy is not StrategyName.UNANIMOUS,
    )


def checks_gate(passed: bool) -> GateResult:
    """Return what the gate of a stage of checks says: a failed check is a failed score."""
    return _result(passed, True, True, True, quorum_ok=True, seats_ok=True)


def agreement_ok(agreement: float | None, gate: Gate) -> bool:
    """Tell whether the agreement suffices; an absent one reaches only a bound of 0."""
    return reaches(0.0 if agreement is None else agreement, gate.min_agreement)


def answer(
    *,
    score_ok: bool,
    confidence_ok: bool,
    agreement_ok: bool,
    criteria_ok: bool,
    quorum_ok: bool,
    seats_ok: bool,
) -> GateAnswer:
    """Return the answer that follows from the conditions."""
    if not quorum_ok:
        return GateAnswer.NO_QUORUM
    if not (score_ok and criteria_ok):
        return GateAnswer.FAIL
    if confidence_ok and agreement_ok and seats_ok:
        return GateAnswer.PASS
    return GateAnswer.UNSURE


def _result(
    score_ok: bool,
    confidence_ok: bool,
    agreement_ok: bool,
    criteria_ok: bool,
    *,
    quorum_ok: bool,
    seats_ok: bool,
) -> GateResult:
    said = answer(
        score_ok=score_ok,
        confidence_ok=confidence_ok,
        agreement_ok=agreement_ok,
        criteria_ok=criteria_ok,
        quorum_ok=quorum_ok,
        seats_ok=seats_ok,
    )
    return GateResult(
        answer=said,
        score_ok=score_ok,
        confidence_ok=confidence_ok,
        agreement_ok=agreement_ok,
        criteria_ok=criteria_ok,
        quorum_ok=quorum_ok,
        seats_ok=seats_ok,
    )
