"""The loop on the caller's side, end to end: guards fire in it, a person rules in it."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
from consensus_client import criterion, tool_call
from consensus_client.loop import (
    Attempt,
    Draft,
    LoopRules,
    LoopState,
    LoopStatus,
    Ruling,
    RunReport,
    Step,
    begin,
)

from tests.systems.looping import FLAVOURS, looped
from tests.systems.serving import Shipped, says, shipped
from tests.systems.turns import CRITERIA, GOOD, PARTLY, TRAVEL, VAGUE

TASK = "Plan a trip."
STEP = Step(TRAVEL, description="Plans trips.")
SEARCH = tool_call("search", {"q": 1})

pytestmark = pytest.mark.parametrize("flavour", FLAVOURS)


@pytest.fixture(scope="module", name="hive")
async def _hive() -> AsyncIterator[Shipped]:
    async with shipped("hive") as served:
        yield served


@pytest.fixture(scope="module", name="enginex")
async def _enginex() -> AsyncIterator[Shipped]:
    async with shipped("enginex") as served:
        yield served


@pytest.fixture(scope="module", name="goal")
async def _goal() -> AsyncIterator[Shipped]:
    async with shipped("goal") as served:
        yield served


def reasons(report: RunReport) -> list[list[str]]:
    """Return the reasons of each turn."""
    return [turn.reasons for turn in report.turns]


async def test_missing_outputs_are_named_until_they_are_there(flavour: str, hive: Shipped) -> None:
    told: list[str] = []

    def work(attempt: Attempt) -> dict[str, Any]:
        told.append(attempt.feedback)
        key = TRAVEL[attempt.number - 1]
        return {key: GOOD[key]}

    report = await looped(flavour, hive, begin(TASK), work, LoopRules(step=STEP))
    assert report.status is LoopStatus.ACCEPTED
    assert report.outputs == GOOD
    assert reasons(report) == [["OUTPUTS_MISSING"], ["OUTPUTS_MISSING"], ["OUTPUTS_SET"]]
    assert told == [
        "",
        "Missing required output keys: hotel_recommendations, cost_estimate.",
        "Missing required output keys: cost_estimate.",
    ]
    assert report.turns[0].decided_by == "policy"


async def test_vague_outputs_go_back_with_each_gap(flavour: str, hive: Shipped) -> None:
    told: list[str] = []
    step = Step(TRAVEL, CRITERIA, "Plans trips.")

    def work(attempt: Attempt) -> Draft:
        told.append(attempt.feedback_message)
        outputs = GOOD if attempt.feedback else VAGUE
        hive.script(quality=says(0.9) if attempt.feedback else says(0.1, "Name flight numbers."))
        return Draft(f"Version {attempt.number}.", outputs)

    report = await looped(flavour, hive, begin(TASK), work, LoopRules(step=step))
    assert (report.status, report.total_retries) == (LoopStatus.ACCEPTED, 1)
    assert report.decided_by == "quality"
    assert told[1].startswith("[Judge feedback]: ")
    assert "Name flight numbers." in told[1]
    seen = hive.asked[-1].submission.turn
    assert (seen.iteration, [each.text for each in seen.earlier]) == (1, ["Version 1."])


async def test_a_worker_at_its_tools_goes_on_unjudged(flavour: str, hive: Shipped) -> None:
    def work(attempt: Attempt) -> Draft:
        if attempt.number == 1:
            return Draft(tool_calls=[SEARCH])
        assert attempt.feedback == ""
        return Draft("Done.", GOOD, [tool_call("set_output")])

    report = await looped(flavour, hive, begin(TASK), work, LoopRules(step=STEP))
    assert reasons(report) == [["TOOL_CALLS_PENDING"], ["OUTPUTS_SET"]]
    assert [turn.tool_calls for turn in report.turns] == [1, 1]


async def test_a_worker_that_repeats_itself_is_stopped(flavour: str, hive: Shipped) -> None:
    def work(attempt: Attempt) -> Draft:
        return Draft("I am at it.", PARTLY)

    report = await looped(flavour, hive, begin(TASK), work, LoopRules(step=STEP))
    assert report.status is LoopStatus.ESCALATED
    assert reasons(report) == [["OUTPUTS_MISSING"], ["OUTPUTS_MISSING"], ["STALLED"]]


async def test_setting_outputs_without_a_word_is_no_stall(flavour: str, hive: Shipped) -> None:
    def work(attempt: Attempt) -> Any:
        if attempt.number == 1:
            return "I begin."
        key = TRAVEL[attempt.number - 2]
        return {key: GOOD[key]}

    report = await looped(flavour, hive, begin(TASK), work, LoopRules(step=STEP))
    assert (report.status, report.candidate) == (LoopStatus.ACCEPTED, "I begin.")
    assert len(report.turns) == 4


async def test_a_worker_that_goes_round_in_circles_is_warned(flavour: str, hive: Shipped) -> None:
    told: list[str] = []

    def work(attempt: Attempt) -> Draft:
        told.append(attempt.feedback)
        if "the same tool calls" in attempt.feedback:
            return Draft("Enough.", GOOD)
        return Draft(tool_calls=[SEARCH])

    report = await looped(flavour, hive, begin(TASK), work, LoopRules(step=STEP))
    assert report.status is LoopStatus.ACCEPTED
    assert reasons(report)[2] == ["TOOL_CALLS_PENDING", "TOOL_LOOP"]
    assert told[:3] == ["", "", ""]
    assert "in 3 turns running: search." in told[3]


async def test_a_run_ends_at_its_limit_and_goes_on_under_a_higher_one(
    flavour: str, hive: Shipped
) -> None:
    state = begin(TASK)

    def work(attempt: Attempt) -> Draft:
        return Draft(f"Version {attempt.number}.", GOOD if attempt.number == 4 else PARTLY)

    rules = LoopRules(max_iterations=3, step=STEP)
    report = await looped(flavour, hive, state, work, rules)
    assert (report.status, len(report.turns)) == (LoopStatus.EXHAUSTED, 3)
    assert reasons(report)[-1] == ["TURNS_SPENT", "OUTPUTS_MISSING"]
    assert state.feedback == "Missing required output keys: cost_estimate."
    report = await looped(flavour, hive, state, work, LoopRules(max_iterations=4, step=STEP))
    assert report.status is LoopStatus.ACCEPTED


async def test_the_policy_s_own_limit_leaves_the_run_to_a_person(
    flavour: str, goal: Shipped
) -> None:
    rubric = [criterion("C1", "Names the quokka", required=True)]

    def work(attempt: Attempt) -> str:
        return " ".join(f"{word}{attempt.number}" for word in ("red", "green", "blue", "white"))

    rules = LoopRules(max_iterations=40)
    report = await looped(flavour, goal, begin(TASK, criteria=rubric), work, rules)
    assert report.status is LoopStatus.ESCALATED
    assert len(report.turns) <= 25
    assert reasons(report)[-1][0] in ("NO_PROGRESS", "TURNS_SPENT")
    assert {turn.goal_status for turn in report.turns} == {"NOT_YET"}


async def test_what_the_goal_has_come_to_is_told_with_the_next_turn(
    flavour: str, goal: Shipped
) -> None:
    """Two criteria, one met from the first turn on: no further one is met in five checks."""
    rubric = [
        criterion("C1", "Tower opens at nine", required=True),
        criterion("C2", "Names the quokka", required=True),
    ]
    state = begin(TASK, criteria=rubric)

    def work(attempt: Attempt) -> str:
        return f"The tower opens at nine. Attempt {attempt.number} of many, said in other words."

    rules = LoopRules(max_iterations=5)
    report = await looped(flavour, goal, state, work, rules)
    assert [turn.goal_status for turn in report.turns] == ["PARTIAL"] * 5
    assert [each.criteria_met for each in state.earlier] == [1] * 5
    assert "PLATEAU" in reasons(report)[-1]


async def test_a_run_that_was_stopped_goes_on_with_the_facts_of_its_turns(
    flavour: str, hive: Shipped
) -> None:
    class Stopped(Exception):
        pass

    def work(attempt: Attempt) -> Draft:
        if attempt.number == 3 and not resumed:
            raise Stopped
        return Draft(tool_calls=[SEARCH])

    resumed: list[bool] = []
    state = begin(TASK)
    rules = LoopRules(max_iterations=3, step=STEP)
    with pytest.raises(Stopped):
        await looped(flavour, hive, state, work, rules)
    state = LoopState.from_json(state.to_json())
    resumed.append(True)
    report = await looped(flavour, hive, state, work, rules)
    assert "TOOL_LOOP" in reasons(report)[2]


async def test_cadence_leaves_turns_unjudged(flavour: str, hive: Shipped) -> None:
    hive.script(custom=says(0.1, "More."))
    step = Step(TRAVEL, judge_every_n_turns=2)
    rules = LoopRules(max_iterations=4, step=step, policy="turn-custom")

    def work(attempt: Attempt) -> Draft:
        return Draft(
            f"Version {attempt.number}.",
            PARTLY,
            [SEARCH if attempt.number < 3 else tool_call(f"t{attempt.number}")],
        )

    report = await looped(flavour, hive, begin(TASK), work, rules)
    assert [codes[0] for codes in reasons(report)] == [
        "TURN_NOT_DUE",
        "SCORE_BELOW_MIN",
        "TURN_NOT_DUE",
        "TURNS_SPENT",
    ]


@pytest.mark.parametrize(
    ("confidence", "status"), [(0.75, LoopStatus.ACCEPTED), (0.74, LoopStatus.ESCALATED)]
)
async def test_a_person_approves_what_the_judges_are_not_sure_of(
    flavour: str, enginex: Shipped, confidence: float, status: LoopStatus
) -> None:
    enginex.script(quality=says(0.9, confidence=confidence))
    state, rules = begin(TASK), LoopRules(policy="approval")
    report = await looped(flavour, enginex, state, lambda attempt: "A plan.", rules)
    assert report.status is status
    if status is LoopStatus.ESCALATED:
        state.answer(Ruling.APPROVE)
        report = await looped(flavour, enginex, state, lambda attempt: "A plan.", rules)
        assert report.decided_by == "person"
    assert (report.status, report.candidate) == (LoopStatus.ACCEPTED, "A plan.")
