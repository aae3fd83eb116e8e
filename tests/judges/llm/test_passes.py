"""A second pass, in another order or other words: the mean, and whether the answer flipped."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from consensus.domain.errors import JudgeFailed
from consensus.domain.gradient import Abstention, FailureKind, GradientResult, unit
from consensus.judges.llm.scoring import of_passes
from tests.builders import criteria, finds, scores, submission
from tests.judges.llm.scripted import ScriptedModel, answer, gradient, says
from tests.virtual_clock import VIRTUAL

ABOUT = submission(rubric=criteria("C1", "C2", "C3"))
FAILED = JudgeFailed(FailureKind.ERROR, "no")
REORDER = {"second_pass": "reorder"}
PARAPHRASE = {"second_pass": "paraphrase"}
gradients = st.builds(scores, st.floats(0, 1), st.floats(0, 1))


@pytest.fixture
def anyio_backend() -> object:
    return VIRTUAL


async def test_a_second_pass_turns_the_order_round() -> None:
    model = ScriptedModel(says(0.9, 0.8), says(0.3, 0.6))
    found = await gradient(model, ABOUT, **REORDER)
    assert found.score == pytest.approx(0.6)
    assert found.confidence == pytest.approx(0.7 * (1 - 0.6))
    assert found.metadata["flip"] == "true"
    assert found.metadata["pass_scores"] == "0.9000, 0.3000"
    first, second = ([ask.user.index(f"C{n} (") for n in (1, 2, 3)] for ask in model.asked)
    assert sorted(range(3), key=first.__getitem__) == sorted(range(3), key=second.__getitem__)[::-1]


async def test_one_criterion_has_no_other_order() -> None:
    model = ScriptedModel(says(0.9))
    found = await gradient(model, submission(rubric=criteria("C1")), **REORDER)
    assert len(model.asked) == 1
    assert "flip" not in found.metadata


async def test_a_second_pass_asks_in_other_words() -> None:
    model = ScriptedModel(says(0.9, 0.8), says(0.7, 0.8))
    found = await gradient(model, ABOUT, **PARAPHRASE)
    assert found.metadata["flip"] == "false"
    first, second = (ask.user.rpartition("\n")[2] for ask in model.asked)
    assert first != second
    assert model.asked[0].system == model.asked[1].system


async def test_a_pass_that_fails_fails_the_judge() -> None:
    with pytest.raises(JudgeFailed):
        await answer(ScriptedModel(says(0.9), FAILED), ABOUT, **PARAPHRASE)


async def test_each_pass_has_its_samples() -> None:
    model = ScriptedModel(*[says(0.9)] * 3, *[says(0.5)] * 3)
    found = await gradient(model, ABOUT, **REORDER, samples=3, temperature=0.7)
    assert len(model.asked) == 6
    assert found.metadata["pass_scores"] == "0.9000, 0.5000"
    assert found.confidence == pytest.approx(1 - 0.4)


@given(first=gradients, second=gradients)
def test_two_passes_come_to_their_mean_and_are_less_sure_the_further_apart(
    first: GradientResult, second: GradientResult
) -> None:
    found = of_passes(first, second)
    assert isinstance(found, GradientResult)
    assert found.score == pytest.approx((first.score + second.score) / 2)
    assert unit(found.score)
    assert unit(found.confidence)
    assert found.confidence <= (first.confidence + second.confidence) / 2 + 1e-12
    assert found.metadata["flip"] == str((first.score >= 0.5) != (second.score >= 0.5)).lower()


def test_who_cannot_tell_in_one_pass_cannot_tell() -> None:
    abstained = Abstention("Cannot tell.")
    assert of_passes(scores(0.9), abstained) == abstained
    assert of_passes(abstained, scores(0.9)) == abstained


def test_passes_that_find_differently_are_inconclusive() -> None:
    found = of_passes(finds(C1="met", C2="met"), finds(C1="met", C2="unmet"))
    assert isinstance(found, GradientResult)
    assert [finding.status.name for finding in found.findings] == ["MET", "INCONCLUSIVE"]
