"""A model as a judge keeps the contract of every judge."""

import json

import anyio
import pytest
from hypothesis import Phase, given, settings

from consensus.domain.errors import JudgeFailed
from consensus.domain.gradient import FailureKind
from consensus.domain.submission import Submission
from tests.builders import criteria, submission
from tests.judges.contract import (
    abstains,
    answers_soundly,
    fails_as_judges_fail,
    stops_when_cancelled,
)
from tests.judges.llm.scripted import ScriptedModel, finding, judge, says
from tests.virtual_clock import VIRTUAL
from tests.wire.submissions import received


@pytest.fixture
def anyio_backend() -> object:
    return VIRTUAL


def quoting(about: Submission) -> str:
    """Answer every criterion with a quotation of the candidate's, where it has words."""
    quote = about.candidate.strip()[:40]
    status = "MET" if quote else "UNMET"
    quotes = [quote] if quote else []
    score = 0.5
    return says(score, findings=[finding(c.id, status, *quotes) for c in about.rubric])


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"samples": 3, "temperature": 0.7},
        {"second_pass": "reorder"},
        {"second_pass": "paraphrase", "evidence": "required"},
    ],
    ids=lambda fields: "-".join(fields) or "plain",
)
@settings(max_examples=25, phases=[Phase.explicit, Phase.reuse, Phase.generate])
@given(about=received)
async def test_any_submission_is_answered_soundly(
    fields: dict[str, object], about: Submission
) -> None:
    await answers_soundly(judge(ScriptedModel(quoting(about)), **fields), about)


async def test_a_model_that_cannot_tell_abstains() -> None:
    await abstains(judge(ScriptedModel(says(None))), submission())


@pytest.mark.parametrize("samples", [1, 3])
async def test_a_call_under_way_obeys_its_cancellation(samples: int) -> None:
    model = ScriptedModel(says(), seconds=3_600)
    asked = judge(model, samples=samples, temperature=1.0)
    await stops_when_cancelled(asked, submission(), model.begun, model.ended)
    assert model.under_way == 0


@pytest.mark.parametrize("kind", FailureKind)
async def test_a_backend_that_fails_costs_the_seat_with_its_kind(kind: FailureKind) -> None:
    model = ScriptedModel(JudgeFailed(kind, "the backend says so"), seconds=0)
    failure = await fails_as_judges_fail(judge(model), submission())
    assert failure.kind is kind


async def test_closing_a_judge_leaves_the_backend_to_others() -> None:
    with anyio.fail_after(1):
        await judge(ScriptedModel(says())).close(0)


async def test_no_reason_of_a_failure_repeats_the_reply() -> None:
    secret = "CANDIDATE-SECRET"
    for text in (secret, json.dumps({"score": secret}), json.dumps({secret: 1, "score": 7})):
        failure = await fails_as_judges_fail(
            judge(ScriptedModel(text)), submission(rubric=criteria("C1"))
        )
        assert secret not in failure.reason
