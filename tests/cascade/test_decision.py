"""What a decision records beside the verdict: weightless seats, lost quorums, hierarchy, time."""

import datetime

import pytest

from consensus.cascade import Engine
from consensus.domain.decision import Hierarchy, SeatStatus, Verdict
from consensus.domain.errors import AllJudgesUnavailable, JudgeFailed
from consensus.domain.gradient import Abstention, FailureKind, FindingStatus
from consensus.domain.policy import Action, Gate, Panel, Seat, Stage, StrategyName
from tests.builders import (
    Instant,
    Script,
    Waiting,
    Watcher,
    bench,
    criteria,
    decide,
    finds,
    policy,
    quotes,
    scores,
    seats_of,
    stage,
    submission,
)
from tests.virtual_clock import EPOCH, VirtualClock

BROKEN = JudgeFailed(FailureKind.ERROR, "broken")
HUNG = JudgeFailed(FailureKind.TIMEOUT, "no answer")


@pytest.mark.parametrize(
    ("broken", "kind"),
    [
        (BROKEN, "error"),
        (HUNG, "timeout"),
        (ValueError("crash"), "error"),
        (scores(7.0), "unreadable"),
    ],
)
async def test_the_call_fails_where_the_policy_says_so_and_no_judge_answered(
    broken: Script, kind: str
) -> None:
    watcher = Watcher()
    rules = stage("a", "b", on_no_quorum=Action.FAIL, name="strong")
    with pytest.raises(AllJudgesUnavailable) as caught:
        await decide(rules, Instant("a", BROKEN), Waiting("b", 1, broken), watcher=watcher)
    assert str(caught.value) == f"no judge of stage 'strong' answered: a, b (error, {kind})"
    assert caught.value.metadata == {"stage": "strong", "judges": "a, b"}
    assert watcher.balanced
    assert [result.stage for result in watcher.stages] == ["strong"]
    assert watcher.decisions == []


@pytest.mark.parametrize("other", [scores(0.9), Abstention("cannot tell")])
async def test_it_escalates_instead_where_one_judge_did_answer(other: Script) -> None:
    rules = stage("a", "b", quorum=2, on_no_quorum=Action.FAIL)
    decision = await decide(rules, Instant("a", BROKEN), Instant("b", other))
    assert decision.verdict is Verdict.ESCALATE


async def test_a_panel_without_a_rule_for_a_missed_quorum_escalates() -> None:
    rules = stage("a", on_no_quorum=None)
    assert (await decide(rules, Instant("a", BROKEN))).verdict is Verdict.ESCALATE


async def test_a_weightless_seat_is_asked_and_recorded_and_does_not_count() -> None:
    about = submission(rubric=criteria("C1"))
    rules = stage(Seat(judge="ghost", weight=0.0), "a")
    ghost = Instant("ghost", finds(0.0, C1="unmet"))
    decision = await decide(rules, ghost, Instant("a", finds(1.0, C1="met")), about=about)
    consensus = decision.stages[0].consensus
    assert consensus is not None
    assert len(ghost.asked) == 1
    assert seats_of(decision)["ghost"].status is SeatStatus.SCORED
    assert (consensus.final_score, consensus.coverage) == (1.0, 1.0)
    assert consensus.agreement is None
    assert consensus.dissents == ()
    assert (decision.criteria[0].met, decision.criteria[0].unmet) == (1, 0)
    assert decision.verdict is Verdict.ACCEPT


async def test_a_weightless_seat_makes_no_quorum() -> None:
    rules = stage(Seat(judge="ghost", weight=0.0), "a")
    decision = await decide(rules, Instant("ghost", scores(1.0)), Instant("a", BROKEN))
    consensus = decision.stages[0].consensus
    assert consensus is not None
    assert (consensus.final_score, consensus.coverage) == (None, 0.0)
    assert not decision.stages[0].gate.quorum_ok


async def test_a_lost_quorum_still_records_its_coverage() -> None:
    rules = stage(Seat(judge="a", weight=3.0), "b", quorum=2)
    decision = await decide(rules, Instant("a", scores(1.0)), Instant("b", BROKEN))
    consensus = decision.stages[0].consensus
    assert consensus is not None
    assert (consensus.final_score, consensus.confidence, consensus.coverage) == (None, None, 0.75)


async def test_the_dissenter_is_named() -> None:
    judges = Instant("a", scores(0.9)), Instant("b", scores(0.9)), Instant("c", scores(0.5))
    decision = await decide(stage("a", "b", "c"), *judges)
    consensus = decision.stages[0].consensus
    assert consensus is not None
    assert [dissent.judge for dissent in consensus.dissents] == ["c"]


async def test_criteria_carry_the_quotations_of_the_seats_that_agree_with_them() -> None:
    about = submission("The tower opens at nine.", rubric=criteria("C1"))
    judges = (
        Instant("a", quotes("met", "tower", "opens")),
        Instant("b", quotes("met", "opens", "at nine", "nine", "The")),
        Instant("c", quotes("unmet", "tower opens")),
    )
    rules = stage("a", "b", "c", strategy=StrategyName.MAJORITY)
    decision = await decide(rules, *judges, about=about)
    criterion = decision.criteria[0]
    assert (criterion.status, criterion.met, criterion.unmet) == (FindingStatus.MET, 2, 1)
    assert [e.quote for e in criterion.evidence] == ["tower", "opens", "at nine", "nine"]


@pytest.mark.parametrize(
    ("found", "votes"), [({"C1": "met"}, [(1, 0), (0, 0)]), ({"C1": "inconclusive"}, [(0, 0)] * 2)]
)
async def test_a_criterion_that_nobody_votes_on_has_no_votes(
    found: dict[str, str], votes: list[tuple[int, int]]
) -> None:
    about = submission(rubric=criteria("C1", "C2"))
    decision = await decide(stage("a"), Instant("a", finds(1.0, **found)), about=about)
    assert [(criterion.met, criterion.unmet) for criterion in decision.criteria] == votes
    assert decision.criteria[1].status is FindingStatus.INCONCLUSIVE


async def test_a_decision_without_a_parent_is_a_root() -> None:
    judge = Instant("a", scores(0.9))
    decision = await decide(stage("a"), judge)
    assert decision.hierarchy == Hierarchy()
    assert judge.asked[0].hierarchy == Hierarchy(decision.decision_id, 1, (decision.decision_id,))


async def test_the_judges_stand_one_deeper_than_the_decision_that_asks_them() -> None:
    judge, asking = Instant("a", scores(0.9)), Hierarchy("root", 1, ("root",))
    decision = await decide(stage("a"), judge, hierarchy=asking)
    child = judge.asked[0].hierarchy
    assert decision.hierarchy == asking
    assert child == Hierarchy(decision.decision_id, 2, ("root", decision.decision_id))


async def test_ids_come_from_where_the_engine_is_told_and_are_unique_otherwise() -> None:
    rules, judges = policy(stage("a")), bench([Instant("a", scores(0.9))])
    engine = Engine(VirtualClock(), lambda: "decision 7")
    decision = await engine.judge(submission(), rules, judges, Watcher(), budget_seconds=1)
    assert decision.decision_id == "decision 7"
    first = await decide(rules, *judges.values())
    second = await decide(rules, *judges.values())
    assert first.decision_id != second.decision_id


async def test_the_decision_carries_policy_revision_time_and_duration() -> None:
    rules = policy(stage("a", "b"), name="strict", revision="sha256:1234567890abcdef")
    begun = VirtualClock().monotonic()
    watcher = Watcher()
    judges = Waiting("a", 2, scores(0.9)), Waiting("b", 3, scores(0.9))
    decision = await decide(rules, *judges, watcher=watcher)
    assert (decision.policy, decision.policy_revision) == ("strict", rules.revision)
    assert decision.create_time == EPOCH + datetime.timedelta(seconds=begun)
    assert decision.duration_seconds == 3.0
    assert watcher.decisions == [decision]
    assert watcher.stages == list(decision.stages)


async def test_a_gate_of_nothing_accepts_anything() -> None:
    gate = Gate(min_score=0.0)
    rules = Stage(
        name="open",
        panel=Panel(seats=(Seat(judge="a"),)),
        gate=gate,
        on_pass=Action.ACCEPT,
        on_fail=Action.RETRY,
        on_unsure=Action.RETRY,
        on_no_quorum=Action.RETRY,
    )
    assert (await decide(rules, Instant("a", scores(0.0, 0.0)))).verdict is Verdict.ACCEPT
