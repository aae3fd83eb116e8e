"""A decision on the wire holds everything that the domain's does, each number present or not."""

import pytest
from google.protobuf import json_format
from msgspec.structs import replace

from consensus.domain.decision import Hierarchy
from consensus.wire.decision import hierarchy_from, hierarchy_to, seat_to, stage_to
from tests.wire.sample import CONSENSUS, DECISION, SEATS, decision_to


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
        "execution_state": "EXECUTION_STATE_REFINING",
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
