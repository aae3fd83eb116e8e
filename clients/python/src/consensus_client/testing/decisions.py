"""Decisions to script, shaped as a server's: one stage with one seat."""

import uuid
from collections.abc import Iterator

from google.protobuf.timestamp_pb2 import Timestamp

from consensus.v1 import decision_pb2
from consensus.v1.consensus_pb2 import (
    ChildExecution,
    JudgeRequest,
    SeatFinished,
    SeatStarted,
    StageFinished,
    StateChanged,
    StreamJudgeResponse,
)
from consensus.v1.decision_pb2 import (
    Consensus,
    Decision,
    GateResult,
    Reason,
    SeatResult,
    StageResult,
)
from consensus.v1.gradient_pb2 import GradientResult
from consensus_client.words import ExecutionState, GateAnswer, SeatStatus, Strategy, Verdict

STATE_AFTER = {
    Verdict.ACCEPT: ExecutionState.SUCCESS,
    Verdict.RETRY: ExecutionState.REFINING,
    Verdict.ESCALATE: ExecutionState.FAILED,
}
"""Where each verdict leaves the worker's execution."""
STAGE = "scripted"
JUDGE = "scripted"


def accept(score: float = 1.0, confidence: float = 1.0) -> Decision:
    """Decide ACCEPT. Score and confidence from 0 to 1."""
    gate = _gate(GateAnswer.PASS)
    reason = Reason(code="GATES_PASSED", message=f"Score {score:g}, as scripted.")
    return _decision(Verdict.ACCEPT, reason, "", _stage(score, confidence, gate))


def retry(feedback: str, score: float = 0.25, confidence: float = 1.0) -> Decision:
    """Decide RETRY with this feedback for the worker. Score and confidence from 0 to 1."""
    gate = _gate(GateAnswer.FAIL, score_ok=False)
    reason = Reason(code="SCORE_BELOW_MIN", message=f"Score {score:g}, as scripted.")
    return _decision(Verdict.RETRY, reason, feedback, _stage(score, confidence, gate))


def escalate(feedback: str = "", score: float = 0.75, confidence: float = 0.25) -> Decision:
    """Decide ESCALATE, for want of confidence. Score and confidence from 0 to 1."""
    gate = _gate(GateAnswer.UNSURE, confidence_ok=False)
    reason = Reason(code="CONFIDENCE_BELOW_MIN", message=f"Confidence {confidence:g}, as scripted.")
    return _decision(Verdict.ESCALATE, reason, feedback, _stage(score, confidence, gate))


def completed(decision: Decision, request: JudgeRequest) -> Decision:
    """Return a copy with what a server always sets: identity, policy, revision, time and state; and
    the rubric where the request wants one derived: one criterion, C1, that asks for the task.
    """
    whole = Decision(
        decision_id=str(uuid.uuid4()),
        policy=request.policy or "default",
        policy_revision=f"sha256:{'0' * 16}",
        create_time=_now(),
        execution_state=STATE_AFTER.get(decision.verdict),
    )
    if request.HasField("derive_criteria") and not decision.HasField("derived_rubric"):
        task = request.submission.task
        whole.derived_rubric.criteria.add(id="C1", text=f"Does the task: {task}", required=True)
    whole.MergeFrom(decision)
    return whole


def steps(decision: Decision) -> Iterator[StreamJudgeResponse]:
    """Yield the steps that lead to a decision, and the decision."""
    yield _entered(ExecutionState.RUNNING)
    if decision.stages:
        yield _entered(ExecutionState.VALIDATING)
    for stage in decision.stages:
        for place, seat in enumerate(stage.consensus.individual_results):
            child = ChildExecution(
                execution_id=f"{decision.decision_id}/{stage.stage}/{place}",
                parent_decision_id=decision.decision_id,
                depth=1,
                path=[decision.decision_id],
                start_time=_now(),
            )
            started = SeatStarted(stage=stage.stage, judge=seat.judge, child=child)
            yield StreamJudgeResponse(seat_started=started)
            child.end_time.CopyFrom(_now())
            finished = SeatFinished(stage=stage.stage, seat=seat, child=child)
            yield StreamJudgeResponse(seat_finished=finished)
        yield StreamJudgeResponse(stage_finished=StageFinished(stage=stage))
    if decision.execution_state:
        yield _entered(decision.execution_state)
    yield StreamJudgeResponse(decision=decision)


def _entered(state: decision_pb2.ExecutionState) -> StreamJudgeResponse:
    return StreamJudgeResponse(state_changed=StateChanged(state=state, time=_now()))


def _now() -> Timestamp:
    now = Timestamp()
    now.GetCurrentTime()
    return now


def _decision(
    verdict: decision_pb2.Verdict, reason: Reason, feedback: str, stage: StageResult
) -> Decision:
    return Decision(
        verdict=verdict,
        reasons=[reason],
        feedback=feedback,
        effective_score=stage.consensus.final_score,
        stages=[stage],
    )


def _gate(
    answer: decision_pb2.GateAnswer, *, score_ok: bool = True, confidence_ok: bool = True
) -> GateResult:
    return GateResult(
        answer=answer,
        score_ok=score_ok,
        confidence_ok=confidence_ok,
        agreement_ok=True,
        criteria_ok=True,
        quorum_ok=True,
        seats_ok=True,
    )


def _stage(score: float, confidence: float, gate: GateResult) -> StageResult:
    seat = SeatResult(
        judge=JUDGE,
        weight=1.0,
        status=SeatStatus.SCORED,
        gradient=GradientResult(score=score, confidence=confidence, reasoning="As scripted."),
        attempts=1,
    )
    consensus = Consensus(
        final_score=score,
        consensus_confidence=confidence,
        coverage=1.0,
        strategy=Strategy.WEIGHTED_AVERAGE,
        threshold=0.5,
        individual_results=[seat],
    )
    return StageResult(stage=STAGE, consensus=consensus, gate=gate)
