"""The decision's line: who decided what and why, in codes, without a word of what was judged."""

import datetime
import io
import json
import logging

import pytest

from consensus.domain.decision import (
    Consensus,
    Decision,
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
from consensus.domain.gradient import Failure, FailureKind, GradientResult
from consensus.domain.policy import StrategyName
from consensus.telemetry.context import begin_trace, current_trace_id
from consensus.telemetry.logs import DecisionLog, FailedSeatLog, structured_logs

GATE = GateResult(
    answer=GateAnswer.PASS,
    score_ok=True,
    confidence_ok=True,
    agreement_ok=True,
    criteria_ok=True,
    quorum_ok=True,
    seats_ok=True,
)
SCORED = SeatResult(
    judge="good",
    weight=1.0,
    status=SeatStatus.SCORED,
    answer=GradientResult(score=1.0, confidence=1.0, reasoning="SENTINEL"),
)
FAILED = SeatResult(
    judge="down",
    weight=1.0,
    status=SeatStatus.FAILED,
    answer=Failure(FailureKind.TIMEOUT, "no answer within 2 s"),
)
PANEL = Consensus(strategy=StrategyName.MEDIAN, threshold=0.7, seats=(SCORED, FAILED), coverage=0.5)
DECISION = Decision(
    decision_id="d1",
    verdict=Verdict.RETRY,
    reasons=(Reason(ReasonCode.SCORE_BELOW_MIN, "SENTINEL"),),
    feedback="SENTINEL",
    effective_score=0.1,
    criteria=(),
    stages=(
        StageResult(stage="checks", gate=GATE),
        StageResult(stage="s", gate=GATE, consensus=PANEL),
    ),
    policy="p",
    policy_revision="r",
    hierarchy=Hierarchy("d0", 1, ("d0",)),
    create_time=datetime.datetime(2026, 1, 1, tzinfo=datetime.UTC),
    duration_seconds=0.0123456,
)


def test_a_decision_is_one_line_of_codes() -> None:
    stream = io.StringIO()
    with structured_logs("info", lambda: None, stream):
        begin_trace("")
        DecisionLog().decided(DECISION)
    (line,) = stream.getvalue().splitlines()
    told = {
        "message": "decision",
        "logger": "consensus.decisions",
        "level": "INFO",
        "trace_id": current_trace_id(),
        "decision_id": "d1",
        "policy": "p",
        "policy_revision": "r",
        "verdict": "retry",
        "reasons": ["SCORE_BELOW_MIN"],
        "seats": ["good:scored", "down:failed"],
        "depth": 1,
        "duration_ms": 12.346,
    }
    said = json.loads(line)
    assert said.pop("timestamp")
    assert said == told


def test_a_level_above_info_costs_nothing(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING, "consensus.decisions")
    DecisionLog().decided(DECISION)
    assert caplog.records == []


def test_a_failed_seat_is_told_at_debug_and_no_other_step(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG, "consensus.decisions")
    told = FailedSeatLog()
    told.seat_started("s", "good")
    told.seat_finished("s", SCORED)
    told.stage_finished("p", DECISION.stages[1])
    assert caplog.records == []
    told.seat_finished("s", FAILED)
    (record,) = caplog.records
    facts = {"stage": "s", "judge": "down", "kind": "timeout", "reason": "no answer within 2 s"}
    assert {key: getattr(record, key) for key in facts} == facts
    assert record.levelno == logging.DEBUG
