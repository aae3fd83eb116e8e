"""A decision on the wire holds everything that the domain's does, each number present or not."""

import datetime
from collections.abc import Iterator
from dataclasses import replace
from enum import Enum

import pytest
from google.protobuf import json_format
from google.protobuf.descriptor import EnumDescriptor

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
from consensus.v1 import decision_pb2, gradient_pb2
from consensus.wire.decision import decision_to, hierarchy_from, hierarchy_to, seat_to, stage_to
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


def test_everything_that_a_decision_holds_is_sent() -> None:
    sent = json_format.MessageToDict(decision_to(DECISION), preserving_proto_field_name=True)
    gate = {"answer": "GATE_ANSWER_PASS"} | {
        f"{name}_ok": True
        for name in ("score", "confidence", "agreement", "criteria", "quorum", "seats")
    }
    gradient = {
        "score": 0.5,
        "confidence": 1.0,
        "findings": [{"criterion_id": "C1", "status": "FINDING_STATUS_MET"}],
    }
    seats = [
        {"judge": "a", "weight": 2.0, "status": "SEAT_STATUS_SCORED", "gradient": gradient}
        | {"duration": "1.500s", "attempts": 1, "struck_count": 3},
        {"judge": "b", "weight": 1.0, "status": "SEAT_STATUS_ABSTAINED", "duration": "0s"}
        | {"attempts": 1, "abstention": {"reason": "no"}},
        {"judge": "c", "status": "SEAT_STATUS_FAILED", "attempts": 1, "duration": "0s"}
        | {"failure": {"kind": "FAILURE_KIND_TIMEOUT", "reason": "late"}},
        {"judge": "d", "weight": 1.0, "status": "SEAT_STATUS_SKIPPED", "duration": "0s"},
    ]
    consensus = {
        "final_score": 0.5,
        "consensus_confidence": 0.25,
        "agreement": 0.75,
        "coverage": 0.5,
        "strategy": "STRATEGY_MEDIAN",
        "threshold": 0.7,
        "tie": True,
        "individual_results": seats,
        "dissents": [
            {"judge": "a", "score": 0.5, "flip": {"judge": "a", "score": 0.7, "upward": True}},
            {"judge": "b", "score": 0.1},
        ],
    }
    quotes = [{"quote": "tower"}, {"quote": "Where?", "message_index": 0}]
    counts = {"status": "FINDING_STATUS_MET", "met_count": 2, "unmet_count": 1, "evidence": quotes}
    check = {"check": "contains x", "message": "not found"}
    assert sent == {
        "decision_id": "d1",
        "verdict": "VERDICT_RETRY",
        "reasons": [{"code": "TIE", "message": "A tie."}],
        "feedback": "Mend it.",
        "effective_score": 0.5,
        "criteria": [{"criterion_id": "C1", "text": "Holds C1", "required": True} | counts],
        "stages": [
            {"stage": "checks", "checks": [check], "gate": gate, "duration": "0s"},
            {"stage": "bench", "consensus": consensus, "gate": gate}
            | {"settled": True, "duration": "2.250s"},
        ],
        "policy": "rules",
        "policy_revision": "sha256:1",
        "hierarchy": {"parent_decision_id": "root", "depth": 1, "path": ["root"]},
        "create_time": "2026-01-02T03:04:05.600Z",
        "duration": "2.500s",
    }


@pytest.mark.parametrize("value", [0.0, 1.0, None])
def test_a_zero_is_sent_and_a_missing_number_is_not(value: float | None) -> None:
    numbers = {"final_score": value, "confidence": value, "agreement": value}
    stage = replace(DECISION.stages[1], consensus=replace(CONSENSUS, **numbers))  # type: ignore[arg-type]
    sent = stage_to(stage).consensus
    for name in ("final_score", "consensus_confidence", "agreement"):
        assert sent.HasField(name) is (value is not None)
    decision = decision_to(replace(DECISION, effective_score=value))
    assert decision.HasField("effective_score") is (value is not None)


def test_a_stage_of_checks_has_no_consensus() -> None:
    assert not stage_to(DECISION.stages[0]).HasField("consensus")


@pytest.mark.parametrize("seconds", [0.0, 1e-9, 0.999999999, 1.0, 86_400.25])
def test_a_duration_is_exact_to_the_nanosecond(seconds: float) -> None:
    seat = replace(SEATS[0], duration_seconds=seconds)
    assert seat_to(seat).duration.ToNanoseconds() == round(seconds * 1e9)


def test_a_hierarchy_crosses_both_ways() -> None:
    hierarchy = Hierarchy("b", 2, ("a", "b"))
    assert hierarchy_from(hierarchy_to(hierarchy)) == hierarchy
    assert hierarchy_from(hierarchy_to(Hierarchy())) == Hierarchy()


def sent_enums() -> Iterator[tuple[type[Enum], EnumDescriptor, list[int]]]:
    """Yield each enum of the domain, the contract's, and what each member is sent as."""
    of = decision_pb2.DESCRIPTOR.enum_types_by_name
    yield (
        Verdict,
        of["Verdict"],
        [decision_to(replace(DECISION, verdict=verdict)).verdict for verdict in Verdict],
    )
    stages = [
        replace(DECISION.stages[1], consensus=replace(CONSENSUS, strategy=strategy))
        for strategy in StrategyName
    ]
    yield StrategyName, of["Strategy"], [stage_to(stage).consensus.strategy for stage in stages]
    seats = [replace(SEATS[3], status=status) for status in SeatStatus]
    yield SeatStatus, of["SeatStatus"], [seat_to(seat).status for seat in seats]
    seats = [replace(SEATS[2], answer=Failure(kind, "")) for kind in FailureKind]
    yield FailureKind, of["FailureKind"], [seat_to(seat).failure.kind for seat in seats]
    gates = [replace(PASSED, answer=answer) for answer in GateAnswer]
    stages = [StageResult(stage="s", gate=gate) for gate in gates]
    yield GateAnswer, of["GateAnswer"], [stage_to(stage).gate.answer for stage in stages]
    criteria = [replace(CRITERION, status=status) for status in FindingStatus]
    decisions = [replace(DECISION, criteria=(criterion,)) for criterion in criteria]
    statuses = [decision_to(decision).criteria[0].status for decision in decisions]
    yield FindingStatus, gradient_pb2.DESCRIPTOR.enum_types_by_name["FindingStatus"], statuses


@pytest.mark.parametrize(("domain", "contract", "sent"), sent_enums(), ids=lambda part: str(part))
def test_every_member_of_an_enum_is_sent_as_the_value_of_its_name(
    domain: type[Enum], contract: EnumDescriptor, sent: list[int]
) -> None:
    names = [contract.values_by_number[number].name for number in sent]
    prefix = contract.values_by_number[0].name.removesuffix("UNSPECIFIED")
    assert names == [f"{prefix}{member.name}" for member in domain]
    assert set(sent) == set(contract.values_by_number) - {0}


def test_every_enum_of_the_contract_is_looked_at() -> None:
    files = (decision_pb2.DESCRIPTOR, gradient_pb2.DESCRIPTOR)
    names = {name for file in files for name in file.enum_types_by_name}
    assert {contract.name for _, contract, _ in sent_enums()} == names
