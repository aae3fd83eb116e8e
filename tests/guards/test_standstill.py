"""Plateau, no progress, refusal and claims: the blueprint's fallbacks."""

from typing import Any

import pytest

from consensus.domain.decision import ReasonCode, Verdict
from consensus.domain.guards import GuardAction, TurnJudge
from consensus.domain.submission import Submission
from consensus.domain.turn import GoalStatus
from consensus.guards import Claim, run_after, run_before
from consensus.guards.plateau import repeating, stands_still
from tests.guards.running import GOAL, about, before, calls, codes, criterion, goal, hive

RETRY, ACCEPT, ESCALATE = Verdict.RETRY, Verdict.ACCEPT, Verdict.ESCALATE
UNMET = [criterion("C1", "unmet")]
LINE = "the plan has three flights and five hotels near the venue for you"


@pytest.mark.parametrize(
    ("texts", "bound", "same"),
    [
        ([], 0.0, False),
        (["a b c d"], 0.0, False),
        (["a b c d", "a b c d"], 0.9, True),
        (["a b c d", "a b c d"], 1.0, False),
        (["A b  c d", "a B c\nd"], 0.9, True),
        (["a b c d", "a b c e"], 0.33, True),
        (["a b c d", "a b c e"], 0.34, False),
        (["w x y z", "a b c d", "a b c d"], 0.0, False),
        (["ok", "ok"], 0.8, True),
        (["", ""], 0.0, False),
    ],
)
def test_texts_repeat_when_each_shares_enough_with_the_one_before(
    texts: list[str], bound: float, same: bool
) -> None:
    assert repeating(texts, 3, bound) is same


@pytest.mark.parametrize(
    ("met", "checks", "still"),
    [
        ([1, 1, 1], 3, True),
        ([1, 1], 3, False),
        ([0, 1, 1], 3, False),
        ([2, 1, 2, 1], 3, True),
        ([0, 0, 0, 1], 3, False),
        ([3, 0, 1, 2], 3, True),
    ],
)
def test_a_criterion_newly_met_is_one_more_than_ever(
    met: list[int], checks: int, still: bool
) -> None:
    assert stands_still(met, checks) is still


def test_five_texts_that_overlap_are_a_plateau() -> None:
    turn = about(LINE, iteration=4, earlier=before(LINE, LINE, LINE, LINE))
    told = run_after(turn, GOAL, RETRY, UNMET)
    assert (told.verdict, codes(told)) == (RETRY, [ReasonCode.PLATEAU])
    assert "repeat each other" in told.feedback
    assert run_after(turn, goal(on_plateau=GuardAction.OFF), RETRY, UNMET).reasons == ()
    assert run_after(turn, goal(on_plateau=GuardAction.ESCALATE), RETRY, UNMET).verdict is ESCALATE
    assert run_after(turn, goal(plateau_overlap=1.0), RETRY, UNMET).reasons == ()


def test_four_texts_are_none_yet() -> None:
    turn = about(LINE, iteration=3, earlier=before(LINE, LINE, LINE))
    assert run_after(turn, GOAL, RETRY, UNMET).reasons == ()


def test_five_checks_without_a_further_criterion_are_a_plateau_too() -> None:
    told = run_after(about(iteration=4, earlier=before(0, 0, 0, 0)), GOAL, RETRY, UNMET)
    assert codes(told) == [ReasonCode.PLATEAU]
    assert "no further criterion" in told.feedback


def test_what_is_complete_is_no_plateau() -> None:
    turn = about(LINE, iteration=4, earlier=before(LINE, LINE, LINE, LINE))
    told = run_after(turn, GOAL, ACCEPT, [criterion("C1")])
    assert (told.verdict, told.reasons) == (ACCEPT, ())


@pytest.mark.parametrize(
    ("iteration", "met", "ended"),
    [(15, (0, 0), True), (14, (0, 0), False), (15, (0,), False)],
    ids=["turn 16", "turn 15", "two checks"],
)
def test_no_progress_ends_a_run_after_fifteen_turns(
    iteration: int, met: tuple[int, ...], ended: bool
) -> None:
    turn = about(iteration=iteration, earlier=before(*met))
    told = run_after(turn, GOAL, RETRY, UNMET)
    assert told.verdict is (ESCALATE if ended else RETRY)
    assert codes(told) == [ReasonCode.NO_PROGRESS] * ended
    warned = run_after(turn, goal(on_no_progress=GuardAction.WARN), RETRY, UNMET)
    assert (warned.verdict, bool(warned.feedback)) == (RETRY, ended)
    assert not run_after(turn, goal(on_no_progress=GuardAction.OFF), RETRY, UNMET).reasons


def test_turns_that_were_not_judged_are_no_checks() -> None:
    turn = about(iteration=20, earlier=before(0, 0, "text", "text"))
    assert run_after(turn, GOAL, RETRY, ()).verdict is RETRY


@pytest.mark.parametrize(
    ("text", "refused"),
    [
        ("I\N{RIGHT SINGLE QUOTATION MARK}m sorry, I can't assist with that request.", True),
        ("Sorry, but I cannot help  with this.", True),
        ("I can not comply with that.", True),
        ("You cannot help it: the museum is closed.", False),
        ("I cannot help with that. Shall I hand over to a colleague?", False),
        (f"{LINE * 6} I cannot help with more.", False),
        (f"I cannot help with the visa. {LINE * 20}", False),
        ("", False),
    ],
)
def test_a_short_answer_that_begins_with_a_refusal_ends_the_run(text: str, refused: bool) -> None:
    told = run_before(about(text), GOAL)
    assert (told is not None) is refused
    if told is not None:
        assert (told.verdict, codes(told)) == (ESCALATE, [ReasonCode.REFUSED])
        assert told.goal_status is GoalStatus.REFUSAL


def test_a_worker_at_its_tools_has_not_refused() -> None:
    text = "I cannot help with that yet, let me look."
    assert run_before(about(text, tool_calls=calls("search")), GOAL) is None
    assert run_before(about(text), goal(refusal_phrases=())) is None
    alone = Submission(task="Plan.", candidate=text)
    assert codes(run_before(alone, GOAL)) == [ReasonCode.REFUSED]


@pytest.mark.parametrize(
    "text", ["Final answer: 42", "The task is complete.", f"{'x' * 30_000} Summary: all done"]
)
def test_final_without_evidence_is_not_yet(text: str) -> None:
    told = run_after(about(text), GOAL, ACCEPT, [criterion("C1", quoted=False)])
    assert (told.verdict, told.goal_status) == (RETRY, GoalStatus.NOT_YET)
    assert codes(told) == [ReasonCode.UNSUPPORTED_CLAIM]
    assert told.feedback == "Not shown yet, in words that can be quoted: C1."


def test_a_claim_adds_its_reminder_to_a_retry_and_leaves_an_escalation_alone() -> None:
    done = about("Final answer: 42")
    assert codes(run_after(done, GOAL, RETRY, UNMET)) == [ReasonCode.UNSUPPORTED_CLAIM]
    told = run_after(done, GOAL, ESCALATE, UNMET)
    assert (told.verdict, told.reasons, told.goal_status) == (ESCALATE, (), GoalStatus.NOT_YET)


def test_a_claim_with_evidence_is_no_fault() -> None:
    told = run_after(about("Final answer: 42"), GOAL, ACCEPT, [criterion("C1")])
    assert (told.verdict, told.reasons, told.goal_status) == (ACCEPT, (), GoalStatus.COMPLETE)


@pytest.mark.parametrize(
    ("criteria", "status", "feedback"),
    [(UNMET, "NOT_YET", "C1"), ([], "UNKNOWN", "")],
)
def test_what_is_not_complete_is_never_accepted(criteria: Any, status: str, feedback: str) -> None:
    told = run_after(about("Here you are."), GOAL, ACCEPT, criteria)
    assert (told.verdict, codes(told)) == (RETRY, [ReasonCode.GOAL_NOT_COMPLETE])
    assert told.reasons[0].message == f"The goal is {status}."
    assert feedback in told.feedback


def test_what_the_stop_rule_or_a_validator_settled_holds() -> None:
    hard = Claim(GoalStatus.COMPLETE, 0.98)
    assert run_after(about(), GOAL, ACCEPT, UNMET, claim=hard).verdict is ACCEPT
    contradicted = Claim(GoalStatus.NOT_YET, 0.9)
    told = run_after(about(), GOAL, ACCEPT, [criterion("C1")], claim=contradicted)
    assert (told.verdict, told.goal_status) == (RETRY, GoalStatus.NOT_YET)


def test_a_goal_without_a_turn_is_still_a_goal() -> None:
    alone = Submission(task="Plan.", candidate="Here you are.")
    assert run_after(alone, GOAL, ACCEPT, UNMET).verdict is RETRY


def test_the_deepest_reason_comes_first() -> None:
    turn = about(LINE, iteration=15, max_iterations=16, earlier=before(LINE, LINE, LINE, LINE))
    told = run_after(turn, GOAL, RETRY, [])
    assert codes(told) == [ReasonCode.TURNS_SPENT, ReasonCode.PLATEAU]
    watched = hive(judge=TurnJudge.STAGES)
    assert watched.goal is None
    assert run_after(turn, watched, RETRY, []).goal_status is None
