"""A policy of the same file as a judge: its decision is the answer, one level deeper."""

import asyncio
from typing import Any

import anyio
import pytest

from consensus.bench import Bench
from consensus.cascade import Engine
from consensus.cascade.nesting import Nesting
from consensus.config.load import parse_policies
from consensus.domain.decision import Decision, Hierarchy, SeatStatus, Verdict
from consensus.domain.errors import JudgeFailed
from consensus.domain.evaluation import Evaluation
from consensus.domain.gradient import Abstention, Answer, Failure, FailureKind, Usage
from consensus.domain.judges import JudgeSpec
from consensus.domain.policy import Action, Policy, Seat, SpendLimits
from consensus.domain.ports import Judge
from consensus.judges.nested import PolicyJudge
from consensus.validators import check_faults
from tests.builders import (
    FOREVER,
    Instant,
    Waiting,
    Watcher,
    criteria,
    finds,
    policy,
    scores,
    seats_of,
    stage,
    submission,
)
from tests.config.policies import FILE
from tests.virtual_clock import VIRTUAL, VirtualClock

GOOD = scores(0.9)


@pytest.fixture(scope="session")
def anyio_backend() -> object:
    return VIRTUAL


class Metered(Waiting):
    """A judge that uses a model and may cost `worst`."""

    worst: float | None = 0.01

    async def worst_cost(self, evaluation: Evaluation) -> float | None:
        return self.worst

    async def evaluate(self, evaluation: Evaluation, timeout_seconds: float) -> Answer:
        evaluation.ledger(self.name).add(Usage(output_tokens=5, cost_usd=0.004))
        return await super().evaluate(evaluation, timeout_seconds)


class House:
    """Policies that nest: each is a judge too, under its own name with `as-` before it."""

    def __init__(self, *leaves: Judge, **policies: Policy) -> None:
        self.watcher = Watcher()
        self.nested = Watcher()
        self.judges: dict[str, Judge] = {leaf.name: leaf for leaf in leaves}
        self.policies = policies
        self.engine = Engine(VirtualClock())
        nesting = Nesting(self.engine, policies, self.judges, self.nested)
        for name in policies:
            spec = JudgeSpec(name=f"as-{name}", kind="policy", policy=name)
            self.judges[spec.name] = PolicyJudge(spec, nesting)

    async def judge(self, name: str = "outer", about: Any = None, **more: Any) -> Decision:
        return await self.engine.judge(
            about or submission(),
            self.policies[name],
            self.judges,
            self.watcher,
            **{"budget_seconds": 30.0, **more},
        )


def named(name: str, *stages: Any, **more: Any) -> Policy:
    return policy(*stages, name=name, **more)


def failure_of(decision: Decision, judge: str) -> Failure:
    answer = seats_of(decision)[judge].answer
    assert isinstance(answer, Failure)
    return answer


async def test_the_nested_decision_is_the_answer_of_its_seat() -> None:
    house = House(
        Waiting("a", 1, finds(0.8, C1="met")),
        Waiting("b", 2, finds(0.6, C1="met")),
        outer=named("outer", stage("as-inner")),
        inner=named("inner", stage("a", "b", name="panel")),
    )
    decision = await house.judge(about=submission(rubric=criteria("C1")))
    seat = seats_of(decision)["as-inner"]
    (nested,) = house.nested.decisions
    assert (seat.status, seat.attempts, seat.duration_seconds) == (SeatStatus.SCORED, 1, 2.0)
    assert seat.gradient is not None
    assert seat.gradient.score == pytest.approx(0.7) == nested.effective_score
    assert seat.gradient.metadata["decision_id"] == nested.decision_id
    assert [finding.criterion_id for finding in seat.gradient.findings] == ["C1"]
    assert nested.hierarchy == Hierarchy(decision.decision_id, 1, (decision.decision_id,))


async def test_a_nested_panel_without_a_quorum_abstains() -> None:
    house = House(
        Instant("a"),
        outer=named("outer", stage("as-inner")),
        inner=named("inner", stage("a")),
    )
    seat = seats_of(await house.judge())["as-inner"]
    assert seat.status is SeatStatus.ABSTAINED
    assert isinstance(seat.answer, Abstention)
    assert "0 seats scored" in seat.answer.reason


def tower(*, levels: int) -> House:
    """Return policies p0 to p<levels>, each of which asks a leaf and the next."""
    policies = {
        f"p{level}": named(
            f"p{level}", stage("leaf", *([f"as-p{level + 1}"] if level < levels else []))
        )
        for level in range(levels + 1)
    }
    return House(Waiting("leaf", 1, GOOD), **policies)


async def test_at_the_last_depth_leaves_are_still_asked() -> None:
    house = tower(levels=3)
    decision = await house.judge("p0")
    assert [d.hierarchy.depth for d in house.nested.decisions] == [3, 2, 1]
    assert len(house.judges["leaf"].asked) == 4  # type: ignore[union-attr]
    assert all(seat.status is SeatStatus.SCORED for _, seat in house.nested.finished)
    assert decision.verdict is Verdict.ACCEPT


async def test_the_seat_that_would_go_deeper_fails_and_names_the_path() -> None:
    house = tower(levels=4)
    await house.judge("p0")
    deepest = house.nested.decisions[0]
    assert deepest.hierarchy.depth == 3
    failure = failure_of(deepest, "as-p4")
    path = " > ".join([*deepest.hierarchy.path, deepest.decision_id])
    assert failure == Failure(
        FailureKind.ERROR, f"DEPTH_EXCEEDED: depth 3 is the last ({path})"[:300]
    )
    assert seats_of(deepest)["leaf"].status is SeatStatus.SCORED


async def test_a_decision_of_the_last_depth_asks_no_panel_but_its_leaves() -> None:
    house = tower(levels=1)
    decision = await house.judge("p0", hierarchy=Hierarchy("c", 3, ("a", "b", "c")))
    assert failure_of(decision, "as-p1").reason.startswith("DEPTH_EXCEEDED: depth 3 is the last (a")
    assert house.nested.decisions == []
    assert seats_of(decision)["leaf"].status is SeatStatus.SCORED


async def test_what_the_nested_seats_use_is_the_seats_usage() -> None:
    house = House(
        Metered("a", 1, GOOD),
        Metered("b", 1, GOOD),
        outer=named("outer", stage("as-inner")),
        inner=named("inner", stage("a", "b")),
    )
    decision = await house.judge()
    used = Usage(output_tokens=10, cost_usd=0.008)
    assert (seats_of(decision)["as-inner"].usage, decision.usage) == (used, used)


async def test_what_a_nested_panel_has_used_outlasts_its_cancellation() -> None:
    house = House(
        Metered("a", 1, GOOD),
        Metered("b", FOREVER),
        outer=named("outer", stage("as-inner")),
        inner=named("inner", stage("a", "b")),
    )
    before = asyncio.all_tasks()
    with anyio.move_on_after(5):
        await house.judge()
    assert asyncio.all_tasks() == before
    ((_, seat),) = house.watcher.finished
    assert seat.status is SeatStatus.SKIPPED
    assert seat.usage == Usage(output_tokens=10, cost_usd=0.008)
    assert house.watcher.balanced
    assert house.nested.balanced


async def test_a_slow_nested_judge_costs_its_own_seat_before_the_nested_time_is_up() -> None:
    house = House(
        Waiting("good", 1, GOOD),
        Waiting("hanging", FOREVER),
        outer=named("outer", stage(Seat(judge="as-inner", timeout_seconds=4))),
        inner=named("inner", stage("good", "hanging", quorum=1)),
    )
    decision = await house.judge()
    seat = seats_of(decision)["as-inner"]
    assert seat.status is SeatStatus.SCORED
    assert seat.duration_seconds == pytest.approx(3.95)


async def test_a_nested_policy_that_wants_a_rubric_fails_its_seat_without_one() -> None:
    house = House(
        Instant("a", GOOD),
        outer=named("outer", stage("as-inner")),
        inner=named("inner", stage("a"), rubric_required=True),
    )
    failure = failure_of(await house.judge(), "as-inner")
    assert failure.kind is FailureKind.ERROR
    assert "INVALID_REQUEST: submission.rubric.criteria: is empty" in failure.reason


async def test_a_nested_policy_without_any_judge_fails_its_seat() -> None:
    house = House(
        Instant("a", JudgeFailed(FailureKind.ERROR, "down")),
        outer=named("outer", stage("as-inner")),
        inner=named("inner", stage("a", on_no_quorum=Action.FAIL)),
    )
    failure = failure_of(await house.judge(), "as-inner")
    assert failure.reason.startswith("ALL_JUDGES_UNAVAILABLE: no judge of stage 'bench' answered")


async def test_a_nested_policy_may_cost_what_all_its_stages_may() -> None:
    first = stage("a", name="first", on_pass=Action.ADVANCE)
    inner = named("inner", first, stage("b"))
    leaves = Metered("a", 1, GOOD), Metered("b", 1, GOOD)
    house = House(*leaves, outer=named("outer", stage("as-inner")), inner=inner)
    assert failure_of(await house.judge(max_cost_usd=0.019), "as-inner").reason == (
        "could cost $0.02, and $0.019 of the request's $0.019 are left"
    )
    assert seats_of(await house.judge(max_cost_usd=0.02))["as-inner"].status is SeatStatus.SCORED


async def test_a_nested_policy_with_a_limit_of_its_own_never_costs_more() -> None:
    limits = SpendLimits(per_request_usd=0.012)
    inner = named("inner", stage("a", "b"), spend=limits)
    leaves = Metered("a", 1, GOOD), Metered("b", 1, GOOD)
    house = House(*leaves, outer=named("outer", stage("as-inner")), inner=inner)
    decision = await house.judge(max_cost_usd=0.012)
    assert seats_of(decision)["as-inner"].status is SeatStatus.SCORED
    assert failure_of(house.nested.decisions[0], "b").kind is FailureKind.SPEND_LIMIT


async def test_a_nested_policy_whose_hour_is_spent_fails_its_seat() -> None:
    inner = named("inner", stage("a"), spend=SpendLimits(per_hour_usd=0.012))
    house = House(Metered("a", 1, GOOD), outer=named("outer", stage("as-inner")), inner=inner)
    await house.judge()
    failure = failure_of(await house.judge(), "as-inner")
    assert failure.kind is FailureKind.SPEND_LIMIT
    assert "of its $0.012 an hour are left" in failure.reason


async def test_a_nested_judge_that_cannot_tell_its_cost_makes_that_of_its_policy_unknown() -> None:
    class Mute(Metered):
        async def worst_cost(self, evaluation: Evaluation) -> float | None:
            raise ValueError

    outer, leaves = named("outer", stage("as-inner")), (Mute("a", 1, GOOD), Metered("b", 1, GOOD))
    house = House(*leaves, outer=outer, inner=named("inner", stage("a", "b")))
    failure = failure_of(await house.judge(max_cost_usd=1), "as-inner")
    assert failure.kind is FailureKind.SPEND_LIMIT
    limits = SpendLimits(per_request_usd=0.02)
    house = House(*leaves, outer=outer, inner=named("inner", stage("a", "b"), spend=limits))
    decision = await house.judge(max_cost_usd=1)
    assert seats_of(decision)["as-inner"].status is SeatStatus.SCORED
    assert failure_of(house.nested.decisions[0], "a").reason == "crashed with ValueError"


async def test_a_nested_policy_keeps_to_the_time_of_who_asks_for_its_cost() -> None:
    class Slow(Metered):
        async def worst_cost(self, evaluation: Evaluation) -> float | None:
            await anyio.sleep(FOREVER)
            raise AssertionError

    leaf, inner = Slow("a", 1, GOOD), named("inner", stage("a"))
    house = House(leaf, outer=named("outer", stage("as-inner")), inner=inner)
    failure = failure_of(await house.judge(max_cost_usd=1), "as-inner")
    assert failure.kind is FailureKind.TIMEOUT
    assert (leaf.asked, house.nested.decisions) == ([], [])


async def test_the_bench_of_a_file_holds_its_nested_policies_and_their_judges() -> None:
    text = """
judges: {style: {kind: policy, policy: style}}
policies:
  default: {stages: [{name: one, panel: {seats: [{judge: style}]}, on_no_quorum: escalate}]}
  style: {enabled: false, stages: [
    {name: two, panel: {seats: [{judge: conduct}]}, on_no_quorum: escalate}]}
"""
    policies = parse_policies(text, FILE, check_faults)
    judges = Bench(policies, Engine(VirtualClock()), VirtualClock())
    assert {name: judge.kind for name, judge in judges.items()} == {
        "style": "policy",
        "conduct": "embedded",
    }
    decision = await Engine(VirtualClock()).judge(
        submission(), policies.policies["default"], judges, Watcher(), budget_seconds=9
    )
    assert seats_of(decision)["style"].gradient is not None
