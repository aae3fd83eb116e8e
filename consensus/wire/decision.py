"""Decisions and what they are made of: domain -> proto; and the hierarchy both ways.

Parts are built as keyword arguments and only the whole as a message: a message put into another one
is copied at every level, which takes twice as long (23 against 11 us for five seats).
"""

from typing import Any

from consensus.domain.decision import (
    CheckResult,
    Consensus,
    CriterionResult,
    Decision,
    Dissent,
    GateAnswer,
    GateResult,
    Hierarchy,
    ScenarioOutcome,
    SeatResult,
    SeatStatus,
    StageResult,
    Verdict,
)
from consensus.domain.gradient import Abstention, Failure, GradientResult
from consensus.domain.policy import StrategyName
from consensus.v1 import decision_pb2 as pb
from consensus.v1 import judge_pb2
from consensus.wire.execution import STATE_AFTER_TO, timestamp_fields
from consensus.wire.gradient import (
    KIND_TO,
    STATUS_TO,
    Fields,
    evidence_fields,
    gradient_fields,
    usage_fields,
)
from consensus.wire.submission import rubric_to
from consensus.wire.turn import GOAL_STATUS_TO

VERDICT_TO = {
    Verdict.ACCEPT: pb.VERDICT_ACCEPT,
    Verdict.RETRY: pb.VERDICT_RETRY,
    Verdict.ESCALATE: pb.VERDICT_ESCALATE,
}
STRATEGY_TO = {
    StrategyName.WEIGHTED_AVERAGE: pb.STRATEGY_WEIGHTED_AVERAGE,
    StrategyName.MAJORITY: pb.STRATEGY_MAJORITY,
    StrategyName.UNANIMOUS: pb.STRATEGY_UNANIMOUS,
    StrategyName.BEST_OF_N: pb.STRATEGY_BEST_OF_N,
    StrategyName.MEDIAN: pb.STRATEGY_MEDIAN,
    StrategyName.TRIMMED_MEAN: pb.STRATEGY_TRIMMED_MEAN,
}
STRATEGY_FROM = {number: strategy for strategy, number in STRATEGY_TO.items()}
SEAT_STATUS_TO = {
    SeatStatus.SCORED: pb.SEAT_STATUS_SCORED,
    SeatStatus.ABSTAINED: pb.SEAT_STATUS_ABSTAINED,
    SeatStatus.FAILED: pb.SEAT_STATUS_FAILED,
    SeatStatus.SKIPPED: pb.SEAT_STATUS_SKIPPED,
}
ANSWER_TO = {
    GateAnswer.PASS: pb.GATE_ANSWER_PASS,
    GateAnswer.FAIL: pb.GATE_ANSWER_FAIL,
    GateAnswer.UNSURE: pb.GATE_ANSWER_UNSURE,
    GateAnswer.NO_QUORUM: pb.GATE_ANSWER_NO_QUORUM,
}

SCENARIO_OUTCOME_TO = {
    ScenarioOutcome.CONTINUE: pb.SCENARIO_OUTCOME_CONTINUE,
    ScenarioOutcome.SUCCESS: pb.SCENARIO_OUTCOME_SUCCESS,
    ScenarioOutcome.FAILURE: pb.SCENARIO_OUTCOME_FAILURE,
    ScenarioOutcome.INCONCLUSIVE: pb.SCENARIO_OUTCOME_INCONCLUSIVE,
}


def decision_fields(decision: Decision) -> dict[str, Any]:
    """Return the contract's decision as keyword arguments; what is empty is left out."""
    fields: dict[str, Any] = {
        "decision_id": decision.decision_id,
        "verdict": VERDICT_TO[decision.verdict],
        "reasons": [{"code": r.code.name, "message": r.message} for r in decision.reasons],
        "effective_score": decision.effective_score,
        "stages": [_stage(stage) for stage in decision.stages],
        "policy": decision.policy,
        "policy_revision": decision.policy_revision,
        "create_time": timestamp_fields(decision.create_time),
        "duration": _duration(decision.duration_seconds),
        "execution_state": STATE_AFTER_TO[decision.verdict],
    }
    if decision.feedback:
        fields["feedback"] = decision.feedback
    if decision.criteria:
        fields["criteria"] = [_criterion(criterion) for criterion in decision.criteria]
    if decision.hierarchy.depth:
        fields["hierarchy"] = hierarchy_to(decision.hierarchy)
    if decision.usage is not None:
        fields["usage"] = usage_fields(decision.usage)
    if decision.goal_status is not None:
        fields["goal_status"] = GOAL_STATUS_TO[decision.goal_status]
        fields["goal_confidence"] = decision.goal_confidence
    if decision.derived_rubric:
        fields["derived_rubric"] = rubric_to(decision.derived_rubric)
    if decision.scenario_outcome is not None:
        fields["scenario_outcome"] = SCENARIO_OUTCOME_TO[decision.scenario_outcome]
    return fields


def stage_to(stage: StageResult) -> pb.StageResult:
    """Return the contract's stage result."""
    return pb.StageResult(**_stage(stage))


def seat_to(seat: SeatResult) -> pb.SeatResult:
    """Return the contract's seat result."""
    return pb.SeatResult(**_seat(seat))


def hierarchy_to(hierarchy: Hierarchy) -> judge_pb2.Hierarchy:
    """Return the contract's hierarchy."""
    return judge_pb2.Hierarchy(
        parent_decision_id=hierarchy.parent_decision_id,
        depth=hierarchy.depth,
        path=hierarchy.path,
    )


def hierarchy_from(message: judge_pb2.Hierarchy) -> Hierarchy:
    """Return the domain's hierarchy."""
    return Hierarchy(message.parent_decision_id, message.depth, tuple(message.path))


def _stage(stage: StageResult) -> dict[str, Any]:
    fields: dict[str, Any] = {
        "stage": stage.stage,
        "gate": _gate(stage.gate),
        "duration": _duration(stage.duration_seconds),
    }
    if stage.consensus is not None:
        fields["consensus"] = consensus_fields(stage.consensus)
    if stage.checks:
        fields["checks"] = [check_fields(check) for check in stage.checks]
    if stage.settled:
        fields["settled"] = True
    return fields


def _seat(seat: SeatResult) -> dict[str, Any]:
    fields: dict[str, Any] = {
        "judge": seat.judge,
        "weight": seat.weight,
        "status": SEAT_STATUS_TO[seat.status],
        "duration": _duration(seat.duration_seconds),
        "attempts": seat.attempts,
    }
    if seat.struck:
        fields["struck_count"] = seat.struck
    if seat.shadow:
        fields["shadow"] = True
    if seat.usage is not None:
        fields["usage"] = usage_fields(seat.usage)
    answer = seat.answer
    if isinstance(answer, GradientResult):
        fields["gradient"] = gradient_fields(answer)
    elif isinstance(answer, Abstention):
        fields["abstention"] = {"reason": answer.reason}
    elif isinstance(answer, Failure):
        fields["failure"] = {"kind": KIND_TO[answer.kind], "reason": answer.reason}
    return fields


def consensus_fields(consensus: Consensus) -> Fields:
    """Return a panel's consensus as the message's fields."""
    fields: dict[str, Any] = {
        "final_score": consensus.final_score,
        "consensus_confidence": consensus.confidence,
        "agreement": consensus.agreement,
        "coverage": consensus.coverage,
        "strategy": STRATEGY_TO[consensus.strategy],
        "threshold": consensus.threshold,
        "individual_results": [_seat(seat) for seat in consensus.seats],
    }
    if consensus.tie:
        fields["tie"] = True
    if consensus.dissents:
        fields["dissents"] = [_dissent(dissent) for dissent in consensus.dissents]
    return fields


def _dissent(dissent: Dissent) -> Fields:
    flip = dissent.flip
    return {
        "judge": dissent.judge,
        "score": dissent.score,
        "flip": {"judge": flip.judge, "score": flip.score, "upward": flip.upward} if flip else None,
    }


def _criterion(criterion: CriterionResult) -> Fields:
    fields: dict[str, Any] = {
        "criterion_id": criterion.criterion_id,
        "text": criterion.text,
        "status": STATUS_TO[criterion.status],
    }
    if criterion.required:
        fields["required"] = True
    if criterion.met or criterion.unmet:
        fields["met_count"], fields["unmet_count"] = criterion.met, criterion.unmet
    if criterion.evidence:
        fields["evidence"] = [evidence_fields(evidence) for evidence in criterion.evidence]
    return fields


def _gate(gate: GateResult) -> Fields:
    return {
        "answer": ANSWER_TO[gate.answer],
        "score_ok": gate.score_ok,
        "confidence_ok": gate.confidence_ok,
        "agreement_ok": gate.agreement_ok,
        "criteria_ok": gate.criteria_ok,
        "quorum_ok": gate.quorum_ok,
        "seats_ok": gate.seats_ok,
    }


def check_fields(check: CheckResult) -> Fields:
    """Return a check's result as the message's fields."""
    fields: dict[str, Any] = {
        "check": check.check,
        "passed": check.passed,
        "message": check.message,
    }
    if check.score is not None:
        fields["score"] = check.score
    return fields


def _duration(seconds: float) -> Fields:
    nanos = round(seconds * 1e9)
    if nanos < 10**9:
        return {"nanos": nanos}
    return {"seconds": nanos // 10**9, "nanos": nanos % 10**9}
