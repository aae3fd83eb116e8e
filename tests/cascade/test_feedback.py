"""The worker is told what to mend, most important first, within a length."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from consensus.domain.decision import ReasonCode, Verdict
from consensus.domain.gradient import Finding, FindingStatus, GradientResult
from consensus.domain.guards import GoalGuards, Guards, TurnGuards
from consensus.domain.policy import Action, Seat, Stage, StrategyName
from consensus.domain.ports import Judge
from consensus.domain.submission import Check, Contains, Criterion
from consensus.domain.turn import OutputKey, Turn
from tests.builders import (
    Instant,
    criteria,
    decide,
    finds,
    policy,
    scores,
    stage,
    submission,
)

FAR_OFF = "Score 0.10: far off. Do not patch this attempt: start again with another approach."


def noting(confidence: float, **notes: str) -> GradientResult:
    """Return a gradient that finds each criterion UNMET, with notes."""
    found = [
        Finding(criterion_id=name, status=FindingStatus.UNMET, notes=note)
        for name, note in notes.items()
    ]
    return GradientResult(score=0.9, confidence=confidence, findings=tuple(found))


async def test_an_accepted_candidate_gets_no_feedback() -> None:
    judges = Instant("a", scores(0.9)), Instant("b", scores(0.6, reasoning="could be better"))
    decision = await decide(stage("a", "b"), *judges)
    assert decision.verdict is Verdict.ACCEPT
    assert decision.feedback == ""


async def test_checks_come_first_then_required_criteria_then_others_then_reasoning() -> None:
    about = submission(rubric=(*criteria("C1", required=False), *criteria("C2", "C3")))
    checks = Stage(
        name="checks",
        checks=(Check(Contains("lighthouse")), Check(Contains("tower"))),
        on_pass=Action.ADVANCE,
        on_fail=Action.ADVANCE,
        on_unsure=Action.RETRY,
        on_no_quorum=None,
    )
    judges = (
        Instant("a", finds(0.6, C1="unmet", C2="unmet")),
        Instant("b", scores(0.5, reasoning="Too short.")),
        Instant("c", scores(0.2, reasoning="No numbers.")),
        Instant("d", scores(0.9, reasoning="Lovely.")),
        Instant("e", scores(0.1)),
    )
    rules = policy(checks, stage("a", "b", "c", "d", "e"))
    decision = await decide(rules, *judges, about=about)
    assert decision.verdict is Verdict.RETRY
    lines = decision.feedback.splitlines()
    assert lines[0].startswith("Score 0.46: on the way")
    assert lines[1].startswith('- Check fails: contains "lighthouse" (not found')
    assert lines[2:] == [
        "- C2 (required) not met: Holds C2",
        "- C3 (required) not shown: Holds C3",
        "- C1 not met: Holds C1",
        "- c (0.20): No numbers.",
        "- b (0.50): Too short.",
    ]


async def test_optional_criteria_that_nobody_could_tell_are_left_out() -> None:
    about = submission(rubric=criteria("C1", required=False))
    decision = await decide(stage("a"), Instant("a", scores(0.1)), about=about)
    assert decision.feedback == FAR_OFF


async def test_the_notes_of_the_surest_seat_go_with_a_criterion() -> None:
    about = submission(rubric=criteria("C1"))
    judges = (
        Instant("a", noting(0.4, C1="a guess")),
        Instant("b", noting(0.9, C1="It names no price.")),
        Instant("c", noting(0.5, C1="an idea")),
        Instant("ghost", noting(1.0, C1="boo")),
    )
    rules = stage("a", "b", "c", Seat(judge="ghost", weight=0.0))
    decision = await decide(rules, *judges, about=about)
    assert decision.feedback.splitlines()[1:] == [
        "- C1 (required) not met: Holds C1 [It names no price.]"
    ]


async def test_weightless_seats_have_no_say_in_the_feedback() -> None:
    rules = stage("a", Seat(judge="ghost", weight=0.0))
    judges = Instant("a", scores(0.1)), Instant("ghost", scores(0.0, reasoning="boo"))
    assert (await decide(rules, *judges)).feedback == FAR_OFF


async def test_the_same_line_is_given_once() -> None:
    rules = policy(stage("a", name="one", on_fail=Action.ADVANCE), stage("a", name="two"))
    decision = await decide(rules, Instant("a", scores(0.1, reasoning="Too short.")))
    assert decision.feedback == f"{FAR_OFF}\n- a (0.10): Too short."


@settings(max_examples=60)
@given(st.lists(st.integers(1, 900), min_size=1, max_size=30), st.integers(0, 300))
async def test_feedback_stays_within_its_length_and_says_when_something_is_left_out(
    lengths: list[int], text: int
) -> None:
    names = [f"j{number:02}" for number in range(len(lengths))]
    judges: list[Judge] = [
        Instant(name, scores(0.0, reasoning="x" * length))
        for name, length in zip(names, lengths, strict=True)
    ]
    rubric = tuple(
        Criterion(id=f"C{number}", text="y" * (text + 1), required=True) for number in range(8)
    )
    decision = await decide(stage(*names), *judges, about=submission(rubric=rubric))
    lines = decision.feedback.split("\n")
    told = 1 + 8 + len(lengths)
    assert len(decision.feedback) <= 4_000
    assert len(lines) == told or lines[-1] == "…"
    if lines[-1] == "…":
        assert len(decision.feedback) > 4_000 - 900


@pytest.mark.parametrize(
    ("score", "words"),
    [
        (0.85, "Score 0.85: nearly there. Keep the work and mend only what is named here."),
        (2 / 3, "Score 0.67: nearly there. Keep the work and mend only what is named here."),
        (0.66, "Score 0.66: on the way. Keep the approach and rework what is named here."),
        (1 / 3, "Score 0.33: on the way. Keep the approach and rework what is named here."),
        (
            0.15,
            "Score 0.15: far off. Do not patch this attempt: start again with another approach.",
        ),
        (0.0, "Score 0.00: far off. Do not patch this attempt: start again with another approach."),
    ],
)
async def test_the_first_line_asks_for_a_small_patch_or_a_rewrite(score: float, words: str) -> None:
    rules = stage("a", threshold=0.9, min_score=0.9)
    decision = await decide(rules, Instant("a", scores(score, reasoning="No errors handled.")))
    assert decision.feedback == f"{words}\n- a ({score:.2f}): No errors handled."


async def test_a_check_that_does_not_hold_says_nothing_of_how_bad_it_is() -> None:
    checks = Stage(
        name="checks",
        checks=(Check(Contains("lighthouse")),),
        on_pass=Action.ACCEPT,
        on_fail=Action.RETRY,
        on_unsure=Action.RETRY,
        on_no_quorum=None,
    )
    decision = await decide(policy(checks))
    assert decision.effective_score == 0.0
    assert decision.feedback.startswith("- Check fails")


async def test_a_vote_is_as_bad_as_its_seats_are_on_average() -> None:
    rules = stage("a", "b", "c", strategy=StrategyName.MAJORITY)
    judges = [Instant(name, scores(0.68)) for name in "abc"]
    decision = await decide(rules, *judges)
    assert decision.effective_score == 0.0
    assert decision.feedback.startswith("Score 0.68: nearly there")


async def test_a_panel_that_is_not_sure_tells_its_reasoning_the_least_sure_first() -> None:
    rules = stage("a", "b", "c", "d", min_confidence=0.99)
    judges = (
        Instant("a", scores(0.9, 0.8, reasoning="The sources are old.")),
        Instant("b", scores(0.8, 0.3, reasoning="I cannot see the prices.")),
        Instant("c", scores(0.9, 0.1)),
        Instant("d", scores(0.6, 0.9, reasoning="Too long.")),
    )
    decision = await decide(rules, *judges)
    assert [reason.code for reason in decision.reasons] == [ReasonCode.CONFIDENCE_BELOW_MIN]
    assert decision.feedback.splitlines()[1:] == [
        "- d (0.60): Too long.",
        "- b (0.80, confidence 0.30): I cannot see the prices.",
        "- a (0.90, confidence 0.80): The sources are old.",
    ]


@pytest.mark.parametrize("guards", [Guards(turns=TurnGuards()), Guards(goal=GoalGuards())])
async def test_a_turn_on_the_way_to_a_goal_is_not_told_to_start_again(guards: Guards) -> None:
    rules = replace(policy(stage("a")), guards=guards)
    turn = Turn(success_criteria="Good.", output_keys=(OutputKey("plan"),))
    about = submission(turn=turn, outputs={"plan": "Go."})
    judge = Instant("a", scores(0.1, reasoning="Too short."))
    decision = await decide(rules, judge, about=about)
    assert "- a (0.10): Too short." in decision.feedback
    assert "Score" not in decision.feedback
