"""The scorecard's rules, one by one, and its worked vectors."""

from typing import Any

import pytest
from consensus_client import criterion
from consensus_client.loop import (
    Constraint,
    Goal,
    GoalCriterion,
    Recommendation,
    Scorecard,
    Turn,
    goal_of,
    recommend,
    scorecard,
)
from hypothesis import given
from hypothesis import strategies as st

STATUS = {"+": "MET", "-": "UNMET", "?": "INCONCLUSIVE"}


def turns(**findings: str) -> list[Turn]:
    """Make decided turns: `turns(C1="+-?")` has C1 MET, UNMET, INCONCLUSIVE in three of them."""
    count = max(map(len, findings.values()), default=0)
    return [
        Turn(
            index + 1,
            "RETRY",
            "panel",
            findings={
                key: STATUS[signs[index]]
                for key, signs in findings.items()
                if index < len(signs) and signs[index] in STATUS
            },
            request_id="sent",
        )
        for index in range(count)
    ]


def lines(**weights: float) -> Goal:
    return Goal([GoalCriterion(key, weight=weight) for key, weight in weights.items()])


def first(goal: Goal, decided: list[Turn]) -> Any:
    return scorecard(goal, decided).criteria[0]


def figures(card: Scorecard) -> tuple[float, bool, str]:
    return pytest.approx(card.overall_progress), card.is_success, card.recommendation


def test_vector_1_half_met_is_68_percent_and_goes_on() -> None:
    card = scorecard(lines(A=0.5, B=0.3, C=0.2), turns(A="+++++", B="+++--", C="-----"))
    assert figures(card) == (0.68, False, "continue")


def test_vector_2_success_has_the_lower_of_two_bars() -> None:
    card = scorecard(lines(A=0.9, B=0.1), turns(A="+", B="-"))
    assert figures(card) == (0.9, True, "continue")


def test_vector_3_a_target_of_90_percent_is_missed_at_85_and_counts_85() -> None:
    goal = Goal([GoalCriterion("A", target="90%")])
    decided = turns(A="+" * 17 + "-" * 3)
    assert not first(goal, decided).met
    assert scorecard(goal, decided).overall_progress == pytest.approx(0.85)


def test_vector_4_without_a_target_80_percent_is_met_and_counts_whole() -> None:
    card = scorecard(lines(A=1), turns(A="++++-"))
    assert card.criteria[0].met
    assert (card.overall_progress, card.raw_progress) == (1.0, pytest.approx(0.8))


@pytest.mark.parametrize(
    ("target", "signs", "met"),
    [
        ("75%", "+++-", True),  # inclusive
        ("76%", "+++-", False),
        ("33.3 %", "+--", True),
        ("100%", "+++", True),
        ("100%", "+++-", False),
        ("fast", "++++-", True),  # no percentage: 80 %
        ("fast", "+++-", False),
        ("", "++++-", True),
        ("0%", "", False),  # nobody has looked
    ],
)
def test_met_is_progress_at_the_target(target: str, signs: str, met: bool) -> None:
    assert first(Goal([GoalCriterion("A", target=target)]), turns(A=signs, B="?")).met is met


@pytest.mark.parametrize(
    ("overall", "decisions", "hard", "expected"),
    [
        (1.0, 1, True, "adjust"),  # first rule: a hard violation
        (0.95, 1, False, "complete"),  # second rule, inclusive
        (0.9499, 1, False, "continue"),
        (0.29, 11, False, "adjust"),  # third rule: low, and after more than 10 decisions
        (0.29, 10, False, "continue"),
        (0.3, 11, False, "continue"),
        (0.0, 0, False, "continue"),
    ],
)
def test_the_recommendation_is_the_first_rule_that_fits(
    overall: float, decisions: int, hard: bool, expected: str
) -> None:
    assert recommend(overall, decisions, violated_hard=hard) == expected


def test_low_progress_is_adjusted_after_more_than_ten_decisions() -> None:
    assert scorecard(lines(A=1), turns(A="-" * 10)).recommendation is Recommendation.CONTINUE
    assert scorecard(lines(A=1), turns(A="-" * 11)).recommendation is Recommendation.ADJUST


def test_a_goal_without_criteria_is_no_success() -> None:
    assert figures(scorecard(Goal([]), [])) == (0.0, False, "continue")


def test_criteria_without_weight_carry_nothing() -> None:
    assert figures(scorecard(lines(A=0), turns(A="+"))) == (0.0, False, "continue")


def test_ten_tenths_are_one() -> None:
    goal = lines(**{f"C{n}": 0.1 for n in range(10)})
    card = scorecard(goal, turns(**{f"C{n}": "+" for n in range(9)}))
    assert figures(card) == (0.9, True, "continue")


def test_a_hard_constraint_outranks_a_complete_goal() -> None:
    goal = Goal([GoalCriterion("A")], [Constraint("B", "Keeps secrets."), Constraint("C")])
    card = scorecard(goal, turns(A="+", B="-", C="+"))
    assert figures(card) == (1.0, True, "adjust")
    assert (card.hard_violations, card.soft_violations) == (("B",), ())


def test_a_soft_constraint_is_reported_and_changes_nothing() -> None:
    goal = Goal([GoalCriterion("A")], [Constraint("B", hard=False)])
    card = scorecard(goal, turns(A="+", B="-"))
    assert figures(card) == (1.0, True, "complete")
    assert card.soft_violations == ("B",)


def test_what_nobody_looked_at_is_listed_and_stays_in_the_denominator() -> None:
    card = scorecard(lines(A=1, B=1, C=1), turns(A="+", B="?"))
    assert card.not_evaluated == ("B", "C")
    assert card.overall_progress == pytest.approx(1 / 3)
    assert [each.latest for each in card.criteria] == ["MET", "INCONCLUSIVE", ""]


def test_inconclusive_is_no_outcome() -> None:
    score = first(lines(A=1), turns(A="+?-?"))
    assert (score.progress, score.outcome_count, score.unmet_count) == (0.5, 2, 1)


def test_a_mended_fault_counts_with_every_and_not_with_last() -> None:
    decided = turns(A="-+", B="-?")
    goal = [GoalCriterion("A"), GoalCriterion("B")]
    assert scorecard(Goal(goal, [Constraint("A")]), decided).recommendation == "adjust"
    card = scorecard(Goal(goal, [Constraint("A")], counting="last"), decided)
    assert [each.progress for each in card.criteria] == [1.0, 0.0]
    assert card.hard_violations == ()


def test_a_goal_may_span_several_runs() -> None:
    card = scorecard(lines(A=1, B=1), [*turns(A="-+"), *turns(B="+")])
    assert [each.progress for each in card.criteria] == [0.5, 1.0]
    assert card.decision_count == 3


def test_turns_that_no_judge_saw_do_not_count() -> None:
    unseen = [Turn(1, "RETRY", "validate"), Turn(2, "RETRY", "person")]
    assert scorecard(lines(A=1), [*unseen, *turns(A="+")]).decision_count == 1


def test_the_first_five_quotations_are_kept() -> None:
    decided = [
        Turn(n, "RETRY", "panel", evidence={"A": [f"{n}a", f"{n}b"]}, request_id="sent")
        for n in range(1, 5)
    ]
    assert first(lines(A=1), decided).evidence == ("1a", "1b", "2a", "2b", "3a")


def test_a_rubric_is_a_goal_by_the_proportions_of_its_weights() -> None:
    rubric = [criterion("C1", "Greets.", weight=4), criterion("C2", "Ends."), criterion("C3", "?")]
    goal = goal_of(rubric)
    assert [(each.id, each.weight) for each in goal.criteria] == [
        ("C1", 1.0),
        ("C2", 0.25),
        ("C3", 0.25),
    ]
    assert goal_of([]).criteria == []
    assert (goal.counting, goal_of(rubric, "last").counting) == ("every", "last")


@pytest.mark.parametrize("weight", [-0.1, 1.1, float("nan")])
def test_a_weight_out_of_range_is_refused(weight: float) -> None:
    with pytest.raises(ValueError, match="must be from 0 to 1"):
        GoalCriterion("A", weight=weight)


def test_a_target_above_100_percent_is_refused() -> None:
    with pytest.raises(ValueError, match="above 100%"):
        GoalCriterion("A", target="101%")


signs = st.text("+-? ", max_size=15)


@given(st.dictionaries(st.sampled_from("ABCDE"), signs), st.lists(st.floats(0, 1), max_size=5))
def test_progress_is_a_share_and_never_below_the_raw_one(
    findings: dict[str, str], weights: list[float]
) -> None:
    goal = lines(**dict(zip("ABCDE", weights, strict=False)))
    card = scorecard(goal, turns(**findings))
    assert -1e-9 <= card.raw_progress <= card.overall_progress + 1e-9
    assert card.overall_progress <= 1 + 1e-9
    if card.recommendation is Recommendation.COMPLETE:
        assert card.overall_progress >= 0.95 - 1e-6
