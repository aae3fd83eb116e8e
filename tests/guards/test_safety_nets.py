"""Hive's turn judge: every row of its tables, and what it gets wrong."""

from typing import Any

import pytest

from consensus.domain.decision import ReasonCode, Verdict
from consensus.domain.guards import Cadence, GoalGuards, Guards, TurnGuards, TurnJudge, WithoutKeys
from consensus.domain.submission import Submission
from consensus.guards import missing_keys, run_after, run_before
from tests.guards.running import HIVE, about, calls, codes, hive, keys

RETRY, ACCEPT, ESCALATE = Verdict.RETRY, Verdict.ACCEPT, Verdict.ESCALATE
TRAVEL = keys("flight_options", "hotel_recommendations", "budget_estimate")
PARTLY = {"flight_options": "3 direct flights", "hotel_recommendations": "5 hotels near venue"}
VAGUE = PARTLY | {"budget_estimate": "around $1000"}
CRITERIA = "Provide specific flight numbers, hotel names with ratings, and itemized budget."


@pytest.mark.parametrize(
    ("submission", "verdict", "code"),
    [
        pytest.param(
            about(tool_calls=calls("search"), output_keys=TRAVEL, outputs=VAGUE),
            RETRY,
            ReasonCode.TOOL_CALLS_PENDING,
            id="1 real tool calls in this turn",
        ),
        pytest.param(
            about(output_keys=TRAVEL, outputs=PARTLY),
            RETRY,
            ReasonCode.OUTPUTS_MISSING,
            id="2 a required key is missing",
        ),
        pytest.param(
            about(output_keys=keys("a?", "b?")),
            RETRY,
            ReasonCode.OUTPUTS_EMPTY,
            id="3 all keys are nullable and none is set",
        ),
        pytest.param(
            about(client_facing=True), RETRY, ReasonCode.CONVERSATION_OPEN, id="4 no output keys"
        ),
        pytest.param(
            about(output_keys=TRAVEL, outputs=VAGUE), ACCEPT, ReasonCode.OUTPUTS_SET, id="6 all set"
        ),
        pytest.param(
            about(output_keys=keys("a?", "b?"), outputs={"b": 0}),
            ACCEPT,
            ReasonCode.OUTPUTS_SET,
            id="6 a nullable key is set",
        ),
        pytest.param(
            about(tool_calls=calls("set_output", "ask_user"), output_keys=TRAVEL, outputs=VAGUE),
            ACCEPT,
            ReasonCode.OUTPUTS_SET,
            id="1 control tools are no work",
        ),
    ],
)
def test_a_step_of_the_implicit_judge(
    submission: Submission, verdict: Verdict, code: ReasonCode
) -> None:
    outcome = run_before(submission, HIVE)
    assert outcome is not None
    assert (outcome.verdict, codes(outcome)) == (verdict, [code])


def test_5_success_criteria_go_on_to_the_stages() -> None:
    vague = about(output_keys=TRAVEL, outputs=VAGUE, success_criteria=CRITERIA)
    assert run_before(vague, HIVE) is None
    assert run_after(vague, HIVE, RETRY, ()).verdict is RETRY
    assert run_after(vague, HIVE, ACCEPT, ()).verdict is ACCEPT


def test_the_travel_agent_without_an_estimate_is_told_which_key_is_missing() -> None:
    told = run_before(about(output_keys=TRAVEL, outputs=PARTLY, success_criteria=CRITERIA), HIVE)
    assert told is not None
    assert told.feedback == "Missing required output keys: budget_estimate."


def test_of_many_long_names_the_beginnings_of_some_are_told() -> None:
    names = ["x" * 200, "a\x1bb", *(f"k{number}" for number in range(38))]
    told = run_before(about(output_keys=keys(*names)), HIVE)
    assert told is not None
    kept = ["x" * 100, "'a\\x1bb'", *names[2:32]]
    assert told.feedback == f"Missing required output keys: {', '.join(kept)} and 8 more."


def test_tool_calls_are_sent_back_without_a_word() -> None:
    told = run_before(about(tool_calls=calls("search"), output_keys=TRAVEL), HIVE)
    assert told is not None
    assert not told.feedback


@pytest.mark.parametrize("outputs", [{}, {"plan": None}])
def test_null_is_not_set(outputs: dict[str, Any]) -> None:
    turn = about(output_keys=keys("plan", "note?"), outputs=outputs)
    assert turn.turn is not None
    assert missing_keys(turn, turn.turn) == ["plan"]


@pytest.mark.parametrize("judge", [TurnJudge.IMPLICIT, TurnJudge.STAGES])
def test_accept_override_beats_every_judge(judge: TurnJudge) -> None:
    turn = about(output_keys=TRAVEL, outputs=PARTLY, success_criteria=CRITERIA)
    told = run_after(turn, hive(judge=judge), ACCEPT, ())
    assert told.verdict is RETRY
    assert codes(told) == [ReasonCode.OUTPUTS_MISSING]
    assert "budget_estimate" in told.feedback


@pytest.mark.parametrize("verdict", [RETRY, ESCALATE])
def test_other_verdicts_of_the_stages_stand(verdict: Verdict) -> None:
    told = run_after(about(output_keys=TRAVEL), HIVE, verdict, ())
    assert (told.verdict, told.reasons, told.feedback) == (verdict, (), "")


def test_a_custom_judge_replaces_the_implicit_one() -> None:
    own = hive(judge=TurnJudge.STAGES)
    assert run_before(about(tool_calls=calls("search")), own) is None
    assert run_before(about(output_keys=TRAVEL), own) is None
    assert run_before(about(client_facing=True), own) is None


@pytest.mark.parametrize(
    ("cadence", "iteration", "tools", "due"),
    [
        (Cadence.TOOL_TURNS, 0, True, False),
        (Cadence.TOOL_TURNS, 1, True, False),
        (Cadence.TOOL_TURNS, 2, True, True),
        (Cadence.TOOL_TURNS, 0, False, True),
        (Cadence.ALL_TURNS, 0, False, False),
        (Cadence.ALL_TURNS, 2, False, True),
    ],
)
def test_every_third_turn_is_judged(
    cadence: Cadence, iteration: int, tools: bool, due: bool
) -> None:
    turn = about(
        iteration=iteration,
        judge_every_n_turns=3,
        tool_calls=calls("search") if tools else calls("ask_user"),
    )
    told = run_before(turn, hive(judge=TurnJudge.STAGES, cadence=cadence))
    assert codes(told) == ([] if due else [ReasonCode.TURN_NOT_DUE])
    assert told is None or (told.verdict, told.feedback) == (RETRY, "")


@pytest.mark.parametrize(
    ("without_keys", "client_facing", "accepted"),
    [
        (WithoutKeys.NEVER_ACCEPT, False, False),
        (WithoutKeys.NEVER_ACCEPT_CLIENT_FACING, False, True),
        (WithoutKeys.NEVER_ACCEPT_CLIENT_FACING, True, False),
        (WithoutKeys.JUDGE, True, True),
    ],
)
def test_a_worker_without_output_keys(
    without_keys: WithoutKeys, client_facing: bool, accepted: bool
) -> None:
    told = run_before(about(client_facing=client_facing), hive(without_keys=without_keys))
    assert told is not None
    assert told.verdict is (ACCEPT if accepted else RETRY)


@pytest.mark.parametrize("missing", [keys("plan"), keys("plan?")])
def test_a_worker_that_talks_with_a_person_may_be_left_untold(missing: Any) -> None:
    turn = about(client_facing=True, output_keys=missing)
    told, untold = run_before(turn, HIVE), run_before(turn, hive(client_facing_feedback=False))
    assert told is not None
    assert untold is not None
    assert "plan" in told.feedback
    assert (untold.verdict, untold.feedback) == (RETRY, "")


@pytest.mark.parametrize(
    ("iteration", "words"),
    [
        (0, ""),
        (3, ""),
        (4, " More than half of the turns are gone, 5 are left."),
        (6, " Only 3 turns are left: set them now, with what you have."),
    ],
)
def test_the_words_sharpen_at_half_and_at_three_left(iteration: int, words: str) -> None:
    turn = about(iteration=iteration, max_iterations=10, output_keys=keys("plan"))
    told = run_before(turn, hive(urgency=True))
    assert told is not None
    assert told.feedback == f"Missing required output keys: plan.{words}"


@pytest.mark.parametrize(
    ("iteration", "limit", "own", "ended"),
    [(49, 50, None, True), (48, 50, None, False), (9, 50, 10, True), (9, 10, 20, True)],
)
def test_the_last_turn_ends_the_run_without_acceptance(
    iteration: int, limit: int, own: int | None, ended: bool
) -> None:
    guards = Guards(max_iterations=own, turns=TurnGuards())
    turn = about(iteration=iteration, max_iterations=limit, output_keys=keys("plan"))
    told = run_before(turn, guards)
    assert told is not None
    assert told.verdict is (ESCALATE if ended else RETRY)
    assert codes(told) == [ReasonCode.TURNS_SPENT] * ended + [ReasonCode.OUTPUTS_MISSING]
    assert run_after(turn, guards, RETRY, ()).verdict is told.verdict


def test_what_is_accepted_in_the_last_turn_is_accepted() -> None:
    turn = about(iteration=49, output_keys=keys("plan"), outputs={"plan": 1})
    assert run_after(turn, HIVE, ACCEPT, ()).verdict is ACCEPT


def test_a_turn_beyond_the_cap_asks_nobody() -> None:
    told = run_before(about(iteration=50, output_keys=keys("p"), outputs={"p": 1}), HIVE)
    assert told is not None
    assert (told.verdict, codes(told)) == (ESCALATE, [ReasonCode.TURNS_SPENT])


def test_outputs_do_not_settle_what_has_a_goal() -> None:
    both = Guards(turns=TurnGuards(), goal=GoalGuards())
    assert run_before(about(output_keys=keys("p"), outputs={"p": 1}), both) is None


def test_a_submission_without_a_turn_is_left_to_the_stages() -> None:
    alone = Submission(task="Plan.", candidate="Here you are.")
    assert run_before(alone, HIVE) is None
    assert run_after(alone, HIVE, ACCEPT, ()).verdict is ACCEPT


def test_a_caller_may_have_caps_alone() -> None:
    caps = Guards(max_iterations=3)
    assert run_before(about(output_keys=keys("plan"), iteration=2), caps) is None
    assert run_after(about(iteration=2), caps, RETRY, ()).verdict is ESCALATE


def test_odd_and_many_names_are_told_in_one_line() -> None:
    odd = keys("a\nb", *(f"k{number}" for number in range(40)))
    told = run_before(about(output_keys=odd), HIVE)
    assert told is not None
    assert "\n" not in told.feedback
    assert told.feedback.endswith("k30 and 9 more.")
