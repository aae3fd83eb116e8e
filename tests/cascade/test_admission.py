"""What a judge says is cut to length, freed of control codes, and held against the submission."""

import pytest

from consensus.domain.decision import Decision, SeatResult, SeatStatus
from consensus.domain.gradient import (
    Abstention,
    Evidence,
    Finding,
    FindingStatus,
    GradientResult,
    Signal,
)
from consensus.domain.submission import Message
from tests.builders import (
    Instant,
    Script,
    criteria,
    decide,
    finds,
    quotes,
    scores,
    seats_of,
    stage,
    submission,
)
from tests.wire.sample import decision_to

ABOUT = submission(
    "The tower opens at nine.",
    outputs={"plan": {"day": "one tower"}, "note": "bring “water”"},
    messages=(Message("user", "Where to?"), Message("assistant", "To the  tower,\nby tram.")),
    rubric=criteria("C1", required=False),
)


async def heard(script: Script) -> tuple[SeatResult, GradientResult, Decision]:
    """Return the seat of the only judge, its admitted gradient and the decision."""
    decision = await decide(stage("a"), Instant("a", script), about=ABOUT)
    decision_to(decision)
    seat = seats_of(decision)["a"]
    assert seat.gradient is not None
    return seat, seat.gradient, decision


@pytest.mark.parametrize(
    ("quote", "index"),
    [
        ("tower opens", None),
        ("one tower", None),
        ('bring "water"', None),
        ("Where to?", 0),
        ("the tower, by tram", 1),
    ],
)
async def test_a_quotation_that_the_submission_holds_stays(quote: str, index: int | None) -> None:
    seat, gradient, _ = await heard(quotes("met", quote, index=index))
    assert gradient.findings[0].status is FindingStatus.MET
    assert gradient.findings[0].evidence == (Evidence(quote, index),)
    assert seat.struck == 0


@pytest.mark.parametrize(
    ("quote", "index"),
    [
        ("opens at ten", None),
        ("Where to?", None),
        ("tower opens", 0),
        ("Where to?", 1),
        ("Where to?", -2),
        ("Where to?", 2),
        ("", None),
    ],
)
async def test_a_quotation_that_it_does_not_hold_is_struck_and_met_becomes_inconclusive(
    quote: str, index: int | None
) -> None:
    seat, gradient, decision = await heard(quotes("met", quote, index=index))
    assert gradient.findings[0].status is FindingStatus.INCONCLUSIVE
    assert gradient.findings[0].evidence == ()
    assert seat.struck == 1
    assert decision.criteria[0].status is FindingStatus.INCONCLUSIVE


async def test_one_quotation_that_holds_carries_a_met_finding() -> None:
    seat, gradient, _ = await heard(quotes("met", "opens at ten", "tower opens", "by car"))
    assert gradient.findings[0].status is FindingStatus.MET
    assert gradient.findings[0].evidence == (Evidence("tower opens"),)
    assert seat.struck == 2


async def test_an_unmet_finding_stays_unmet_without_its_quotation() -> None:
    seat, gradient, _ = await heard(quotes("unmet", "opens at ten"))
    assert gradient.findings[0].status is FindingStatus.UNMET
    assert seat.struck == 1


async def test_a_met_finding_without_any_quotation_stays_met() -> None:
    _, gradient, _ = await heard(finds(C1="met"))
    assert gradient.findings[0].status is FindingStatus.MET


async def test_a_finding_for_a_criterion_that_nobody_asked_about_is_struck() -> None:
    seat, gradient, decision = await heard(finds(C1="met", C9="met"))
    assert [finding.criterion_id for finding in gradient.findings] == ["C1"]
    assert seat.struck == 1
    assert [criterion.criterion_id for criterion in decision.criteria] == ["C1"]


async def test_control_codes_and_marks_that_turn_text_around_are_taken_out() -> None:
    dirty = "a\x1b[2Jb\x00c\r\u202ed\u2066e\x9bf\tg\nh"
    finding = Finding(criterion_id="C1", status=FindingStatus.UNMET, notes=dirty)
    said = scores(
        0.5,
        reasoning=dirty,
        signals=(Signal(dirty, 0.5, dirty),),
        findings=(finding,),
        metadata={dirty: dirty},
    )
    _, gradient, _ = await heard(said)
    clean = "a[2Jbcdef g\nh"
    assert gradient.reasoning == clean
    assert gradient.signals == (Signal(clean, 0.5, clean),)
    assert gradient.findings[0].notes == clean
    assert gradient.metadata == {clean: clean}


async def test_half_a_character_is_replaced_where_no_encoding_would_take_it() -> None:
    _, gradient, _ = await heard(scores(0.5, reasoning="half \ud83d of a smile"))
    assert gradient.reasoning == "half \ufffd of a smile"


@pytest.mark.parametrize("letter", ["x", "é", "\n", "\x00x"])
async def test_two_megabytes_of_reasoning_are_cut(letter: str) -> None:
    _, gradient, _ = await heard(scores(0.5, reasoning=letter * 2_000_000))
    assert 3_000 < len(gradient.reasoning) <= 8_000
    assert gradient.reasoning.endswith("…")


async def test_long_lists_are_cut() -> None:
    said = scores(
        0.5,
        signals=(Signal("s", 0.5),) * 100,
        findings=quotes("met", *["tower"] * 40).findings,
        metadata={f"key {number}": "value" for number in range(100)},
    )
    _, gradient, _ = await heard(said)
    assert len(gradient.signals) == 64
    assert len(gradient.findings[0].evidence) == 16
    assert len(gradient.metadata) == 32


async def test_an_abstentions_reason_is_cut_and_cleaned_too() -> None:
    decision = await decide(stage("a"), Instant("a", Abstention("\x1b[1m" + "x" * 5_000)))
    seat = seats_of(decision)["a"]
    assert seat.status is SeatStatus.ABSTAINED
    assert isinstance(seat.answer, Abstention)
    assert seat.answer.reason == "[1m" + "x" * 996 + "…"
    assert seat.struck == 0
