"""coverage: shared words, quoted; half confident at most, silent where words show nothing."""

import pytest

from consensus.domain.gradient import Abstention, Answer, FindingStatus
from consensus.judges.embedded import CoverageJudge
from consensus.judges.embedded.coverage import MAX_CHARS, MAX_CONFIDENCE
from tests.judges.embedded.judging import answer, criterion, finding, gradient, statuses

JUDGE = CoverageJudge()
MET, UNMET, INCONCLUSIVE = FindingStatus.MET, FindingStatus.UNMET, FindingStatus.INCONCLUSIVE
NO_TEXT = Abstention("There is no text.")
NOTHING_ASKED = Abstention("No criterion without checks is worded so that words can show it.")
TEXT = "The tower opens at nine. Tickets cost 12.50 euro!\nDogs stay outside"


def test_shared_words_are_met_with_the_sentence_as_evidence() -> None:
    result = gradient(JUDGE, TEXT, criterion("C1", "Says when the tower is opening: nine"))
    assert statuses(result) == {"C1": MET}
    assert [e.quote for e in finding(result, "C1").evidence] == ["The tower opens at nine"]
    assert finding(result, "C1").notes == "100% of its words occur."
    assert (result.score, result.confidence) == (1.0, MAX_CONFIDENCE)


@pytest.mark.parametrize(
    ("text", "status", "score"),
    [
        ("tower nine tickets", MET, 1.0),
        ("tower nine museum", MET, 2 / 3),
        ("tower museum gallery", INCONCLUSIVE, 1 / 3),
        ("tower museum gallery statue", INCONCLUSIVE, 1 / 4),
        ("tower museum gallery statue cafe", UNMET, 1 / 5),
        ("museum gallery", UNMET, 0.0),
    ],
)
def test_the_share_of_words_decides(text: str, status: FindingStatus, score: float) -> None:
    result = gradient(JUDGE, TEXT, criterion("C1", text))
    assert statuses(result) == {"C1": status}
    assert result.score == pytest.approx(score)
    assert bool(finding(result, "C1").evidence) is (status is not UNMET)


def test_missing_words_are_named_as_written() -> None:
    result = gradient(JUDGE, TEXT, criterion("C1", "Compares galleries, museums and towers"))
    assert finding(result, "C1").notes == (
        "25% of its words occur; missing: compares, galleries, museums."
    )


def test_criteria_with_checks_are_left_to_the_checks() -> None:
    rubric = (criterion("C1", "tower"), criterion("C2", "museum", holds=True, weight=3))
    result = gradient(JUDGE, TEXT, *rubric)
    assert list(statuses(result)) == ["C1"]
    assert (result.score, result.confidence) == (1.0, MAX_CONFIDENCE / 4)


def test_negative_wording_is_inconclusive_and_lowers_the_confidence() -> None:
    rubric = (
        criterion("C1", "tower"),
        criterion("C2", "Doesn\N{RIGHT SINGLE QUOTATION MARK}t name a tower"),
    )
    result = gradient(JUDGE, TEXT, *rubric)
    assert statuses(result) == {"C1": MET, "C2": INCONCLUSIVE}
    assert finding(result, "C2").notes == "Worded negatively: shared words prove nothing."
    assert (result.score, result.confidence) == (1.0, MAX_CONFIDENCE / 2)


@pytest.mark.parametrize(
    ("found", "why"),
    [
        (answer(JUDGE, TEXT), NOTHING_ASKED),
        (answer(JUDGE, TEXT, criterion("C1", holds=True)), NOTHING_ASKED),
        (answer(JUDGE, TEXT, criterion("C1", "Is it?")), NOTHING_ASKED),
        (answer(JUDGE, TEXT, criterion("C1", "Never names a museum")), NOTHING_ASKED),
        (answer(JUDGE, " \n", criterion("C1")), NO_TEXT),
        (answer(JUDGE, "", criterion("C1"), outputs={"o": {1}}), NO_TEXT),
    ],
)
def test_it_abstains_where_words_can_show_nothing(found: Answer, why: Abstention) -> None:
    assert found == why


def test_outputs_are_read_as_evidence_is_looked_up() -> None:
    outputs = {"data": {"tower": "nine"}, "note": "museum closed"}
    rubric = (criterion("C1", "tower nine"), criterion("C2", "museum closed"))
    result = gradient(JUDGE, "", *rubric, outputs=outputs)
    assert finding(result, "C1").evidence[0].quote == '{"tower": "nine"}'
    assert finding(result, "C2").evidence[0].quote == "museum closed"


def test_what_lies_beyond_the_longest_text_lowers_the_confidence() -> None:
    result = gradient(JUDGE, "museum " + "x " * MAX_CHARS + "tower", criterion("C1", "tower"))
    assert result.score == 0.0
    assert result.confidence == pytest.approx(MAX_CONFIDENCE / 2, rel=1e-3)


def test_the_score_is_the_weighted_mean_of_the_shares() -> None:
    rubric = (criterion("C1", "tower", weight=3), criterion("C2", "museum", weight=1))
    assert gradient(JUDGE, TEXT, *rubric).score == 0.75
