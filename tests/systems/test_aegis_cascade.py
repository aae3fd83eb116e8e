"""AEGIS's cascade through the running server with the shipped policy: validators and gates."""

from collections.abc import AsyncIterator
from typing import Any

import grpc
import pytest

from consensus.v1 import decision_pb2
from consensus.v1.submission_pb2 import ProcessResult, Turn
from tests.service.scripted_judge import abstention, answers, gradient, refuses
from tests.systems.aegis_running import (
    OUTPUT,
    PANEL,
    SEMANTIC,
    STAGES,
    Validated,
    codes,
    ran,
    stage_of,
    validated,
)

ACCEPT, RETRY = decision_pb2.VERDICT_ACCEPT, decision_pb2.VERDICT_RETRY
ESCALATE = decision_pb2.VERDICT_ESCALATE
WARNED = ProcessResult(stderr="DeprecationWarning: imp")


def _least_confidence(content: dict[str, Any]) -> None:
    """Add policies beside the shipped one, for what is a choice of the policy."""
    shipped = content["policies"]["aegis"]
    sure = [*shipped["stages"][:3], stage_of(content, "semantic") | {"gate": {}}]
    sure[3]["gate"] = {"min_score": 0.7, "min_confidence": 0.8}
    documented = [{"name": "exit_code", "checks": [{"exit_code": {}}]}]
    lenient = {"exit_code": {"stderr_score": 0.85, "min_score": 0.85}}
    stderr = {"name": "stderr", "checks": [{"regex": "^$|Warning", "target": "stderr"}]}
    retrying = [stage_of(content, "semantic") | {"on_no_quorum": "retry", "on_pass": "accept"}]
    content["policies"] |= {
        "sure": {"stages": [*sure[:3], sure[3] | {"on_pass": "accept"}]},
        "documented": {"stages": documented},
        "lenient": {"stages": [{"name": "exit_code", "checks": [lenient]}]},
        "stderr": {"stages": [stderr]},
        "three": {"stages": [{"name": "exit_code", "checks": [{"exit_code": {"expected": 3}}]}]},
        "retrying": {"stages": retrying},
    }


@pytest.fixture(scope="module")
async def served() -> AsyncIterator[Validated]:
    async with validated(_least_confidence) as running:
        yield running


@pytest.fixture
def running(served: Validated) -> Validated:
    served.script()
    return served


async def test_what_every_validator_passes_is_accepted(running: Validated) -> None:
    decision = await running.decide()
    assert (decision.verdict, ran(decision), codes(decision)) == (ACCEPT, STAGES, ["GATES_PASSED"])
    assert running.asked[0] == SEMANTIC
    assert sorted(running.asked[1:]) == sorted(PANEL)


@pytest.mark.parametrize(
    ("fields", "stages"),
    [
        pytest.param({"process": ProcessResult(exit_code=1)}, STAGES[:1], id="exit code"),
        pytest.param(
            {"process": ProcessResult(exit_code=1), "candidate": ""}, STAGES[:1], id="no output"
        ),
        pytest.param({"candidate": '{"summary": "Two."}'}, STAGES[:2], id="schema"),
        pytest.param({"candidate": '{"summary": "", "files": []}'}, STAGES[:3], id="expression"),
    ],
)
async def test_the_first_validator_that_fails_stops_the_rest_and_no_judge_is_asked(
    running: Validated, fields: dict[str, Any], stages: list[str]
) -> None:
    decision = await running.decide(**fields)
    assert (decision.verdict, ran(decision)) == (RETRY, stages)
    assert codes(decision) == ["CHECK_FAILED"]
    assert running.asked == []


async def test_a_single_judge_that_is_not_pleased_spares_the_panel(running: Validated) -> None:
    running.script(code_quality_judge=answers(gradient(0.6, 0.9)))
    decision = await running.decide()
    assert (decision.verdict, ran(decision), running.asked) == (RETRY, STAGES[:4], [SEMANTIC])


@pytest.mark.parametrize(
    ("policy", "process", "score", "passes"),
    [
        pytest.param("aegis", ProcessResult(), 1.0, True, id="code: exit 0"),
        pytest.param("aegis", WARNED, 0.85, False, id="code: exit 0 with stderr is 0.85"),
        pytest.param("aegis", ProcessResult(exit_code=1), 0.0, False, id="code: exit 1"),
        pytest.param("documented", WARNED, 1.0, True, id="documents: stderr does not count"),
        pytest.param("documented", ProcessResult(exit_code=1), 0.0, False, id="documents: exit 1"),
        pytest.param("lenient", WARNED, 0.85, True, id="a lower min_score"),
        pytest.param("three", ProcessResult(exit_code=3), 1.0, True, id="expected is heeded"),
        pytest.param("three", ProcessResult(), 0.0, False, id="exit 0 is not the expected 3"),
        pytest.param("aegis", None, 0.0, False, id="no process"),
    ],
)
async def test_the_exit_code_scores_as_the_policy_says(
    running: Validated, policy: str, process: ProcessResult | None, score: float, passes: bool
) -> None:
    decision = await running.decide(policy=policy, process=process)
    (check,) = decision.stages[0].checks
    assert check.passed is passes
    assert (check.score if check.HasField("score") else float(passes)) == score
    if not passes:
        assert decision.effective_score == score


@pytest.mark.parametrize(
    ("text", "passes"),
    [
        pytest.param(OUTPUT, True, id="bare"),
        pytest.param(f"```json\n{OUTPUT}\n```", True, id="fenced"),
        pytest.param(f"```\n{OUTPUT}\n```", True, id="fenced, no tag"),
        pytest.param("Two files.", False, id="no JSON"),
        pytest.param('{"files": []}', False, id="not by the schema"),
    ],
)
async def test_the_schema_sees_standard_output_less_a_fence(
    running: Validated, text: str, passes: bool
) -> None:
    decision = await running.decide(candidate=text)
    assert (len(decision.stages) > 2) is passes


async def test_an_expression_is_searched_unanchored_in_the_target_that_is_named(
    running: Validated,
) -> None:
    assert (await running.decide(policy="stderr", process=WARNED)).verdict == ACCEPT
    noisy = ProcessResult(stderr="Traceback")
    assert (await running.decide(policy="stderr", process=noisy)).verdict == RETRY


@pytest.mark.parametrize(
    ("score", "confidence", "verdict", "reasons"),
    [
        pytest.param(0.7, 0.8, ACCEPT, ["GATES_PASSED"], id="both reached"),
        pytest.param(0.699999, 1.0, RETRY, ["SCORE_BELOW_MIN"], id="the score is below"),
        pytest.param(1.0, 0.799999, RETRY, ["CONFIDENCE_BELOW_MIN"], id="the confidence is below"),
        pytest.param(
            0.1, 0.1, RETRY, ["SCORE_BELOW_MIN", "CONFIDENCE_BELOW_MIN"], id="both are below"
        ),
    ],
)
async def test_the_gate_is_inclusive_and_names_every_bound_that_is_missed(
    running: Validated, score: float, confidence: float, verdict: int, reasons: list[str]
) -> None:
    running.script(code_quality_judge=answers(gradient(score, confidence)))
    decision = await running.decide(policy="sure")
    assert (decision.verdict, codes(decision)) == (verdict, reasons)


async def test_low_confidence_goes_back_with_its_reasoning_and_the_judge_is_asked_once(
    running: Validated,
) -> None:
    unsure = gradient(0.9, 0.3, reasoning="I cannot see how errors are handled.")
    running.script(code_quality_judge=answers(unsure))
    decision = await running.decide(policy="sure")
    assert decision.verdict == RETRY
    assert "I cannot see how errors are handled." in decision.feedback
    assert running.asked == [SEMANTIC]


async def test_the_effective_score_is_the_lowest_of_all_that_ran(running: Validated) -> None:
    running.script(requirements_judge=answers(gradient(0.6, 0.9)))
    decision = await running.decide()
    panel = decision.stages[-1].consensus.final_score
    assert panel == pytest.approx(0.8)
    assert decision.effective_score == panel


@pytest.mark.parametrize(
    ("score", "asks"),
    [
        pytest.param(0.15, "start again with another approach", id="a rewrite"),
        pytest.param(0.5, "rework what is named here", id="in between"),
        pytest.param(0.69, "mend only what is named here", id="a small patch"),
    ],
)
async def test_feedback_begins_with_how_bad_it_is_and_holds_the_reasoning(
    running: Validated, score: float, asks: str
) -> None:
    said = gradient(score, 0.9, reasoning="Error handling is absent.")
    running.script(code_quality_judge=answers(said))
    first, *more = (await running.decide()).feedback.splitlines()
    assert first.startswith(f"Score {score:.2f}: ")
    assert asks in first
    assert more == [f"- {SEMANTIC} ({score:.2f}): Error handling is absent."]


async def test_a_score_of_085_asks_for_a_small_patch(running: Validated) -> None:
    first = (await running.decide(process=WARNED)).feedback.splitlines()[0]
    assert first == "Score 0.85: nearly there. Keep the work and mend only what is named here."


@pytest.mark.parametrize(
    ("iteration", "score", "verdict", "reason"),
    [
        pytest.param(0, 0.1, RETRY, "SCORE_BELOW_MIN", id="the first of five goes back"),
        pytest.param(3, 0.1, RETRY, "SCORE_BELOW_MIN", id="the fourth goes back"),
        pytest.param(4, 0.1, ESCALATE, "TURNS_SPENT", id="the fifth fails"),
        pytest.param(4, 0.9, ACCEPT, "GATES_PASSED", id="the fifth is accepted"),
        pytest.param(5, 0.9, ESCALATE, "TURNS_SPENT", id="a sixth is not judged"),
    ],
)
async def test_an_execution_fails_when_its_iterations_run_out(
    running: Validated, iteration: int, score: float, verdict: int, reason: str
) -> None:
    running.script(code_quality_judge=answers(gradient(score, 0.9)))
    decision = await running.decide(turn=Turn(iteration=iteration))
    assert decision.verdict == verdict
    assert reason in codes(decision)


@pytest.mark.parametrize(
    ("policy", "verdict"),
    [
        pytest.param("aegis", ESCALATE, id="newer: the execution ends, the worker is not blamed"),
        pytest.param("retrying", RETRY, id="older: the worker tries again"),
    ],
)
@pytest.mark.parametrize("down", [refuses(grpc.StatusCode.INTERNAL), answers(abstention())])
async def test_a_judge_that_is_down_does_what_the_policy_says(
    running: Validated, policy: str, verdict: int, down: Any
) -> None:
    running.script(code_quality_judge=down)
    decision = await running.decide(policy=policy)
    assert (decision.verdict, codes(decision)[0]) == (verdict, "QUORUM_MISSED")
