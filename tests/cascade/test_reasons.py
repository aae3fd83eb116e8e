"""A decision says why: the most important reason first, each with its values."""

from typing import Any

import pytest

from consensus.domain.decision import Decision, ReasonCode
from consensus.domain.errors import JudgeFailed
from consensus.domain.gradient import Abstention, FailureKind
from consensus.domain.policy import Action, Stage, StrategyName, Tie
from consensus.domain.ports import Judge
from consensus.domain.submission import Check, Contains
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

BROKEN = JudgeFailed(FailureKind.ERROR, "broken")
Said = list[tuple[ReasonCode, str]]


def said(decision: Decision) -> Said:
    """Return the codes and messages of a decision's reasons."""
    return [(reason.code, reason.message) for reason in decision.reasons]


async def reasons(*judges: Judge, **rules: Any) -> Said:
    """Return the reasons of one stage with these judges."""
    about = rules.pop("about", submission())
    names = [judge.name for judge in judges]
    return said(await decide(stage(*names, **rules), *judges, about=about))


async def test_a_pass_says_what_it_passed() -> None:
    found = await reasons(Instant("a", scores(0.9, 0.8)), min_confidence=0.5)
    assert found == [
        (ReasonCode.GATES_PASSED, "Stage 'bench': score 0.900 >= 0.7, confidence 0.800 >= 0.5.")
    ]


async def test_a_low_score_names_itself_and_its_bar() -> None:
    found = await reasons(Instant("a", scores(0.25)))
    assert found == [(ReasonCode.SCORE_BELOW_MIN, "Stage 'bench': score 0.250 < 0.7.")]


async def test_under_unanimous_the_bar_is_the_threshold_where_that_is_higher() -> None:
    rules = {"strategy": StrategyName.UNANIMOUS, "threshold": 0.8, "min_score": 0.5}
    found = await reasons(Instant("a", scores(0.6)), **rules)
    assert found == [(ReasonCode.SCORE_BELOW_MIN, "Stage 'bench': score 0.600 < 0.8.")]


async def test_everything_that_stands_in_the_way_is_named_in_order() -> None:
    rules = {
        "min_confidence": 0.9,
        "min_agreement": 0.9,
        "about": submission(rubric=criteria("C1")),
    }
    judges = Instant("a", scores(0.0, 0.5)), Instant("b", scores(1.0, 0.5))
    found = await reasons(*judges, **rules)
    assert found == [
        (ReasonCode.SCORE_BELOW_MIN, "Stage 'bench': score 0.500 < 0.7."),
        (ReasonCode.CRITERION_NOT_MET, "Stage 'bench': required C1 is INCONCLUSIVE."),
        (ReasonCode.CONFIDENCE_BELOW_MIN, "Stage 'bench': confidence 0.150 < 0.9."),
        (ReasonCode.AGREEMENT_BELOW_MIN, "Stage 'bench': agreement 0.000 < 0.9."),
    ]


async def test_only_required_criteria_that_are_not_met_are_named() -> None:
    rubric = (*criteria("C1", "C2"), *criteria("C3", required=False))
    judge = Instant("a", finds(1.0, C1="met", C2="unmet", C3="unmet"))
    found = await reasons(judge, about=submission(rubric=rubric))
    assert found == [(ReasonCode.CRITERION_NOT_MET, "Stage 'bench': required C2 is UNMET.")]


async def test_a_lone_voter_has_no_agreement_to_show() -> None:
    found = await reasons(Instant("a", scores(0.9)), min_agreement=0.5)
    assert found == [(ReasonCode.AGREEMENT_BELOW_MIN, "Stage 'bench': agreement is absent < 0.5.")]


async def test_a_missing_seat_is_named_under_unanimous() -> None:
    judges = Instant("a", scores(0.9)), Instant("b", BROKEN), Instant("c", Abstention("no"))
    found = await reasons(*judges, strategy=StrategyName.UNANIMOUS)
    words = "Stage 'bench': unanimous needs every seat; b FAILED, c ABSTAINED."
    assert found == [(ReasonCode.SEAT_MISSING, words)]


@pytest.mark.parametrize("tie", [Tie.FAIL, Tie.ESCALATE])
async def test_a_tie_says_what_it_counts_as(tie: Tie) -> None:
    judges = Instant("a", scores(0.9)), Instant("b", scores(0.1))
    found = await reasons(*judges, strategy=StrategyName.MAJORITY, tie=tie)
    words = f"Stage 'bench': the votes are tied, which counts as {tie.value}."
    assert found == [(ReasonCode.TIE, words)]


async def test_a_missed_quorum_says_who_is_missing_and_nothing_else() -> None:
    judges = Instant("a", scores(0.0)), Instant("b", BROKEN)
    found = await reasons(*judges, quorum=2, about=submission(rubric=criteria("C1")))
    words = "Stage 'bench': 1 seat scored, the quorum is 2; b FAILED."
    assert found == [(ReasonCode.QUORUM_MISSED, words)]


async def test_only_the_first_eight_open_criteria_are_named() -> None:
    names = [f"C{number}" for number in range(1, 12)]
    judge = Instant("a", finds(1.0, **dict.fromkeys(names, "unmet")))
    found = await reasons(judge, about=submission(rubric=criteria(*names)))
    listed = ", ".join(f"{name} is UNMET" for name in names[:8])
    words = f"Stage 'bench': required {listed} and 3 more."
    assert found == [(ReasonCode.CRITERION_NOT_MET, words)]


def checking(*texts: str) -> Stage:
    """Return a stage of checks."""
    return Stage(
        name="checks",
        checks=tuple(Check(Contains(text)) for text in texts),
        on_pass=Action.ACCEPT,
        on_fail=Action.RETRY,
        on_unsure=Action.RETRY,
        on_no_quorum=None,
    )


async def test_checks_that_hold_say_so() -> None:
    decision = await decide(checking("tower"))
    assert said(decision) == [(ReasonCode.GATES_PASSED, "Stage 'checks': every check holds.")]


async def test_checks_that_fail_are_counted_and_the_first_four_quoted() -> None:
    decision = await decide(checking("tower", "a1", "b2", "c3", "d4", "e5"))
    (code, message), *others = said(decision)
    assert code is ReasonCode.CHECK_FAILED
    assert message.startswith("Stage 'checks': 5 of 6 checks fail: contains \"a1\": not found")
    assert "d4" in message
    assert "e5" not in message
    assert others == []


async def test_the_stage_that_decided_comes_first_and_the_ones_that_handed_on_after() -> None:
    first = stage("a", name="one", on_fail=Action.ADVANCE)
    second = stage("b", name="two", on_pass=Action.ADVANCE)
    rules = policy(first, second, stage("c", name="three"))
    judges = Instant("a", scores(0.1)), Instant("b", scores(0.9)), Instant("c", scores(0.2))
    assert said(await decide(rules, *judges)) == [
        (ReasonCode.SCORE_BELOW_MIN, "Stage 'three': score 0.200 < 0.7."),
        (ReasonCode.STAGE_ADVANCED, "Stage 'one' said FAIL and handed on."),
        (ReasonCode.SCORE_BELOW_MIN, "Stage 'one': score 0.100 < 0.7."),
    ]
