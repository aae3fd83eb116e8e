"""LangWatch Scenario, row by row, with the shipped policy through the running server."""

from collections.abc import AsyncIterator, Iterator
from typing import Any

import grpc
import pytest
from consensus_client.testing import FakeLlm, http_error, llm_reply

from consensus.v1 import decision_pb2, submission_pb2
from tests.service.running import Running, serving
from tests.systems.scenario_running import (
    RUBRIC,
    finding,
    judged,
    outcome,
    reply,
    rubric,
    said,
    shipped,
    statuses,
    turn_of_test,
    variant,
)

CONTINUE = ("CONTINUE", "RETRY", "SCENARIO_CONTINUES")
SUCCESS = ("SUCCESS", "ACCEPT", "SCENARIO_SUCCEEDED")
FAILURE = ("FAILURE", "ESCALATE", "SCENARIO_FAILED")
INCONCLUSIVE = ("INCONCLUSIVE", "ESCALATE", "SCENARIO_INCONCLUSIVE")
NOTHING_YET = ("CONTINUE", "RETRY", "SCENARIO_NO_CRITERIA")
NOTHING_TO_JUDGE = ("FAILURE", "ESCALATE", "SCENARIO_NO_CRITERIA")
ABSTAINS = reply([], abstain=True, score=None)
LAST = {"iteration": 9}
FORCED = {"verdict_required": True}
GATED = {"gate": {"min_score": 0.9}, "on_fail": "escalate"}


@pytest.fixture(name="model", scope="module")
def _model() -> Iterator[FakeLlm]:
    with FakeLlm() as model:
        yield model


@pytest.fixture(name="server", scope="module")
async def _server(model: FakeLlm) -> AsyncIterator[Running]:
    policies = {
        "closed": variant(
            stage={"panel": {"seats": [{"judge": "closed"}]}},
        ),
        "gated": variant(stage=GATED),
        "five_turns": variant(guards={"scenario": {"max_turns": 5}}),
        "checked": variant(stage={"name": "checks", **_checks()}),
        "unwatched": variant(guards={}),
    }
    async with serving(shipped(model, **policies)) as server:
        yield server


def _checks() -> dict[str, Any]:
    """Return the keys of a stage that has checks in place of its panel."""
    none = dict.fromkeys(("panel", "gate", "on_no_quorum"))
    return {"checks": [{"length": {"min_words": 3}}], **none}


def words(model: FakeLlm) -> str:
    """Return the user message of the last call."""
    text: str = model.requests[-1]["messages"][-1]["content"]
    return text


@pytest.mark.parametrize(
    ("found", "facts", "expected"),
    [
        pytest.param("MET MET", {}, SUCCESS, id="all met ends it early with success"),
        pytest.param("MET UNMET", {}, FAILURE, id="one unmet fails it at once"),
        pytest.param("UNMET INCONCLUSIVE", {}, FAILURE, id="unmet wins over inconclusive"),
        pytest.param("MET INCONCLUSIVE", {}, CONTINUE, id="inconclusive and unforced goes on"),
        pytest.param("INCONCLUSIVE INCONCLUSIVE", {}, CONTINUE, id="nothing reached yet goes on"),
        pytest.param("MET INCONCLUSIVE", FORCED, INCONCLUSIVE, id="forced and inconclusive"),
        pytest.param("MET MET", FORCED, SUCCESS, id="forced and met"),
        pytest.param("MET UNMET", FORCED, FAILURE, id="forced and unmet"),
        pytest.param("MET INCONCLUSIVE", LAST, INCONCLUSIVE, id="the last turn forces a verdict"),
        pytest.param("MET MET", LAST, SUCCESS, id="the last turn may succeed"),
        pytest.param("MET UNMET", LAST, FAILURE, id="the last turn may fail"),
        pytest.param(
            "MET INCONCLUSIVE", {"iteration": 8}, CONTINUE, id="the turn before the last goes on"
        ),
        pytest.param(
            "MET INCONCLUSIVE", {"iteration": 30}, INCONCLUSIVE, id="a turn beyond is forced, too"
        ),
        pytest.param(
            "MET INCONCLUSIVE",
            {"iteration": 3, "max_iterations": 4},
            INCONCLUSIVE,
            id="the caller's own last turn forces a verdict",
        ),
        pytest.param(
            "MET INCONCLUSIVE", {"iteration": None}, CONTINUE, id="without a turn nothing is last"
        ),
        pytest.param(
            "MET INCONCLUSIVE",
            {"iteration": None, **FORCED},
            INCONCLUSIVE,
            id="without a turn it can be forced",
        ),
    ],
)
async def test_the_outcome_is_derived_from_the_criteria(
    server: Running, model: FakeLlm, found: str, facts: Any, expected: tuple[str, str, str]
) -> None:
    status = dict(zip(RUBRIC, found.split(), strict=True))
    model.script(llm_reply(said(**status)))
    decision = await judged(server, turn_of_test(**facts))
    assert outcome(decision) == expected
    assert statuses(decision) == status
    assert bool(decision.feedback) is (expected[1] == "ESCALATE")


@pytest.mark.parametrize("score", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("policy", ["scenario", "gated"])
async def test_neither_score_nor_gate_changes_the_outcome(
    server: Running, model: FakeLlm, score: float, policy: str
) -> None:
    for second, expected in (("MET", SUCCESS), ("INCONCLUSIVE", CONTINUE), ("UNMET", FAILURE)):
        found = [finding("C1", "UNMET" if second == "UNMET" and score == 0 else "MET")]
        if score == 0 and second == "MET":
            continue  # a reply that contradicts itself
        model.script(llm_reply(reply([*found, finding("C2", second)], score=score)))
        decision = await judged(server, turn_of_test(), policy)
        assert outcome(decision) == expected


@pytest.mark.parametrize("own", ["success", "inconclusive", "passed"])
async def test_the_judge_s_own_word_is_not_asked_for_and_changes_nothing(
    server: Running, model: FakeLlm, own: str
) -> None:
    found = [finding("C1", "MET"), finding("C2", "UNMET")]
    model.script(llm_reply(reply(found, score=0.6, verdict=own)))
    assert outcome(await judged(server, turn_of_test())) == FAILURE
    assert "verdict" not in str(model.requests[-1].get("response_format"))


async def test_inconclusive_is_never_reported_as_failed(server: Running, model: FakeLlm) -> None:
    model.script(llm_reply(said(C1="MET", C2="INCONCLUSIVE")))
    decision = await judged(server, turn_of_test(**FORCED))
    assert decision.scenario_outcome == decision_pb2.SCENARIO_OUTCOME_INCONCLUSIVE
    assert [(c.met_count, c.unmet_count) for c in decision.criteria] == [(1, 0), (0, 0)]
    assert "SCENARIO_FAILED" not in [reason.code for reason in decision.reasons]
    assert "C2" in decision.reasons[0].message


@pytest.mark.parametrize(
    ("facts", "expected"),
    [
        pytest.param({}, CONTINUE, id="not reached yet"),
        pytest.param(FORCED, INCONCLUSIVE, id="never reached"),
    ],
)
async def test_a_criterion_that_is_left_out_is_not_evaluated(
    server: Running, model: FakeLlm, facts: Any, expected: tuple[str, str, str]
) -> None:
    model.script(llm_reply(said(C1="MET")))
    decision = await judged(server, turn_of_test(**facts))
    assert outcome(decision) == expected
    assert statuses(decision)["C2"] == "INCONCLUSIVE"
    assert (decision.criteria[1].met_count, decision.criteria[1].unmet_count) == (0, 0)


async def test_a_required_criterion_that_is_left_out_can_be_made_to_fail(
    server: Running, model: FakeLlm
) -> None:
    model.script(llm_reply(said(answers="MET", asks_when_unsure="MET")))
    decision = await judged(server, turn_of_test(criteria=None), "closed")
    assert outcome(decision) == FAILURE
    assert "no_invention" in decision.reasons[0].message


async def test_a_judge_that_abstains_has_looked_and_cannot_tell(
    server: Running, model: FakeLlm
) -> None:
    model.script(llm_reply(ABSTAINS))
    assert outcome(await judged(server, turn_of_test())) == CONTINUE
    decision = await judged(server, turn_of_test(**FORCED))
    assert outcome(decision) == INCONCLUSIVE
    assert set(statuses(decision).values()) == {"INCONCLUSIVE"}


@pytest.mark.parametrize(
    "broken",
    [
        pytest.param([http_error(500)], id="the model server fails"),
        pytest.param([http_error(401)], id="the key is refused"),
        pytest.param([llm_reply("I think it went well.")], id="the reply is prose"),
        pytest.param(
            [llm_reply(reply('[{"criterion_id": "C1", "status": "MET"}]'))],
            id="the criteria are a JSON string",
        ),
        pytest.param(
            [llm_reply(reply([finding("C1", True), finding("C2", True)]))],
            id="the statuses are booleans",
        ),
        pytest.param(
            [llm_reply(reply([finding("C1", "true")]))], id="the status is a word of another system"
        ),
        pytest.param(
            [llm_reply(reply([finding("C1", "MET"), finding("C1", "UNMET")]))],
            id="a criterion is answered twice",
        ),
        pytest.param([llm_reply(said(C1="MET", C2="MET"), "length")], id="the reply is cut off"),
        pytest.param([llm_reply("No.", "refusal")], id="the model refuses"),
    ],
)
@pytest.mark.parametrize("forced", [False, True], ids=["unforced", "forced"])
async def test_an_infrastructure_failure_is_an_error_and_never_a_verdict(
    server: Running, model: FakeLlm, broken: Any, forced: bool
) -> None:
    model.script(*broken)
    with pytest.raises(grpc.aio.AioRpcError) as failed:
        await judged(server, turn_of_test(verdict_required=forced))
    assert failed.value.code() is grpc.StatusCode.UNAVAILABLE
    assert "ALL_JUDGES_UNAVAILABLE" in str(failed.value.trailing_metadata())


async def test_a_reply_that_cannot_be_read_is_asked_for_once_more(
    server: Running, model: FakeLlm
) -> None:
    before = len(model.calls)
    model.script(llm_reply(reply('{"C1": "true"}')), llm_reply(said(C1="MET", C2="MET")))
    assert outcome(await judged(server, turn_of_test())) == SUCCESS
    assert len(model.calls) - before == 2
    assert "could not be used" in words(model)


@pytest.mark.parametrize(
    ("facts", "expected"),
    [
        pytest.param({}, NOTHING_YET, id="unforced goes on"),
        pytest.param(FORCED, NOTHING_TO_JUDGE, id="forced fails"),
        pytest.param(LAST, NOTHING_TO_JUDGE, id="the last turn fails"),
    ],
)
async def test_without_criteria_nobody_is_asked(
    server: Running, model: FakeLlm, facts: Any, expected: tuple[str, str, str]
) -> None:
    before = len(model.calls)
    decision = await judged(server, turn_of_test(criteria={}, **facts))
    assert outcome(decision) == expected
    assert "no criteria" in decision.reasons[0].message
    assert not decision.stages
    assert len(model.calls) == before


async def test_an_unset_rubric_means_the_judge_s_own_criteria(
    server: Running, model: FakeLlm
) -> None:
    own = ("answers", "asks_when_unsure", "no_invention")
    model.script(llm_reply(said(**dict.fromkeys(own, "MET"))))
    decision = await judged(server, turn_of_test(criteria=None))
    assert outcome(decision) == SUCCESS
    assert tuple(statuses(decision)) == own
    assert "asks back where the request is ambiguous" in words(model)


async def test_an_inline_rubric_takes_the_place_of_the_judge_s_own(
    server: Running, model: FakeLlm
) -> None:
    model.script(llm_reply(said(C9="UNMET")))
    decision = await judged(server, turn_of_test(criteria={"C9": "Is polite"}))
    assert statuses(decision) == {"C9": "UNMET"}
    assert "ambiguous" not in words(model)


async def test_additional_context_reaches_the_judge(server: Running, model: FakeLlm) -> None:
    model.script(llm_reply(said(C1="MET", C2="MET")))
    asked = turn_of_test()
    asked.context.update({"additional_context": "The hotel has 12 rooms."})
    await judged(server, asked)
    assert "The hotel has 12 rooms." in words(model)


async def test_two_criteria_with_the_same_first_70_characters_stay_apart(
    server: Running, model: FakeLlm
) -> None:
    start = "The assistant, before it books anything at all for the customer, always "
    assert len(start) > 70
    model.script(llm_reply(said(price="MET", date="UNMET")))
    criteria = {"price": f"{start}tells the price", "date": f"{start}repeats the date"}
    decision = await judged(server, turn_of_test(criteria=criteria))
    assert statuses(decision) == {"price": "MET", "date": "UNMET"}
    assert outcome(decision) == FAILURE


async def test_a_criterion_s_id_is_the_caller_s_and_not_made_of_its_text(
    server: Running, model: FakeLlm
) -> None:
    model.script(llm_reply(said(agents_reply__uses_the_api="MET")))
    criteria = {"C1": "Agent's reply: uses the API"}
    decision = await judged(server, turn_of_test(criteria=criteria))
    assert statuses(decision) == {"C1": "INCONCLUSIVE"}
    assert outcome(decision) == CONTINUE


async def test_the_model_sees_the_whole_transcript_numbered_and_the_situation(
    server: Running, model: FakeLlm
) -> None:
    model.script(llm_reply(said(C1="MET", C2="MET")))
    await judged(server, turn_of_test())
    told = words(model)
    assert "[0] user: A room for Friday, please." in told
    assert '[1] tool: {"room": 12' in told
    assert "[2] assistant: Room 12 is booked" in told
    assert "A customer books a room." in told
    assert "This is turn 3 of at most 10." in told
    assert model.requests[-1]["temperature"] == 0


@pytest.mark.parametrize(
    ("facts", "ends"),
    [
        pytest.param({}, False, id="a turn before the last"),
        pytest.param(LAST, True, id="the last turn"),
        pytest.param(FORCED, True, id="a verdict is required"),
    ],
)
async def test_the_model_is_told_whether_the_test_ends(
    server: Running, model: FakeLlm, facts: Any, ends: bool
) -> None:
    model.script(llm_reply(said(C1="MET", C2="MET")))
    await judged(server, turn_of_test(**facts))
    told = words(model)
    assert ("The test ends with this judgment" in told) is ends
    assert ("The conversation may not be over" in told) is not ends
    assert "Be strict on what should not happen" in told
    assert "Judge the listed criteria and nothing else" in told


async def test_a_turn_beyond_the_caller_s_own_cap_is_not_judged(
    server: Running, model: FakeLlm
) -> None:
    before = len(model.calls)
    decision = await judged(server, turn_of_test(iteration=4, max_iterations=4))
    assert outcome(decision) == ("UNSPECIFIED", "ESCALATE", "TURNS_SPENT")
    assert len(model.calls) == before


async def test_max_turns_is_the_policy_s(server: Running, model: FakeLlm) -> None:
    model.script(llm_reply(said(C1="MET", C2="INCONCLUSIVE")))
    for iteration, expected in ((3, CONTINUE), (4, INCONCLUSIVE)):
        decision = await judged(server, turn_of_test(iteration=iteration), "five_turns")
        assert outcome(decision) == expected
        assert f"This is turn {iteration + 1} of at most 5." in words(model)


async def test_a_test_runs_until_its_criteria_are_settled(server: Running, model: FakeLlm) -> None:
    found = ["INCONCLUSIVE INCONCLUSIVE", "MET INCONCLUSIVE", "MET MET"]
    model.script(*(llm_reply(said(**dict(zip(RUBRIC, f.split(), strict=True)))) for f in found))
    seen = [outcome(await judged(server, turn_of_test(iteration=n)))[0] for n in range(3)]
    assert seen == ["CONTINUE", "CONTINUE", "SUCCESS"]


async def test_a_test_that_never_settles_ends_in_its_last_turn(
    server: Running, model: FakeLlm
) -> None:
    model.script(llm_reply(said(C1="INCONCLUSIVE", C2="INCONCLUSIVE")))
    seen = [outcome(await judged(server, turn_of_test(iteration=n)))[0] for n in range(10)]
    assert seen == ["CONTINUE"] * 9 + ["INCONCLUSIVE"]


async def test_a_check_that_does_not_hold_keeps_the_stages_own_word(server: Running) -> None:
    decision = await judged(server, turn_of_test(candidate="No."), "checked")
    assert outcome(decision) == ("UNSPECIFIED", "RETRY", "CHECK_FAILED")


async def test_checks_alone_judge_no_criterion(server: Running) -> None:
    decision = await judged(server, turn_of_test(candidate="Room 12 is booked."), "checked")
    assert outcome(decision) == CONTINUE
    assert "No criterion was judged." in decision.reasons[0].message


async def test_what_is_no_test_is_judged_by_the_stages_alone(
    server: Running, model: FakeLlm
) -> None:
    model.script(llm_reply(said(C1="MET", C2="UNMET")))
    plain = submission_pb2.Submission(task="Book.", candidate="Done.", rubric=rubric(RUBRIC))
    assert outcome(await judged(server, plain)) == ("UNSPECIFIED", "ACCEPT", "GATES_PASSED")
    assert "is a test" not in words(model)
    watched = await judged(server, turn_of_test(), "unwatched")
    assert outcome(watched) == ("UNSPECIFIED", "ACCEPT", "GATES_PASSED")


async def test_a_situation_that_is_too_long_is_refused_by_its_field(server: Running) -> None:
    scenario = submission_pb2.Scenario(description="x" * 20_001)
    with pytest.raises(grpc.aio.AioRpcError) as refused:
        await judged(server, turn_of_test(scenario=scenario))
    assert refused.value.code() is grpc.StatusCode.INVALID_ARGUMENT
    assert "submission.scenario.description" in (refused.value.details() or "")
