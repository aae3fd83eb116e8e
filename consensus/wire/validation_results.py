"""A decision by kind of validator, domain -> proto, for callers that ask for it."""

from collections.abc import Sequence
from typing import Any

from consensus.domain.decision import (
    CheckResult,
    Consensus,
    Decision,
    GateAnswer,
    SeatResult,
    StageResult,
)
from consensus.domain.gradient import Abstention, Failure
from consensus.v1 import consensus_pb2, decision_pb2, submission_pb2
from consensus.wire.decision import consensus_fields, decision_fields
from consensus.wire.gradient import Fields, gradient_fields

MAX_STDERR = 4_000


def reply_fields(decision: Decision, request: consensus_pb2.JudgeRequest) -> dict[str, Any]:
    """Return the decision as keyword arguments, with what the request asks for beside it."""
    fields = decision_fields(decision)
    if request.include_validation_results:
        fields["validation_results"] = validation_results(decision.stages, request.submission)
    return fields


def reply(decision: Decision, request: consensus_pb2.JudgeRequest) -> decision_pb2.Decision:
    """Return the decision as a message, with what the request asks for beside it."""
    return decision_pb2.Decision(**reply_fields(decision, request))


def validation_results(
    stages: Sequence[StageResult], submission: submission_pb2.Submission
) -> dict[str, Any]:
    """Return what the stages came to by kind of validator; kinds that did not run are left out."""
    fields: dict[str, Any] = {}
    checks = [check for stage in stages for check in stage.checks]
    if ending := [check for check in checks if check.of_process]:
        fields["system"] = _system(ending, submission)
    if others := [check for check in checks if not check.of_process]:
        failed = next((check.message for check in others if not check.passed), None)
        fields["output"] = {"success": failed is None, "error": failed or ""}
    for stage in stages:  # the last of each kind stands
        if stage.consensus is not None:
            _add_panel(fields, stage, stage.consensus)
    return fields


def _system(checks: Sequence[CheckResult], submission: submission_pb2.Submission) -> Fields:
    ran = submission.HasField("process")
    return {
        "success": all(check.passed for check in checks),
        "exit_code": submission.process.exit_code if ran else None,
        "stderr": submission.process.stderr[:MAX_STDERR],
    }


def _add_panel(fields: dict[str, Any], stage: StageResult, consensus: Consensus) -> None:
    judges = [seat for seat in consensus.seats if seat.votes]
    if len(judges) != 1:
        fields["consensus"] = consensus_fields(consensus)
        return
    gradient = judges[0].gradient
    fields["semantic"] = {
        "success": stage.gate.answer is GateAnswer.PASS,
        "score": gradient.score if gradient else None,
        "reasoning": gradient.reasoning if gradient else _why_none(judges[0]),
    }
    fields["gradient"] = gradient_fields(gradient) if gradient else None


def _why_none(seat: SeatResult) -> str:
    return seat.answer.reason if isinstance(seat.answer, (Abstention, Failure)) else ""
