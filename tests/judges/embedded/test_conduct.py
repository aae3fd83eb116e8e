"""conduct: sees faults in how a candidate behaves, and leaves ordinary good answers alone."""

import pytest

from consensus.domain.gradient import Abstention
from consensus.judges.embedded import ConductJudge
from consensus.judges.embedded.conduct import (
    CONFIDENCE_WITH_FAULT,
    CONFIDENCE_WITHOUT,
    FAULT,
    MAX_CHARS,
)
from tests.judges.embedded.candidates import FAULTY, GOOD
from tests.judges.embedded.judging import answer, gradient

JUDGE = ConductJudge()
CASES = [(detector, text) for detector, texts in FAULTY.items() for text in texts]


@pytest.mark.parametrize("name", GOOD)
def test_an_ordinary_answer_is_not_flagged(name: str) -> None:
    result = gradient(JUDGE, GOOD[name])
    assert [signal for signal in result.signals if signal.score < FAULT] == []
    assert result.confidence == CONFIDENCE_WITHOUT
    nothing = "No refusal, placeholder, truncation, repetition"
    assert result.reasoning.startswith(nothing) is (result.score == 1)


@pytest.mark.parametrize(("detector", "text"), CASES)
def test_a_fault_is_flagged_by_its_detector_and_quoted(detector: str, text: str) -> None:
    result = gradient(JUDGE, text)
    flagged = {signal.category: signal for signal in result.signals if signal.score < FAULT}
    assert detector in flagged
    assert result.score <= flagged[detector].score
    assert result.confidence == CONFIDENCE_WITH_FAULT
    assert f"{detector}: {flagged[detector].message}" in result.reasoning


def test_every_detector_gives_a_signal() -> None:
    assert {signal.category for signal in gradient(JUDGE, "Fine.").signals} == set(FAULTY)


def test_the_score_is_the_lowest_signal() -> None:
    result = gradient(JUDGE, "I'm sorry, but I can't help with [insert topic] because of the")
    assert result.score == min(signal.score for signal in result.signals) == 0.1


def test_an_empty_candidate_scores_nothing() -> None:
    result = gradient(JUDGE, " \n\t")
    assert (result.score, result.confidence) == (0.0, CONFIDENCE_WITH_FAULT)
    assert result.reasoning == "empty: The candidate is empty."


def test_it_abstains_where_outputs_stand_for_the_candidate() -> None:
    found = answer(JUDGE, " ", outputs={"data": 1})
    assert found == Abstention("There are outputs and no candidate text to look at.")


def test_what_lies_beyond_the_longest_text_lowers_the_confidence() -> None:
    text = "A line of words that differ. " + "".join(f"Number {n} differs. " for n in range(20_000))
    result = gradient(JUDGE, text)
    assert len(text) > 3 * MAX_CHARS
    assert result.confidence == pytest.approx(CONFIDENCE_WITHOUT * MAX_CHARS / len(text.strip()))


def test_the_end_of_a_long_text_is_looked_at() -> None:
    text = "".join(f"Number {n} differs. " for n in range(20_000))
    result = gradient(JUDGE, text + "It is the end of the long text, and of the")
    assert "truncation" in result.reasoning
