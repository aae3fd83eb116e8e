"""Decisions and what they are made of: domain -> proto; and the hierarchy both ways."""

from google.protobuf import duration_pb2, timestamp_pb2

from consensus.domain.decision import (
    CheckResult,
    Consensus,
    CriterionResult,
    Decision,
    Dissent,
    GateAnswer,
    GateResult,
    Hierarchy,
    SeatResult,
    SeatStatus,
    StageResult,
    Verdict,
)
from consensus.domain.gradient import Abstention, Failure, GradientResult
from consensus.domain.policy import StrategyName
from consensus.v1 import decision_pb2 as pb
from consensus.v1 import gradient_pb2, judge_pb2
from consensus.wire.gradient import STATUS_TO, evidence_to, failure_to, gradient_to

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


def decision_to(decision: Decision) -> pb.Decision:
    """Return the contract's decision."""
    create_time = timestamp_pb2.Timestamp()
    create_time.FromDatetime(decision.create_time)
    return pb.Decision(
        decision_id=decision.decision_id,
        verdict=VERDICT_TO[decision.verdict],
        reasons=[pb.Reason(code=r.code.name, message=r.message) for r in decision.reasons],
        feedback=decision.feedback,
        effective_score=decision.effective_score,
        criteria=[_criterion_to(criterion) for criterion in decision.criteria],
        stages=[stage_to(stage) for stage in decision.stages],
        policy=decision.policy,
        policy_revision=decision.policy_revision,
        hierarchy=hierarchy_to(decision.hierarchy),
        create_time=create_time,
        duration=_duration(decision.duration_seconds),
    )


def stage_to(stage: StageResult) -> pb.StageResult:
    """Return the contract's stage result."""
    return pb.StageResult(
        stage=stage.stage,
        checks=[_check_to(check) for check in stage.checks],
        consensus=_consensus_to(stage.consensus) if stage.consensus else None,
        gate=_gate_to(stage.gate),
        settled=stage.settled,
        duration=_duration(stage.duration_seconds),
    )


def seat_to(seat: SeatResult) -> pb.SeatResult:
    """Return the contract's seat result."""
    message = pb.SeatResult(
        judge=seat.judge,
        weight=seat.weight,
        status=SEAT_STATUS_TO[seat.status],
        duration=_duration(seat.duration_seconds),
        attempts=seat.attempts,
        struck_count=seat.struck,
    )
    match seat.answer:
        case GradientResult():
            message.gradient.CopyFrom(gradient_to(seat.answer))
        case Abstention(reason):
            message.abstention.CopyFrom(gradient_pb2.Abstention(reason=reason))
        case Failure():
            message.failure.CopyFrom(failure_to(seat.answer))
        case None:
            pass
    return message


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


def _consensus_to(consensus: Consensus) -> pb.Consensus:
    return pb.Consensus(
        final_score=consensus.final_score,
        consensus_confidence=consensus.confidence,
        agreement=consensus.agreement,
        coverage=consensus.coverage,
        strategy=STRATEGY_TO[consensus.strategy],
        threshold=consensus.threshold,
        tie=consensus.tie,
        individual_results=[seat_to(seat) for seat in consensus.seats],
        dissents=[_dissent_to(dissent) for dissent in consensus.dissents],
    )


def _dissent_to(dissent: Dissent) -> pb.Dissent:
    flip = dissent.flip
    return pb.Dissent(
        judge=dissent.judge,
        score=dissent.score,
        flip=pb.Flip(judge=flip.judge, score=flip.score, upward=flip.upward) if flip else None,
    )


def _criterion_to(criterion: CriterionResult) -> pb.CriterionResult:
    return pb.CriterionResult(
        criterion_id=criterion.criterion_id,
        text=criterion.text,
        required=criterion.required,
        status=STATUS_TO[criterion.status],
        met_count=criterion.met,
        unmet_count=criterion.unmet,
        evidence=[evidence_to(evidence) for evidence in criterion.evidence],
    )


def _gate_to(gate: GateResult) -> pb.GateResult:
    return pb.GateResult(
        answer=ANSWER_TO[gate.answer],
        score_ok=gate.score_ok,
        confidence_ok=gate.confidence_ok,
        agreement_ok=gate.agreement_ok,
        criteria_ok=gate.criteria_ok,
        quorum_ok=gate.quorum_ok,
        seats_ok=gate.seats_ok,
    )


def _check_to(check: CheckResult) -> pb.CheckResult:
    return pb.CheckResult(check=check.check, passed=check.passed, message=check.message)


def _duration(seconds: float) -> duration_pb2.Duration:
    nanos = round(seconds * 1e9)
    return duration_pb2.Duration(seconds=nanos // 10**9, nanos=nanos % 10**9)
