"""checks: certain of what it can check, and no more confident than its share of the rubric."""

import pytest

from consensus.domain.gradient import Abstention, FindingStatus
from consensus.domain.submission import Check, Contains, Regex
from consensus.judges.embedded import ChecksJudge
from consensus.judges.embedded.checks import MAX_EVIDENCE, MAX_NOTES
from consensus.validators import run_checks
from tests.judges.embedded.judging import answer, criterion, finding, gradient, statuses

JUDGE = ChecksJudge(run_checks)
MET, UNMET = FindingStatus.MET, FindingStatus.UNMET


def test_it_abstains_where_no_criterion_carries_a_check() -> None:
    assert answer(JUDGE, "text") == Abstention("No criterion carries a check.")
    assert answer(JUDGE, "text", criterion("C1")) == Abstention("No criterion carries a check.")


def test_the_score_is_the_share_of_checked_weight_that_holds() -> None:
    result = gradient(
        JUDGE,
        "text",
        criterion("C1", weight=3, holds=True),
        criterion("C2", weight=1, holds=False),
    )
    assert (result.score, result.confidence) == (0.75, 1.0)
    assert statuses(result) == {"C1": MET, "C2": UNMET}


def test_the_confidence_is_the_share_of_weight_that_it_can_decide() -> None:
    rubric = (criterion("C1", weight=1, holds=True), criterion("C2", weight=3))
    result = gradient(JUDGE, "text", *rubric)
    assert (result.score, result.confidence) == (1.0, 0.25)
    assert list(statuses(result)) == ["C1"]


def test_weights_beyond_any_sum_still_share() -> None:
    rubric = (
        criterion("C1", weight=1.5e308, holds=True),
        criterion("C2", weight=1.5e308, holds=False),
        criterion("C3", weight=1.5e308),
        criterion("C4", weight=5e-324, holds=True),
    )
    result = gradient(JUDGE, "text", *rubric)
    assert result.score == pytest.approx(0.5)
    assert result.confidence == pytest.approx(2 / 3)


def test_a_criterion_is_met_when_all_of_its_checks_hold() -> None:
    checks = (Check(Contains("tower")), Check(Contains("nine")), Check(Contains("ten")))
    result = gradient(JUDGE, "The tower opens at nine.", criterion("C1", checks=checks))
    assert statuses(result) == {"C1": UNMET}
    assert finding(result, "C1").notes == "contains \"ten\": not found: 'ten'"
    assert gradient(JUDGE, "tower ten nine", criterion("C1", checks=checks)).score == 1.0


def test_evidence_is_of_what_decided() -> None:
    checks = tuple(Check(Contains(word)) for word in ("The", "tower", "opens", "at", "nine"))
    result = gradient(JUDGE, "The tower opens at nine", criterion("C1", checks=checks))
    quotes = [evidence.quote for evidence in finding(result, "C1").evidence]
    assert quotes == ["The", "tower", "opens", "at"]
    assert len(quotes) == MAX_EVIDENCE


def test_the_reasoning_names_what_fails_and_what_carries_no_check() -> None:
    rubric = (
        criterion("C1", holds=True),
        criterion("C2", checks=(Check(Regex("^Yes")),)),
        criterion("C3"),
    )
    assert gradient(JUDGE, "No", *rubric).reasoning == (
        "1 of 2 checked criteria hold (1 carry no check).\nC2: matches /^Yes/: no match"
    )
    assert gradient(JUDGE, "No", rubric[0]).reasoning == "1 of 1 checked criteria hold."


def test_notes_are_cut() -> None:
    checks = tuple(Check(Contains("x" * 100 + str(number))) for number in range(16))
    result = gradient(JUDGE, "", criterion("C1", checks=checks))
    assert len(finding(result, "C1").notes) == MAX_NOTES
