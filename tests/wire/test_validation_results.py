"""A decision by kind of validator: only what ran is told, the last of each kind."""

from typing import Any

import pytest
from google.protobuf import json_format
from msgspec.structs import replace

from consensus.domain.decision import (
    CheckResult,
    Consensus,
    GateAnswer,
    SeatResult,
    SeatStatus,
    StageResult,
)
from consensus.domain.gradient import Abstention, Failure, FailureKind, GradientResult
from consensus.domain.policy import StrategyName
from consensus.v1 import consensus_pb2, decision_pb2, submission_pb2
from consensus.wire.validation_results import reply, validation_results
from tests.wire.sample import DECISION, PASSED

HELD = CheckResult("contains x", True, "found")
FAILED = CheckResult("contains y", False, "not found: 'y'")
ENDED = CheckResult("exits with 0", True, "exit code 0", of_process=True)
CRASHED = CheckResult("exits with 0", False, "exit code 1", of_process=True)
NO = replace(PASSED, answer=GateAnswer.FAIL)


def checked(*checks: CheckResult) -> StageResult:
    return StageResult(stage="checks", gate=PASSED, checks=checks)


def scored(judge: str, score: float = 0.75, **more: Any) -> SeatResult:
    gradient = GradientResult(score=score, confidence=0.5, reasoning=f"{judge} says so.")
    fields: dict[str, Any] = {"judge": judge, "weight": 1.0} | more
    return SeatResult(status=SeatStatus.SCORED, answer=gradient, **fields)


def panel(*seats: SeatResult, gate: Any = PASSED) -> StageResult:
    consensus = Consensus(
        strategy=StrategyName.WEIGHTED_AVERAGE,
        threshold=0.7,
        seats=seats,
        coverage=1.0,
        final_score=0.75,
    )
    return StageResult(stage="panel", gate=gate, consensus=consensus)


def told(*stages: StageResult, **submission: Any) -> dict[str, Any]:
    fields = validation_results(stages, submission_pb2.Submission(**submission))
    message = decision_pb2.ValidationResults(**fields)
    found: dict[str, Any] = json_format.MessageToDict(message, preserving_proto_field_name=True)
    return found


def test_a_decision_without_stages_has_none_of_them() -> None:
    assert told() == {}


@pytest.mark.parametrize(
    ("stages", "system"),
    [
        ([checked(ENDED)], {"success": True, "exit_code": 0, "stderr": "w"}),
        ([checked(ENDED), checked(CRASHED)], {"exit_code": 0, "stderr": "w"}),
    ],
)
def test_the_system_holds_where_every_check_of_the_exit_code_does(
    stages: list[StageResult], system: dict[str, Any]
) -> None:
    process = submission_pb2.ProcessResult(stderr="w")
    assert told(*stages, process=process) == {"system": system}


def test_a_process_that_is_not_there_has_no_exit_code() -> None:
    assert told(checked(CRASHED)) == {"system": {}}


def test_standard_error_is_cut() -> None:
    process = submission_pb2.ProcessResult(exit_code=3, stderr="x" * 4_001)
    system = told(checked(CRASHED), process=process)["system"]
    assert (system["exit_code"], len(system["stderr"])) == (3, 4_000)


@pytest.mark.parametrize(
    ("stages", "output"),
    [
        ([checked(HELD)], {"success": True}),
        ([checked(HELD, FAILED), checked(HELD)], {"error": "not found: 'y'"}),
    ],
)
def test_the_output_tells_what_the_first_failed_check_has_seen(
    stages: list[StageResult], output: dict[str, Any]
) -> None:
    assert told(*stages) == {"output": output}


def test_one_judge_is_semantic_and_its_whole_gradient_is_told() -> None:
    found = told(panel(scored("a")), panel(scored("b", 0.25), gate=NO))
    assert found == {
        "semantic": {"score": 0.25, "reasoning": "b says so."},
        "gradient": {"score": 0.25, "confidence": 0.5, "reasoning": "b says so."},
    }


@pytest.mark.parametrize(
    ("status", "answer", "reasoning"),
    [
        (SeatStatus.ABSTAINED, Abstention("Too little to go by."), "Too little to go by."),
        (SeatStatus.FAILED, Failure(FailureKind.TIMEOUT, "no answer"), "no answer"),
        (SeatStatus.SKIPPED, None, None),
    ],
)
def test_one_judge_without_a_score_says_why(
    status: SeatStatus, answer: Any, reasoning: str | None
) -> None:
    seat = SeatResult(judge="a", weight=1.0, status=status, answer=answer)
    found = told(panel(seat, gate=NO))
    assert found == {"semantic": {"reasoning": reasoning} if reasoning else {}}


def test_shadows_and_weightless_seats_make_no_panel_of_several() -> None:
    found = told(panel(scored("a"), scored("b", shadow=True), scored("c", weight=0.0)))
    assert set(found) == {"semantic", "gradient"}
    assert found["semantic"]["success"]


def test_several_judges_are_a_consensus_with_every_seat() -> None:
    found = told(panel(scored("x"), scored("y")), panel(scored("a"), scored("b")))
    assert set(found) == {"consensus"}
    assert [seat["judge"] for seat in found["consensus"]["individual_results"]] == ["a", "b"]


def test_only_a_request_that_asks_gets_the_view() -> None:
    asking = consensus_pb2.JudgeRequest(include_validation_results=True)
    assert reply(DECISION, asking).HasField("validation_results")
    assert not reply(DECISION, consensus_pb2.JudgeRequest()).HasField("validation_results")
