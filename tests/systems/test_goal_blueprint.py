"""The goal blueprint's stop rule through the running server: vectors, bands, caps and heuristics.

The shipped policy judges; its fast and strong judge say what each row has them say.
"""

from collections.abc import AsyncIterator
from typing import Any

import pytest

from consensus.v1 import decision_pb2, submission_pb2
from tests.systems.blueprint import (
    COMPLETE,
    MET,
    NOT_YET,
    OPEN,
    PARTIAL,
    REFUSAL,
    UNKNOWN,
    UNMET,
    Blueprint,
    blueprint,
    codes,
    criterion,
    earlier,
    finding,
    partial,
    says,
    turn,
)

ACCEPT, RETRY, ESCALATE = (
    decision_pb2.VERDICT_ACCEPT,
    decision_pb2.VERDICT_RETRY,
    decision_pb2.VERDICT_ESCALATE,
)
FAST, BOTH = ["fast"], ["fast", "strong"]
NOTHING = says(0.9, finding("C1", UNMET), finding("C2", UNMET))


@pytest.fixture(scope="module")
async def served() -> AsyncIterator[Blueprint]:
    async with blueprint(strict={"pair_turns": 0}) as running:
        yield running


@pytest.mark.parametrize(
    ("before", "fast", "strong", "verdict", "status", "asked"),
    [
        pytest.param((), 0.80, 0.90, ACCEPT, COMPLETE, BOTH, id="fast .80 and strong .90 stop"),
        pytest.param((), 0.80, 0.80, RETRY, COMPLETE, BOTH, id="fast .80 and strong .80 go on"),
        pytest.param((), 0.75, 0.85, ACCEPT, COMPLETE, BOTH, id="both bounds are inclusive"),
        pytest.param((0.86,), 0.87, None, ACCEPT, COMPLETE, FAST, id="fast .86 then .87 stop"),
        pytest.param((0.86, 0.60), 0.87, None, RETRY, COMPLETE, BOTH,
                     id="fast .86, .60, .87 go on"),
        pytest.param((0.86, None), 0.87, None, ACCEPT, COMPLETE, FAST,
                     id="a turn that was not judged does not part a pair"),
        pytest.param((0.86, None, None), 0.87, None, RETRY, COMPLETE, BOTH,
                     id="a pair lies within three turns"),
        pytest.param((), 0.86, None, RETRY, COMPLETE, BOTH, id="fast .86 alone asks strong"),
        pytest.param((), 0.50, 0.99, RETRY, NOT_YET, FAST, id="fast .50 complete is not yet"),
        pytest.param((), 0.74, 0.99, RETRY, NOT_YET, FAST, id="the abstain band ends at T1"),
        pytest.param((), 0.41, 0.99, RETRY, NOT_YET, FAST, id="the abstain band begins above .4"),
        pytest.param((), 0.40, 0.99, RETRY, UNKNOWN, FAST, id="less than the band is unknown"),
    ],
)  # fmt: skip
async def test_the_vectors_of_the_stop_rule(
    served: Blueprint,
    before: tuple[float | None, ...],
    fast: float,
    strong: float | None,
    verdict: int,
    status: int,
    asked: list[str],
) -> None:
    served.judges.say(says(fast), None if strong is None else says(strong))
    decision = await served.judge(turn(*[earlier(confidence) for confidence in before]))
    assert (decision.verdict, served.judges.asked) == (verdict, asked), decision
    if strong is not None or verdict == ACCEPT:
        assert decision.goal_status == status


async def test_complete_and_then_not_yet_is_not_complete(served: Blueprint) -> None:
    served.judges.say(says(0.9), says(0.8))
    first = await served.judge(turn())
    assert (first.verdict, first.goal_status) == (RETRY, COMPLETE)
    served.judges.say(NOTHING)
    before = earlier(first.goal_confidence, first.goal_status)
    second = await served.judge(turn(before))
    assert (second.verdict, second.goal_status) == (RETRY, NOT_YET)


async def test_a_fast_complete_never_stops_alone(served: Blueprint) -> None:
    served.judges.say(says(1.0), NOTHING)
    decision = await served.judge(turn())
    assert (decision.verdict, decision.goal_status) == (RETRY, NOT_YET)
    assert "GOAL_UNCONFIRMED" in codes(decision)


async def test_a_policy_may_always_want_a_strong_confirm(served: Blueprint) -> None:
    served.judges.say(says(0.99), None)
    decision = await served.judge(turn(earlier(0.99)), "strict")
    assert (decision.verdict, served.judges.asked) == (RETRY, BOTH)
    served.judges.say(says(0.99), says(0.85))
    decision = await served.judge(turn(earlier(0.99)), "strict")
    assert decision.verdict == ACCEPT


async def test_what_the_strong_judge_is_not_asked_for(served: Blueprint) -> None:
    served.judges.say(partial(0.95))
    decision = await served.judge(turn())
    assert (decision.verdict, decision.goal_status) == (RETRY, PARTIAL)
    assert served.judges.asked == FAST


@pytest.mark.parametrize(
    ("iteration", "verdict"),
    [
        pytest.param(9, RETRY, id="turn 10"),
        pytest.param(19, RETRY, id="turn 20"),
        pytest.param(24, ESCALATE, id="turn 25, the cap"),
    ],
)
async def test_at_a_checkpoint_the_strong_judge_is_asked_anyway(
    served: Blueprint, iteration: int, verdict: int
) -> None:
    served.judges.say(partial(0.95), partial(0.95))
    decision = await served.judge(turn(iteration=iteration))
    assert (served.judges.asked, decision.verdict) == (BOTH, verdict)
    served.judges.say(says(0.5), says(0.9))
    decision = await served.judge(turn(iteration=iteration))
    assert (decision.verdict, decision.goal_status) == (ACCEPT, COMPLETE)


async def test_beyond_25_turns_nobody_is_asked(served: Blueprint) -> None:
    served.judges.say(says(1.0), says(1.0))
    decision = await served.judge(turn(iteration=25))
    assert (decision.verdict, codes(decision)) == (ESCALATE, ["TURNS_SPENT"])
    assert served.judges.asked == []


@pytest.mark.parametrize(
    ("fast", "strong"),
    [
        pytest.param(says(0.9), partial(0.9), id="strong says partial"),
        pytest.param(says(0.9), NOTHING, id="strong says not yet"),
        pytest.param(says(0.9), None, id="strong is down"),
        pytest.param(None, says(0.95), id="fast is down"),
        pytest.param(None, None, id="both are down"),
    ],
)
async def test_judges_that_conflict_or_fail_do_not_complete(
    served: Blueprint, fast: Any, strong: Any
) -> None:
    served.judges.say(fast, strong)
    decision = await served.judge(turn())
    assert decision.verdict == RETRY


@pytest.mark.parametrize(
    ("findings", "status"),
    [
        pytest.param((finding("C1"), finding("C2")), COMPLETE, id="all shown"),
        pytest.param((finding("C1"), finding("C2", UNMET)), PARTIAL, id="some shown"),
        pytest.param((finding("C1"), finding("C2", MET, "")), PARTIAL, id="met without evidence"),
        pytest.param((finding("C1"), finding("C2", MET, "opens at ten")), PARTIAL,
                     id="a quotation that is nowhere"),
        pytest.param((finding("C1", UNMET), finding("C2", OPEN)), NOT_YET, id="none shown"),
        pytest.param((finding("C1", OPEN), finding("C2", OPEN)), UNKNOWN, id="nobody can tell"),
    ],
)  # fmt: skip
async def test_the_status_follows_from_quoted_findings(
    served: Blueprint, findings: Any, status: int
) -> None:
    served.judges.say(says(0.9, *findings), says(0.9, *findings))
    decision = await served.judge(turn())
    assert decision.goal_status == status
    assert (decision.verdict == ACCEPT) is (status == COMPLETE)


async def test_an_optional_criterion_does_not_hold_up_completion(served: Blueprint) -> None:
    findings = (finding("C1"), finding("C2", UNMET))
    served.judges.say(says(0.9, *findings), says(0.9, *findings))
    rubric = submission_pb2.Rubric(criteria=[criterion("C1"), criterion("C2", required=False)])
    decision = await served.judge(turn(rubric=rubric))
    assert (decision.verdict, decision.goal_status) == (ACCEPT, COMPLETE)


async def test_a_quotation_may_name_its_message(served: Blueprint) -> None:
    messages = [
        submission_pb2.Message(role="user", content="When does it open?"),
        submission_pb2.Message(role="tool", content="hours: from 9 to 17"),
    ]
    found = [finding(name, MET, "from 9 to 17") for name in ("C1", "C2")]
    for one in found:
        one.evidence[0].message_index = 1
    served.judges.say(says(0.9, *found), says(0.9, *found))
    decision = await served.judge(turn(messages=messages))
    assert decision.verdict == ACCEPT
    for one in found:
        one.evidence[0].message_index = 0  # where it does not stand
    served.judges.say(says(0.9, *found), says(0.9, *found))
    assert (await served.judge(turn(messages=messages))).verdict == RETRY


@pytest.mark.parametrize(
    "candidate",
    [
        pytest.param("I cannot assist with that.", id="cannot assist"),
        pytest.param("I'm sorry, but I can't help with this request.", id="can't help"),
        pytest.param("I cannot comply with it.", id="cannot comply"),
    ],
)
async def test_a_refusal_ends_the_run_without_a_judge(served: Blueprint, candidate: str) -> None:
    served.judges.say(says(1.0), says(1.0))
    decision = await served.judge(turn(candidate=candidate))
    assert (decision.verdict, decision.goal_status) == (ESCALATE, REFUSAL)
    assert (codes(decision), served.judges.asked) == (["REFUSED"], [])


@pytest.mark.parametrize("claim", ["Final answer: done.", "All done. I have completed the task."])
async def test_a_claim_without_evidence_is_not_yet_and_says_what_is_missing(
    served: Blueprint, claim: str
) -> None:
    served.judges.say(NOTHING)
    decision = await served.judge(turn(candidate=claim))
    assert (decision.verdict, decision.goal_status) == (RETRY, NOT_YET)
    assert "UNSUPPORTED_CLAIM" in codes(decision)
    assert "C1, C2" in decision.feedback


SAME = "The tower is tall and it is old and it is made of stone, as everybody here knows."


async def test_five_turns_of_the_same_words_are_a_plateau(served: Blueprint) -> None:
    served.judges.say(NOTHING)
    before = [earlier(0.9, NOT_YET, text=f"{SAME} {n}") for n in range(4)]
    decision = await served.judge(turn(*before, candidate=SAME))
    assert (decision.verdict, "PLATEAU" in codes(decision)) == (RETRY, True)
    fewer = await served.judge(turn(*before[1:], candidate=SAME))
    assert "PLATEAU" not in codes(fewer)


@pytest.mark.parametrize(
    ("iteration", "met", "verdict"),
    [
        pytest.param(16, (1, 1), ESCALATE, id="no change over three checks after turn 15"),
        pytest.param(12, (1, 1), RETRY, id="no change before"),
        pytest.param(16, (0, 1), RETRY, id="a criterion more"),
    ],
)
async def test_no_progress_ends_the_run(
    served: Blueprint, iteration: int, met: tuple[int, ...], verdict: int
) -> None:
    served.judges.say(partial(0.9))
    before = [
        earlier(0.9, PARTIAL, criteria_met=count, text=f"Words of turn {count}{n}.")
        for n, count in enumerate(met)
    ]
    decision = await served.judge(turn(*before, iteration=iteration))
    assert decision.verdict == verdict, codes(decision)
    assert ("NO_PROGRESS" in codes(decision)) is (verdict == ESCALATE)


async def test_a_decision_records_stage_source_and_confidence(served: Blueprint) -> None:
    served.judges.say(says(0.8), says(0.9))
    decision = await served.judge(turn())
    assert [stage.stage for stage in decision.stages] == ["validators", "fast", "strong"]
    assert decision.goal_confidence == pytest.approx(0.9)
    assert codes(decision)[0] == "GOAL_COMPLETE"
    assert "fast COMPLETE at 0.80, strong COMPLETE at 0.90" in decision.reasons[0].message
    assert decision.policy_revision.startswith("sha256:")
