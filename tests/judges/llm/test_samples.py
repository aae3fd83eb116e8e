"""Self-consistency: the same question several times, the mean, and the spread."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from consensus.domain.errors import JudgeFailed
from consensus.domain.gradient import (
    Abstention,
    Answer,
    Evidence,
    FailureKind,
    FindingStatus,
    GradientResult,
    unit,
)
from consensus.judges.llm.scoring import of_samples
from tests.builders import criteria, scores, submission
from tests.judges.llm.scripted import (
    ScriptedModel,
    answer,
    evaluation,
    finding,
    gradient,
    judge,
    says,
)
from tests.virtual_clock import VIRTUAL

ABOUT = submission(rubric=criteria("C1", "C2", "C3"))
FAILED = JudgeFailed(FailureKind.ERROR, "no")
SAMPLED = {"samples": 3, "temperature": 0.7}


@pytest.fixture
def anyio_backend() -> object:
    return VIRTUAL


async def test_samples_are_asked_at_once_and_their_spread_is_the_confidence() -> None:
    model = ScriptedModel(says(0.6), says(0.8), says(1.0))
    found = await gradient(model, ABOUT, **SAMPLED)
    assert model.most == 3
    assert len({ask.seed for ask in model.asked}) == 3
    assert found.score == pytest.approx(0.8)
    spread = math.sqrt((0.04 + 0.04) / 3)
    assert found.confidence == pytest.approx(1 - 2 * spread)
    assert found.metadata["samples"] == "3 of 3"
    assert found.metadata["spread"] == f"{spread:.4f}"
    assert found.metadata["confidence_source"] == "spread"


async def test_samples_need_no_stated_confidence() -> None:
    assert (await gradient(ScriptedModel(says(0.6, None)), ABOUT, **SAMPLED)).confidence == 1


async def test_a_sample_that_failed_lowers_the_confidence() -> None:
    found = await gradient(ScriptedModel(says(0.6), FAILED, says(0.6)), ABOUT, **SAMPLED)
    assert (found.score, found.confidence) == (pytest.approx(0.6), pytest.approx(2 / 3))
    assert found.metadata["samples"] == "2 of 3"


async def test_the_seat_fails_where_half_of_the_samples_do() -> None:
    model = ScriptedModel(FAILED, says(0.6), FAILED)
    about = evaluation(ABOUT)
    with pytest.raises(JudgeFailed) as failed:
        await judge(model, **SAMPLED).evaluate(about, 30)
    assert failed.value.kind is FailureKind.ERROR
    assert about.ledger("model").attempts == 3


async def test_the_judge_abstains_where_half_of_the_samples_do() -> None:
    found = await answer(ScriptedModel(says(0.6), says(None)), ABOUT, samples=2, temperature=1.0)
    assert isinstance(found, Abstention)


async def test_findings_are_what_more_than_half_of_the_samples_find() -> None:
    replies = [
        says(0.6, findings=[finding("C1", "MET", "a"), finding("C2", "MET")]),
        says(0.6, findings=[finding("C1", "MET", "a", "b"), finding("C2", "UNMET")]),
        says(0.6, findings=[finding("C1", "UNMET", "c"), finding("C2", "INCONCLUSIVE")]),
    ]
    found = await gradient(ScriptedModel(*replies), ABOUT, **SAMPLED)
    first, second, third = found.findings
    assert (first.status, first.evidence) == (FindingStatus.MET, (Evidence("a"), Evidence("b")))
    assert second.status is FindingStatus.INCONCLUSIVE
    assert third.status is FindingStatus.UNMET  # left out by all, required


answers = st.lists(st.builds(scores, st.floats(0, 1), st.floats(0, 1)), min_size=1, max_size=16)


@given(given=answers, failed=st.integers(0, 16))
def test_samples_come_to_their_mean_in_any_order(given: list[GradientResult], failed: int) -> None:
    asked = len(given) + failed
    found, reverse = of_samples(given, asked), of_samples(given[::-1], asked)
    assert isinstance(found, GradientResult)
    assert isinstance(reverse, GradientResult)
    told = [answer.score for answer in given]
    assert min(told) - 1e-12 <= found.score <= max(told) + 1e-12
    assert unit(found.score)
    assert 0 <= found.confidence <= len(given) / asked
    assert found.score == pytest.approx(reverse.score)
    assert found.confidence == pytest.approx(reverse.confidence)


@given(score=st.floats(0, 1), count=st.integers(1, 16), far=st.floats(0, 1))
def test_agreeing_samples_are_sure_and_no_other_sample_makes_them_surer(
    score: float, count: int, far: float
) -> None:
    alike: list[Answer] = [scores(score)] * count
    agreed, mixed = of_samples(alike, count), of_samples([*alike, scores(far)], count + 1)
    assert isinstance(agreed, GradientResult)
    assert isinstance(mixed, GradientResult)
    assert agreed.confidence == pytest.approx(1)
    assert mixed.confidence <= agreed.confidence + 1e-12
