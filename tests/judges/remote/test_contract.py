"""A remote judge keeps the contract of every judge, asked over the wire."""

import asyncio

import pytest
from hypothesis import Phase, given, settings

from consensus.config.build import EMBEDDED as NAMES
from consensus.domain.decision import Hierarchy
from consensus.domain.evaluation import Evaluation
from consensus.domain.submission import Submission
from consensus.judges.embedded import embedded_judges
from consensus.v1 import judge_pb2
from consensus.validators import run_checks
from consensus.wire.gradient import answer_to
from consensus.wire.submission import submission_from, submission_to
from tests.builders import criteria, submission
from tests.judges.backend import Context, Reply, hang, judge_at, serving
from tests.judges.contract import abstains, answers_soundly, stops_when_cancelled
from tests.wire.submissions import received

EMBEDDED = embedded_judges(run_checks)


async def by_name(request: judge_pb2.EvaluateRequest, context: Context) -> Reply:
    """Answer as the embedded judge of that name."""
    evaluation = Evaluation(submission_from(request.submission), Hierarchy())
    return answer_to(EMBEDDED[request.judge].evaluate_now(evaluation))


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=25, phases=[Phase.explicit, Phase.reuse, Phase.generate])
@given(about=received)
async def test_any_submission_is_answered_soundly(name: str, about: Submission) -> None:
    async with serving(by_name) as backend, judge_at(backend.target, remote_judge=name) as judge:
        await answers_soundly(judge, about)
        evaluation = Evaluation(submission_from(submission_to(about)), Hierarchy())
        assert await judge.evaluate(evaluation, 5) == EMBEDDED[name].evaluate_now(evaluation)


async def test_nothing_to_judge_is_an_abstention() -> None:
    async with (
        serving(by_name) as backend,
        judge_at(backend.target, remote_judge="checks") as judge,
    ):
        await abstains(judge, submission(rubric=criteria("C1")))


async def test_a_call_under_way_obeys_its_cancellation_as_does_the_backend() -> None:
    before = asyncio.all_tasks()
    async with serving(hang) as backend, judge_at(backend.target) as judge:
        await stops_when_cancelled(judge, submission(), backend.asked, backend.ended)
    assert asyncio.all_tasks() <= before
