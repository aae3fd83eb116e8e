"""Hive: every row of its turn judge, through a running server with the shipped policies."""

from collections.abc import AsyncIterator
from typing import Any

import pytest

from consensus.v1 import gradient_pb2
from consensus.v1 import submission_pb2 as pb
from tests.service.scripted_judge import Script
from tests.systems.serving import VERDICTS, Shipped, codes, says, shipped
from tests.systems.turns import CRITERIA, GOOD, PARTLY, TRAVEL, VAGUE, turn

GAPS = (
    "Outputs lack specificity. Flight options should include carrier and flight numbers."
    " Hotels need names and ratings. Budget should be itemised by category."
)
YES, NO = says(0.9, "Specific throughout."), says(0.2, GAPS)
CUSTOM = "turn-custom"
LOOKED = "search"


@pytest.fixture(scope="module", name="hive")
async def _hive() -> AsyncIterator[Shipped]:
    async with shipped("hive") as served:
        yield served


def judged(**more: Any) -> pb.Submission:
    """Return a turn whose outputs are all set and have criteria to meet."""
    facts: dict[str, Any] = {"keys": TRAVEL, "outputs": VAGUE, "success_criteria": CRITERIA}
    return turn(**facts | more)


IMPLICIT = [
    pytest.param(
        turn(keys=TRAVEL, outputs=GOOD, calls=[LOOKED]), "RETRY", "TOOL_CALLS_PENDING", "",
        id="step 1: real tool calls in this turn",
    ),
    pytest.param(
        turn(keys=TRAVEL, outputs=GOOD, calls=["set_output", "ask_user", "escalate_to_coder"]),
        "ACCEPT", "OUTPUTS_SET", "",
        id="step 1: set_output, ask_user and escalate_to_coder are no work",
    ),
    pytest.param(
        turn(keys=TRAVEL, outputs=PARTLY), "RETRY", "OUTPUTS_MISSING",
        "Missing required output keys: cost_estimate.",
        id="step 2: a required key is missing",
    ),
    pytest.param(
        turn(keys=["plan", "note?"], outputs={"plan": None, "note": "x"}), "RETRY",
        "OUTPUTS_MISSING", "Missing required output keys: plan.",
        id="step 2: null is not set",
    ),
    pytest.param(
        turn(keys=["plan", "note?"], outputs={"plan": 0}), "ACCEPT", "OUTPUTS_SET", "",
        id="step 2: a nullable key may be missing, and 0 is set",
    ),
    pytest.param(
        turn(keys=["a?", "b?"]), "RETRY", "OUTPUTS_EMPTY",
        "No output is set. Set at least one of: a, b.",
        id="step 3: all keys are nullable and none is set",
    ),
    pytest.param(
        turn(keys=["a?", "b?"], outputs={"b": 1}), "ACCEPT", "OUTPUTS_SET", "",
        id="step 3: one of them is set",
    ),
    pytest.param(
        turn(client_facing=True), "RETRY", "CONVERSATION_OPEN", "",
        id="step 4: a conversation without keys is never accepted",
    ),
    pytest.param(
        turn(success_criteria=CRITERIA), "RETRY", "CONVERSATION_OPEN", "",
        id="step 4: not even where it has success criteria",
    ),
    pytest.param(
        turn(keys=TRAVEL, outputs=VAGUE), "ACCEPT", "OUTPUTS_SET", "",
        id="step 6: all clear; without success criteria vague outputs will do",
    ),
    pytest.param(
        turn(keys=TRAVEL, outputs=PARTLY, client_facing=True), "RETRY", "OUTPUTS_MISSING", "",
        id="a client-facing worker is sent back without feedback",
    ),
    pytest.param(
        turn(iteration=49, keys=TRAVEL, outputs=PARTLY), "ESCALATE", "TURNS_SPENT",
        "Missing required output keys: cost_estimate.",
        id="max iterations: turn 50 without acceptance ends the run",
    ),
    pytest.param(
        turn(iteration=48, keys=TRAVEL, outputs=PARTLY), "RETRY", "OUTPUTS_MISSING",
        "Missing required output keys: cost_estimate.",
        id="max iterations: turn 49 does not",
    ),
    pytest.param(
        turn(iteration=9, max_iterations=10, keys=TRAVEL, outputs=PARTLY), "ESCALATE",
        "TURNS_SPENT", "Missing required output keys: cost_estimate.",
        id="max iterations: the caller's own limit, where it is lower",
    ),
    pytest.param(
        turn(iteration=50, keys=TRAVEL, outputs=GOOD), "ESCALATE", "TURNS_SPENT", "",
        id="max iterations: a turn beyond it is not accepted, whatever it has",
    ),
    pytest.param(
        turn("Same.", earlier=["Same.", "Same."], keys=TRAVEL, outputs=GOOD), "ESCALATE",
        "STALLED", "",
        id="stall: three identical texts fail before any judge",
    ),
    pytest.param(
        turn("Same.", earlier=["Same."], keys=TRAVEL, outputs=GOOD), "ACCEPT", "OUTPUTS_SET", "",
        id="stall: two are none",
    ),
    pytest.param(
        turn("", earlier=["", ""], keys=TRAVEL, outputs=PARTLY), "RETRY", "OUTPUTS_MISSING",
        "Missing required output keys: cost_estimate.",
        id="stall: empty texts are none",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("submission", "verdict", "code", "feedback"), IMPLICIT)
async def test_the_implicit_judge_settles_a_turn_without_any_judge(
    hive: Shipped, submission: pb.Submission, verdict: str, code: str, feedback: str
) -> None:
    decision = await hive.judge(submission)
    assert decision.verdict == VERDICTS[verdict]
    assert codes(decision)[0] == code
    assert decision.feedback == feedback
    assert not decision.stages
    assert not hive.asked


@pytest.mark.parametrize(
    ("outputs", "script", "verdict", "code", "told"),
    [
        pytest.param(
            PARTLY, YES, "RETRY", "OUTPUTS_MISSING", ["cost_estimate"],
            id="the estimate is missing: level 0 names it",
        ),
        pytest.param(
            VAGUE, NO, "RETRY", "SCORE_BELOW_MIN",
            ["flight numbers", "names and ratings", "itemised"],
            id="all set but vague: level 2 lists each gap",
        ),
        pytest.param(GOOD, YES, "ACCEPT", "GATES_PASSED", [], id="specific: accepted"),
    ],
)  # fmt: skip
async def test_the_travel_agent(
    hive: Shipped, outputs: Any, script: Script, verdict: str, code: str, told: list[str]
) -> None:
    decision = await hive.judge(judged(outputs=outputs), quality=script)
    assert (decision.verdict, codes(decision)[0]) == (VERDICTS[verdict], code)
    assert bool(decision.feedback) == bool(told)
    assert all(words in decision.feedback for words in told)
    assert bool(hive.asked) == (outputs is not PARTLY)


async def test_the_travel_agent_s_criteria_may_be_listed_one_by_one(hive: Shipped) -> None:
    unmet, met = gradient_pb2.FINDING_STATUS_UNMET, gradient_pb2.FINDING_STATUS_MET
    findings = [
        gradient_pb2.Finding(criterion_id="flights", status=unmet, notes="No flight number."),
        gradient_pb2.Finding(criterion_id="hotels", status=unmet, notes="No rating."),
        gradient_pb2.Finding(criterion_id="cost", status=met),
    ]
    about = judged()
    for name in ("flights", "hotels", "cost"):
        about.rubric.criteria.add(id=name, text=f"Specific {name}.", required=True)
    decision = await hive.judge(about, quality=says(0.9, findings=findings))
    assert decision.verdict == VERDICTS["RETRY"]
    for gap in ("flights", "No flight number.", "hotels", "No rating."):
        assert gap in decision.feedback


CADENCE = [
    pytest.param(0, 1, [LOOKED], "TOOL_CALLS_PENDING", id="every turn, with tools: at work"),
    pytest.param(0, 3, [], "OUTPUTS_SET", id="not due, and no tool call: judged all the same"),
    pytest.param(0, 3, ["set_output"], "OUTPUTS_SET", id="not due, steering only: judged"),
    pytest.param(2, 3, [], "OUTPUTS_SET", id="turn 3 of every 3: due"),
    pytest.param(0, 3, [LOOKED], "TOOL_CALLS_PENDING", id="not due, and at work"),
]


@pytest.mark.parametrize(("iteration", "every", "calls", "code"), CADENCE)
async def test_the_cadence_of_the_implicit_judge(
    hive: Shipped, iteration: int, every: int, calls: list[str], code: str
) -> None:
    facts: dict[str, Any] = {"iteration": iteration, "judge_every_n_turns": every}
    decision = await hive.judge(turn(keys=["plan"], outputs={"plan": 1}, calls=calls, **facts))
    assert codes(decision) == [code]


@pytest.mark.parametrize(
    ("iteration", "calls", "asked"),
    [(0, [LOOKED], False), (1, [LOOKED], False), (2, [LOOKED], True), (0, [], True)],
    ids=["turn 1 at work", "turn 2 at work", "turn 3 at work", "turn 1 without tools"],
)
async def test_the_cadence_of_a_custom_judge(
    hive: Shipped, iteration: int, calls: list[str], asked: bool
) -> None:
    about = judged(iteration=iteration, judge_every_n_turns=3, calls=calls)
    decision = await hive.judge(about, CUSTOM, custom=YES)
    assert bool(hive.asked) is asked
    assert codes(decision) == ["GATES_PASSED" if asked else "TURN_NOT_DUE"]
    assert (decision.verdict == VERDICTS["ACCEPT"]) is asked
    assert decision.feedback == ""


ONE, TWO = 'search {"q": 1, "p": 2}', 'find {"q": 1}'
LOOPS = [
    pytest.param([ONE], [[ONE], [ONE]], True, id="the same call in three turns"),
    pytest.param([ONE], [[ONE]], False, id="in two"),
    pytest.param(['search {"p":2,"q":1}'], [[ONE], [ONE]], True, id="keys in another order"),
    pytest.param(['search {"q": 2, "p": 2}'], [[ONE], [ONE]], False, id="other arguments"),
    pytest.param([ONE, TWO], [[ONE, TWO], [ONE, TWO]], True, id="two calls in the same order"),
    pytest.param([ONE, TWO], [[TWO, ONE], [TWO, ONE]], False, id="in another order"),
    pytest.param([f"!{ONE}"], [[f"!{ONE}"], [f"!{ONE}"]], False, id="errored calls are left out"),
    pytest.param(
        [ONE, f"!{TWO}"], [[ONE], [ONE]], True, id="an errored call beside them changes nothing"
    ),
    pytest.param([ONE], [[ONE], "Only words.", [ONE]], False, id="a turn of text alone resets"),
    pytest.param([ONE], [[ONE]] * 3, False, id="having warned, the window begins anew"),
    pytest.param([ONE], [[ONE]] * 5, True, id="and warns again after three more"),
]


@pytest.mark.parametrize(("calls", "earlier", "looped"), LOOPS)
async def test_repeated_tool_calls_are_warned_of(
    hive: Shipped, calls: list[str], earlier: list[Any], looped: bool
) -> None:
    about = turn(keys=TRAVEL, calls=calls, earlier=earlier, iteration=len(earlier))
    decision = await hive.judge(about)
    assert decision.verdict == VERDICTS["RETRY"]
    assert ("TOOL_LOOP" in codes(decision)) is looped
    assert bool(decision.feedback) is looped
    if looped:
        assert "the same tool calls with the same arguments in" in decision.feedback


async def test_a_client_facing_worker_in_a_loop_asks_its_user(hive: Shipped) -> None:
    about = turn(keys=TRAVEL, calls=[ONE], earlier=[[ONE], [ONE]], client_facing=True)
    decision = await hive.judge(about)
    assert decision.verdict == VERDICTS["RETRY"]
    assert codes(decision) == ["USER_INPUT_NEEDED", "TOOL_LOOP"]
    assert decision.feedback.endswith("Ask your user how to go on.")


async def test_a_stall_fails_before_a_custom_judge_too(hive: Shipped) -> None:
    decision = await hive.judge(turn("Same.", earlier=["Same.", "Same."]), CUSTOM, custom=YES)
    assert (decision.verdict, codes(decision)) == (VERDICTS["ESCALATE"], ["STALLED"])
    assert not hive.asked


async def test_every_firing_is_counted(hive: Shipped) -> None:
    before = hive.server.value("consensus_decisions_total", policy="turn", verdict="accept")
    await hive.judge(turn(keys=["plan"], outputs={"plan": 1}))
    after = hive.server.value("consensus_decisions_total", policy="turn", verdict="accept")
    assert after == before + 1
