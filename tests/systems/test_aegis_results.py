"""AEGIS's ValidationResults: the same decision by kind of validator, where it is asked for."""

from collections.abc import AsyncIterator
from typing import Any

import pytest

from consensus.v1 import consensus_pb2 as pb
from consensus.v1 import decision_pb2
from consensus.v1.submission_pb2 import ProcessResult
from tests.service.refusal import events
from tests.systems.aegis_running import PANEL, Validated, candidate, validated

WARNED = ProcessResult(stderr="DeprecationWarning: imp")


@pytest.fixture(scope="module")
async def running() -> AsyncIterator[Validated]:
    async with validated() as running:
        yield running


async def test_the_view_of_an_accepted_attempt_holds_every_kind(running: Validated) -> None:
    view = (await running.decide()).validation_results
    assert view.system.success
    assert (view.system.exit_code, view.system.stderr) == (0, "")
    assert view.output.success
    assert view.semantic.success
    assert (view.semantic.score, view.semantic.reasoning) == (0.9, "All is well.")
    assert view.gradient.confidence == 0.9
    assert [seat.judge for seat in view.consensus.individual_results] == PANEL
    assert view.consensus.strategy == decision_pb2.STRATEGY_WEIGHTED_AVERAGE


@pytest.mark.parametrize(
    ("fields", "kinds"),
    [
        pytest.param({"process": WARNED}, {"system"}, id="exit code"),
        pytest.param({"candidate": "Two."}, {"system", "output"}, id="schema"),
    ],
)
async def test_the_view_holds_only_what_ran(
    running: Validated, fields: dict[str, Any], kinds: set[str]
) -> None:
    view = (await running.decide(**fields)).validation_results
    assert {field.name for field, _ in view.ListFields()} == kinds


async def test_the_view_comes_with_every_call_that_asks_and_with_no_other(
    running: Validated,
) -> None:
    consensus = running.server.consensus
    asking = pb.JudgeRequest(submission=candidate(), include_validation_results=True)
    plain = pb.JudgeRequest(submission=candidate())
    batch = await consensus.BatchJudge(pb.BatchJudgeRequest(requests=[asking, plain]))
    told = [result.decision.HasField("validation_results") for result in batch.results]
    assert told == [True, False]
    for request, there in ((asking, True), (plain, False)):
        steps = await events(consensus.StreamJudge(pb.StreamJudgeRequest(request=request)))
        assert steps[-1].decision.HasField("validation_results") is there
    asking.request_id = "again"
    for _ in range(2):
        assert (await consensus.Judge(asking)).decision.HasField("validation_results")
