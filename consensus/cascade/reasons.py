"""Says why a stage did what it did, with the values."""

from collections.abc import Iterator

from consensus.domain.decision import (
    Consensus,
    GateAnswer,
    Reason,
    ReasonCode,
    SeatStatus,
    StageResult,
)
from consensus.domain.gradient import FindingStatus
from consensus.domain.policy import Action, Stage
from consensus.gates import pass_bar


def stage_reasons(stage: Stage, result: StageResult, action: Action) -> Iterator[Reason]:
    """Yield the reasons of one stage, most important first; none for a pass that advances."""
    answer = result.gate.answer
    if answer is GateAnswer.PASS:
        if action is not Action.ADVANCE:
            yield Reason(ReasonCode.GATES_PASSED, _passed(stage, result.consensus))
        return
    if action is Action.ADVANCE:
        message = f"Stage {stage.name!r} said {answer.name} and handed on."
        yield Reason(ReasonCode.STAGE_ADVANCED, message)
    for code, message in _failures(stage, result):
        yield Reason(code, f"Stage {stage.name!r}: {message}")


def _passed(stage: Stage, consensus: Consensus | None) -> str:
    if consensus is None:
        return f"Stage {stage.name!r}: every check holds."
    return (
        f"Stage {stage.name!r}: score {consensus.final_score:.3f} >= {stage.gate.min_score:g},"
        f" confidence {consensus.confidence:.3f} >= {stage.gate.min_confidence:g}."
    )


def _failures(stage: Stage, result: StageResult) -> Iterator[tuple[ReasonCode, str]]:
    failed = [check for check in result.checks if not check.passed]
    if failed:
        words = "; ".join(f"{check.check}: {check.message}" for check in failed[:4])
        yield ReasonCode.CHECK_FAILED, f"{len(failed)} of {len(result.checks)} checks fail: {words}"
    if result.consensus is None or stage.panel is None:
        return
    consensus, gate, bounds = result.consensus, result.gate, stage.gate
    if not gate.quorum_ok:
        yield ReasonCode.QUORUM_MISSED, _quorum(stage.panel.quorum, consensus)
        return
    if consensus.tie and not gate.score_ok:
        yield ReasonCode.TIE, f"the votes are tied, which counts as {stage.panel.tie.value}."
    elif not gate.score_ok:
        bar = pass_bar(stage.panel, bounds)
        yield ReasonCode.SCORE_BELOW_MIN, f"score {consensus.final_score:.3f} < {bar:g}."
    if not gate.criteria_ok:
        yield ReasonCode.CRITERION_NOT_MET, _criteria(result)
    if not gate.seats_ok:
        yield ReasonCode.SEAT_MISSING, f"unanimous needs every seat; {_missing(consensus)}."
    if not gate.confidence_ok:
        words = f"confidence {consensus.confidence:.3f} < {bounds.min_confidence:g}."
        yield ReasonCode.CONFIDENCE_BELOW_MIN, words
    if not gate.agreement_ok:
        seen = "is absent" if consensus.agreement is None else f"{consensus.agreement:.3f}"
        words = f"agreement {seen} < {bounds.min_agreement:g}."
        yield ReasonCode.AGREEMENT_BELOW_MIN, words


def _criteria(result: StageResult) -> str:
    open_ones = [
        f"{criterion.criterion_id} is {criterion.status.name}"
        for criterion in result.criteria
        if criterion.required and criterion.status is not FindingStatus.MET
    ]
    more = f" and {len(open_ones) - 8} more" if len(open_ones) > 8 else ""
    return f"required {', '.join(open_ones[:8])}{more}."


def _quorum(quorum: int, consensus: Consensus) -> str:
    scored = sum(s.status is SeatStatus.SCORED and s.votes for s in consensus.seats)
    seats = "1 seat" if scored == 1 else f"{scored} seats"
    return f"{seats} scored, the quorum is {quorum}; {_missing(consensus)}."


def _missing(consensus: Consensus) -> str:
    return ", ".join(
        f"{seat.judge} {seat.status.name}"
        for seat in consensus.seats
        if seat.status is not SeatStatus.SCORED and not seat.shadow
    )
