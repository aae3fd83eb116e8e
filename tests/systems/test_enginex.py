"""EngineX: where its judges differ from Hive's, and its sub-agents, with the shipped policies."""

from collections.abc import AsyncIterator
from typing import Any

import grpc
import pytest

from consensus.v1 import submission_pb2 as pb
from tests.service.scripted_judge import refuses
from tests.systems.serving import VERDICTS, Shipped, codes, says, shipped
from tests.systems.turns import CRITERIA, GOOD, PARTLY, TRAVEL, VAGUE, turn

YES, NO = says(0.9, "Specific throughout."), says(0.2, "No flight numbers.")
SUBAGENT = "subagent"
FAILED = '!search {"q": 1}'
MISSING = "Missing required output keys: cost_estimate."


@pytest.fixture(scope="module", name="enginex")
async def _enginex() -> AsyncIterator[Shipped]:
    async with shipped("enginex") as served:
        yield served


STEP = [
    pytest.param(
        turn(keys=TRAVEL, outputs=PARTLY), "RETRY", ["OUTPUTS_MISSING"], MISSING,
        id="a missing output key is retried",
    ),
    pytest.param(
        turn(keys=TRAVEL, outputs=PARTLY, client_facing=True), "RETRY", ["OUTPUTS_MISSING"],
        MISSING, id="a client-facing worker is told what is missing",
    ),
    pytest.param(
        turn(keys=TRAVEL, outputs=GOOD), "ACCEPT", ["OUTPUTS_SET"], "", id="all set is accepted"
    ),
    pytest.param(
        turn("", keys=TRAVEL, outputs=PARTLY, earlier=["", ""]), "ESCALATE", ["STALLED"], "",
        id="three empty replies fail",
    ),
    pytest.param(
        turn("", keys=TRAVEL, outputs=PARTLY, earlier=["", "Words.", ""]), "RETRY",
        ["OUTPUTS_MISSING"], MISSING, id="two running do not",
    ),
    pytest.param(
        turn(client_facing=True), "RETRY", ["CONVERSATION_OPEN"], "",
        id="a conversation without keys goes on",
    ),
    pytest.param(turn(), "ACCEPT", ["OUTPUTS_SET"], "", id="other work without keys is accepted"),
    pytest.param(
        turn(keys=TRAVEL, outputs=PARTLY, iteration=49), "ESCALATE",
        ["TURNS_SPENT", "OUTPUTS_MISSING"], MISSING, id="max iterations: the step fails",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("about", "verdict", "reasons", "feedback"), STEP)
async def test_the_judge_inside_a_step(
    enginex: Shipped, about: pb.Submission, verdict: str, reasons: list[str], feedback: str
) -> None:
    decision = await enginex.judge(about)
    assert (decision.verdict, codes(decision)) == (VERDICTS[verdict], reasons)
    assert decision.feedback == feedback
    assert not enginex.asked


@pytest.mark.parametrize("calls", [[FAILED], ["search", FAILED]])
async def test_errored_calls_make_a_loop_too(enginex: Shipped, calls: list[str]) -> None:
    decision = await enginex.judge(turn(keys=TRAVEL, calls=calls, earlier=[calls, calls]))
    assert codes(decision) == ["TOOL_CALLS_PENDING", "TOOL_LOOP"]
    assert "in 3 turns running" in decision.feedback


@pytest.mark.parametrize(("script", "verdict"), [(YES, "ACCEPT"), (NO, "RETRY")])
async def test_success_criteria_ask_level_2(enginex: Shipped, script: Any, verdict: str) -> None:
    about = turn(keys=TRAVEL, outputs=VAGUE, success_criteria=CRITERIA)
    decision = await enginex.judge(about, quality=script)
    assert decision.verdict == VERDICTS[verdict]
    assert ("No flight numbers." in decision.feedback) is (verdict == "RETRY")


async def test_level_2_is_shown_more_than_hive_s(enginex: Shipped) -> None:
    messages = [("tool", f"{at} " + "x" * 900) for at in range(24)]
    outputs = {
        "flight_options": ["y" * 200] * 12,
        "hotel_recommendations": {"hotel": "z" * 3000},
        "cost_estimate": "w" * 3000,
    }
    facts: dict[str, Any] = {"keys": TRAVEL, "success_criteria": CRITERIA}
    await enginex.judge(turn(outputs=outputs, messages=messages, **facts), quality=YES)
    seen = enginex.asked[0].submission
    assert [len(message.content) for message in seen.messages] == [501] * 10
    flights, hotels, cost = (seen.outputs[key].string_value for key in TRAVEL)
    assert (len(hotels), len(cost)) == (2001, 2001)
    assert flights.endswith(", … and 4 more]")


async def test_level_2_that_is_down_never_blocks(enginex: Shipped) -> None:
    about = turn(keys=TRAVEL, outputs=VAGUE, success_criteria=CRITERIA)
    decision = await enginex.judge(about, quality=refuses(grpc.StatusCode.INTERNAL))
    assert decision.verdict == VERDICTS["ACCEPT"]
    assert "QUORUM_MISSED" in codes(decision)


@pytest.mark.parametrize(
    ("iteration", "words"),
    [
        pytest.param(0, "", id="9 left: plain"),
        pytest.param(3, "", id="6 left: plain"),
        pytest.param(4, " More than half of the turns are gone, 5 are left.", id="half of 10"),
        pytest.param(5, " More than half of the turns are gone, 4 are left.", id="4 left"),
        pytest.param(
            6, " Only 3 turns are left: set them now, with what you have.", id="3 left: urgent"
        ),
    ],
)
async def test_a_sub_agent_s_missing_keys_grow_more_urgent(
    enginex: Shipped, iteration: int, words: str
) -> None:
    about = turn(keys=TRAVEL, outputs=PARTLY, iteration=iteration)
    decision = await enginex.judge(about, SUBAGENT)
    assert decision.verdict == VERDICTS["RETRY"]
    assert decision.feedback == MISSING + words


SUBAGENTS = [
    pytest.param(turn(keys=TRAVEL, outputs=GOOD), "ACCEPT", id="nothing is missing"),
    pytest.param(
        turn(keys=TRAVEL, outputs=GOOD, calls=["search"]), "ACCEPT", id="and tools are under way"
    ),
    pytest.param(turn(), "ACCEPT", id="there are no keys"),
    pytest.param(
        turn(keys=TRAVEL, outputs=VAGUE, success_criteria=CRITERIA), "ACCEPT",
        id="success criteria are not its business",
    ),
    pytest.param(turn(keys=["a?"]), "ACCEPT", id="what is nullable may all be missing"),
    pytest.param(turn(keys=TRAVEL, outputs=PARTLY, iteration=9), "ESCALATE", id="turn 10 of 10"),
]  # fmt: skip


@pytest.mark.parametrize(("about", "verdict"), SUBAGENTS)
async def test_a_sub_agent_is_accepted_as_soon_as_nothing_is_missing(
    enginex: Shipped, about: pb.Submission, verdict: str
) -> None:
    decision = await enginex.judge(about, SUBAGENT)
    assert decision.verdict == VERDICTS[verdict]
    assert not enginex.asked
