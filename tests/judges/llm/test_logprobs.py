"""The score as an expectation over the probabilities of its token."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from consensus.domain.gradient import Abstention, unit
from consensus.judges.llm.chat import Token
from consensus.judges.llm.form import schema
from consensus.judges.llm.scoring import expected_score
from tests.builders import submission
from tests.judges.llm.scripted import ScriptedModel, answer, gradient, says, tokens_of, told
from tests.virtual_clock import VIRTUAL


@pytest.fixture
def anyio_backend() -> object:
    return VIRTUAL


def test_the_score_is_the_expectation_over_the_digits() -> None:
    found = expected_score(tokens_of("8", {"8": 0.6, " 7": 0.2, "7": 0.1, "good": 0.1}))
    assert found == pytest.approx(((8 * 0.6 + 7 * 0.3) / 0.9 / 9, 0.9))


@given(shares=st.lists(st.floats(0.0, 1.0), min_size=10, max_size=10).filter(lambda x: sum(x) > 0))
def test_the_expectation_is_in_range_and_its_mass_sums_up(shares: list[float]) -> None:
    total = sum(shares)
    top = {str(d): share / total for d, share in enumerate(shares) if share / total > 1e-300}
    found = expected_score(tokens_of("5", top))
    assert found is not None
    score, mass = found
    assert unit(score)
    assert mass == pytest.approx(1)
    assert score == pytest.approx(sum(int(d) * share for d, share in top.items()) / 9)


@pytest.mark.parametrize(
    "top",
    [
        {"8": 0.79},
        {"good": 1.0},
        {},
        {"10": 0.9, "8": 0.1},
        {"8": 0.9, "7": 0.9},
        {"²": 1.0},
    ],
    ids=str,
)
def test_too_little_or_too_much_on_the_digits_tells_nothing(top: dict[str, float]) -> None:
    assert expected_score(tokens_of("8", top)) is None


def test_tokens_that_do_not_tell_the_score_alone_tell_nothing() -> None:
    top = (("8", 0.0),)
    text = '{"score": 8}'
    whole = told(text, tokens=(Token('{"score": 8}', top),))
    other = told(text, tokens=(Token('{"score": ', ()), Token("7", top), Token("}", ())))
    twice = tokens_of("8", {"8": 1.0}, '{"score": 8, "more": {"score": 7}}')
    nan = told(
        text, tokens=(Token('{"score": ', ()), Token("8", (("8", math.nan),)), Token("}", ()))
    )
    for reply in (told(text), whole, other, twice, nan):
        assert expected_score(reply) is None


async def test_a_score_in_quoted_text_is_not_taken_for_the_score() -> None:
    text = '{"reasoning": "it says \\"score\\": 9", "score": 3, "confidence": 0.5}'
    before, after = text.split("3")
    reply = told(text, tokens=(Token(before, ()), Token("3", (("3", 0.0),)), Token(after, ())))
    found = await gradient(ScriptedModel(reply), submission(), scoring="logprobs")
    assert found.score == pytest.approx(3 / 9)
    assert found.metadata["score_method"] == "logprobs"


async def test_the_score_token_is_asked_for_and_the_parsed_score_is_what_is_left() -> None:
    sure = ScriptedModel(tokens_of("8", {"8": 0.5, "6": 0.5}))
    found = await gradient(sure, submission(), scoring="logprobs")
    assert found.score == pytest.approx(7 / 9)
    assert found.metadata["score_mass"] == "1.0000"
    assert sure.asked[0].top_logprobs == 20
    assert sure.asked[0].schema == schema(digit=True, criteria=False)
    assert "whole number from 0 (worst) to 9" in sure.asked[0].system
    for reply in (tokens_of("8", {"8": 0.5}), says(8)):
        found = await gradient(ScriptedModel(reply), submission(), scoring="logprobs")
        assert (found.score, found.metadata["score_method"]) == (8 / 9, "parsed")
        assert "score_mass" not in found.metadata


async def test_an_abstention_has_no_score_token() -> None:
    found = await answer(ScriptedModel(says(None)), submission(), scoring="logprobs")
    assert isinstance(found, Abstention)
