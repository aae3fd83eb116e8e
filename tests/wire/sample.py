"""A decision with something in every field."""

import datetime

from consensus.domain.decision import (
    CheckResult,
    Consensus,
    CriterionResult,
    Decision,
    Dissent,
    Flip,
    GateAnswer,
    GateResult,
    Hierarchy,
    Reason,
    ReasonCode,
    SeatResult,
    SeatStatus,
    StageResult,
    Verdict,
)
from consensus.domain.gradient import Abstention, Evidence, Failure, FailureKind, FindingStatus
from consensus.domain.policy import StrategyName
from consensus.v1 import decision_pb2
from consensus.wire.decision import decision_fields
from tests.builders import finds

PASSED = GateResult(
    answer=GateAnswer.PASS,
    score_ok=True,
    confidence_ok=True,
    agreement_ok=True,
    criteria_ok=True,
    quorum_ok=True,
    seats_ok=True,
)
SEATS = (
    SeatResult(
        judge="a",
        weight=2.0,
        status=SeatStatus.SCORED,
        answer=finds(0.5, C1="met"),
        duration_seconds=1.5,
        attempts=1,
        struck=3,
    ),
    SeatResult(
        judge="b", weight=1.0, status=SeatStatus.ABSTAINED, answer=Abstention("no"), attempts=1
    ),
    SeatResult(
        judge="c",
        weight=0.0,
        status=SeatStatus.FAILED,
        answer=Failure(FailureKind.TIMEOUT, "late"),
        attempts=1,
    ),
    SeatResult(judge="d", weight=1.0, status=SeatStatus.SKIPPED),
)
CONSENSUS = Consensus(
    strategy=StrategyName.MEDIAN,
    threshold=0.7,
    seats=SEATS,
    coverage=0.5,
    final_score=0.5,
    confidence=0.25,
    agreement=0.75,
    tie=True,
    dissents=(Dissent("a", 0.5, Flip("a", 0.7, True)), Dissent("b", 0.1, None)),
)
CRITERION = CriterionResult(
    criterion_id="C1",
    text="Holds C1",
    required=True,
    status=FindingStatus.MET,
    met=2,
    unmet=1,
    evidence=(Evidence("tower"), Evidence("Where?", 0)),
)
DECISION = Decision(
    decision_id="d1",
    verdict=Verdict.RETRY,
    reasons=(Reason(ReasonCode.TIE, "A tie."),),
    feedback="Mend it.",
    effective_score=0.5,
    criteria=(CRITERION,),
    stages=(
        StageResult(
            stage="checks", gate=PASSED, checks=(CheckResult("contains x", False, "not found"),)
        ),
        StageResult(
            stage="bench", gate=PASSED, consensus=CONSENSUS, settled=True, duration_seconds=2.25
        ),
    ),
    policy="rules",
    policy_revision="sha256:1",
    hierarchy=Hierarchy("root", 1, ("root",)),
    create_time=datetime.datetime(2026, 1, 2, 3, 4, 5, 600_000, tzinfo=datetime.UTC),
    duration_seconds=2.5,
)


def decision_to(decision: Decision) -> decision_pb2.Decision:
    """Return a decision as it is sent."""
    return decision_pb2.Decision(**decision_fields(decision))
