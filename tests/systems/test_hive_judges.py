"""Hive: level 2, custom judges and the older hybrid judge, with the shipped policies."""

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import grpc
import pytest
import yaml

from consensus.config.load import parse_policies
from consensus.v1 import consensus_pb2, gradient_pb2
from consensus.v1 import submission_pb2 as pb
from consensus.validators import check_faults
from tests.service.running import serving
from tests.service.scripted_judge import Script, abstention, answers
from tests.service.scripted_judge import refuses as refusing
from tests.systems.serving import POLICIES, VERDICTS, Shipped, codes, says, shipped
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


async def test_level_2_is_shown_the_step_the_outputs_and_the_last_ten_messages(
    hive: Shipped,
) -> None:
    messages = [("user" if at % 2 else "tool", f"{at} " + "x" * 400) for at in range(24)]
    outputs = {
        "flight_options": [f"flight {at} " + "y" * 200 for at in range(12)],
        "hotel_recommendations": {"hotel": "z" * 600},
        "cost_estimate": "w" * 500,
    }
    about = judged(outputs=outputs, messages=messages, node_description="Plans trips.")
    await hive.judge(about, quality=YES)
    [asked] = hive.asked
    seen = asked.submission
    assert (seen.turn.node_description, seen.turn.success_criteria) == ("Plans trips.", CRITERIA)
    assert [message.content.split()[0] for message in seen.messages] == [
        str(at) for at in range(14, 24)
    ]
    lengths = {message.role: len(message.content) for message in seen.messages}
    assert lengths == {"user": 403, "tool": 201}
    flights, hotels, cost = (seen.outputs[key].string_value for key in TRAVEL)
    assert (flights.count("flight "), flights[-15:]) == (8, ", … and 4 more]")
    assert (len(hotels), len(cost)) == (401, 301)
    assert len(flights) == len("[") + 8 * (151 + len(", ")) + len("… and 4 more]")


async def test_level_2_s_evidence_is_counted_from_the_first_message(hive: Shipped) -> None:
    about = judged(messages=[("user", f"word {at}") for at in range(24)])
    about.rubric.criteria.add(id="C1", text="Says so.")
    quotation = gradient_pb2.Evidence(message_index=9, quote="word 23")
    met = gradient_pb2.FINDING_STATUS_MET
    finding = gradient_pb2.Finding(criterion_id="C1", status=met, evidence=[quotation])
    decision = await hive.judge(about, quality=says(0.9, findings=[finding]))
    assert decision.criteria[0].evidence[0].message_index == 23


async def test_a_custom_judge_gets_the_same_context_whole(hive: Shipped) -> None:
    messages = [("tool", f"{at} " + "x" * 400) for at in range(24)]
    about = judged(
        outputs=PARTLY, messages=messages, iteration=3, calls=[LOOKED], earlier=["Before."]
    )
    await hive.judge(about, CUSTOM, custom=YES)
    [asked] = hive.asked
    assert asked.submission == about


DOWN: dict[str, Script] = {
    "it answers with an error": refusing(grpc.StatusCode.INTERNAL),
    "it is limited by its rate": refusing(grpc.StatusCode.RESOURCE_EXHAUSTED),
    "its answer cannot be read": answers(b"\xff"),
    "its score is 7": says(7.0),
    "it cannot tell": answers(abstention()),
}


@pytest.mark.parametrize("script", DOWN.values(), ids=DOWN)
async def test_where_level_2_is_down_what_has_its_outputs_is_accepted_and_the_reasons_say_so(
    hive: Shipped, script: Script
) -> None:
    decision = await hive.judge(judged(), quality=script)
    assert decision.verdict == VERDICTS["ACCEPT"]
    assert "QUORUM_MISSED" in codes(decision)
    assert not decision.HasField("effective_score")


@pytest.mark.parametrize("confidence", [0.0, 0.5, 1.0])
async def test_level_2_s_confidence_is_on_record_and_gates_nothing(
    hive: Shipped, confidence: float
) -> None:
    decision = await hive.judge(judged(), quality=says(0.9, confidence=confidence))
    assert decision.verdict == VERDICTS["ACCEPT"]
    assert decision.stages[0].consensus.consensus_confidence == pytest.approx(confidence)


@pytest.mark.parametrize("policy", ["turn", CUSTOM])
async def test_no_judge_s_accept_beats_a_missing_output(hive: Shipped, policy: str) -> None:
    about = judged(outputs=PARTLY)
    decision = await hive.judge(about, policy, custom=YES, quality=YES)
    assert decision.verdict == VERDICTS["RETRY"]
    assert codes(decision)[0] == "OUTPUTS_MISSING"
    assert decision.feedback == "Missing required output keys: cost_estimate."
    assert bool(hive.asked) == (policy == CUSTOM)


CUSTOM_TURNS = [
    pytest.param(turn(keys=TRAVEL, outputs=GOOD, calls=[LOOKED]), id="tools are under way"),
    pytest.param(turn(keys=["a?"]), id="nothing of what is nullable is set"),
    pytest.param(turn(client_facing=True), id="there are no keys"),
    pytest.param(turn(keys=TRAVEL, outputs=GOOD), id="there are no success criteria"),
]


@pytest.mark.parametrize("about", CUSTOM_TURNS)
@pytest.mark.parametrize(("script", "verdict"), [(YES, "ACCEPT"), (NO, "RETRY")])
async def test_a_custom_judge_replaces_every_step_of_the_implicit_one(
    hive: Shipped, about: pb.Submission, script: Script, verdict: str
) -> None:
    decision = await hive.judge(about, CUSTOM, custom=script)
    assert decision.verdict == VERDICTS[verdict]
    assert len(hive.asked) == 1


async def test_a_custom_judge_s_exception_is_its_seat_s_failure_and_never_an_acceptance(
    hive: Shipped,
) -> None:
    decision = await hive.judge(judged(outputs=GOOD), CUSTOM)  # no script: the judge crashes
    assert decision.verdict == VERDICTS["ESCALATE"]
    assert codes(decision)[0] == "QUORUM_MISSED"
    [seat] = decision.stages[0].consensus.individual_results
    assert seat.HasField("failure")


async def test_a_custom_judge_escalates_by_abstaining(hive: Shipped) -> None:
    decision = await hive.judge(
        judged(outputs=GOOD), CUSTOM, custom=answers(abstention("The brief contradicts itself."))
    )
    assert decision.verdict == VERDICTS["ESCALATE"]
    [seat] = decision.stages[0].consensus.individual_results
    assert seat.abstention.reason == "The brief contradicts itself."


HYBRID = [
    pytest.param("Here. TODO: prices.", YES, "RETRY", "CHECK_FAILED", 0, id="a rule fails"),
    pytest.param("Here you are.", says(0.7), "ACCEPT", "GATES_PASSED", 1, id="the model at 0.7"),
    pytest.param("Here you are.", says(0.69), "ESCALATE", "SCORE_BELOW_MIN", 1, id="below"),
    pytest.param(
        "Here you are.", answers(b"\xff"), "ESCALATE", "QUORUM_MISSED", 1, id="the model is down"
    ),
]


@pytest.mark.parametrize(("text", "script", "verdict", "code", "calls"), HYBRID)
async def test_the_older_hybrid_judge(
    hive: Shipped, text: str, script: Script, verdict: str, code: str, calls: int
) -> None:
    decision = await hive.judge(turn(text), "hybrid", quality=script)
    assert (decision.verdict, codes(decision)[0]) == (VERDICTS[verdict], code)
    assert len(hive.asked) == calls


async def test_level_2_may_be_a_model(tmp_path: Path) -> None:
    """It is told the step, its criteria, the outputs and the last ten messages, and no more."""
    testing = pytest.importorskip("consensus_client.testing", reason="the client is not installed")
    content = yaml.safe_load((POLICIES / "hive.yaml").read_text("utf-8"))
    reply = {"reasoning": "Vague.", "abstain": False, "score": 0.2, "confidence": 0.9}
    with testing.FakeLlm(testing.llm_reply(json.dumps(reply))) as model:
        content["backends"] = {"local": {"kind": "openai_chat", "base_url": model.base_url}}
        content["judges"]["quality"] = {"kind": "llm", "backend": "local", "model": "any"}
        rules = parse_policies(json.dumps(content), tmp_path / "hive.yaml", check_faults)
        messages = [("tool", f"word {at} " + "x" * 400) for at in range(24)]
        about = judged(messages=messages, node_description="Plans trips.")
        async with serving(rules) as server:
            request = consensus_pb2.JudgeRequest(submission=about)
            decision = (await server.consensus.Judge(request)).decision
        asked = json.dumps(model.requests[0])
    assert decision.verdict == VERDICTS["RETRY"]
    assert "Vague." in decision.feedback
    for words in ("Plans trips.", CRITERIA, "some flights exist", "word 14 ", "word 23 "):
        assert words in asked
    assert "word 13 " not in asked
    assert "x" * 200 not in asked
