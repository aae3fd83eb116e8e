"""EngineX's goal scorecard, vector by vector: findings of a running server, folded by the loop."""

from collections.abc import AsyncIterator, Sequence
from typing import Any

import pytest
from consensus_client import criterion
from consensus_client.loop import (
    Attempt,
    Constraint,
    Goal,
    GoalCriterion,
    LoopRules,
    LoopState,
    RunReport,
    begin,
)

from consensus.v1 import gradient_pb2
from tests.service.scripted_judge import Context, Request, gradient
from tests.systems.looping import looped
from tests.systems.serving import Shipped, shipped

STATUS = {
    "+": gradient_pb2.FINDING_STATUS_MET,
    "-": gradient_pb2.FINDING_STATUS_UNMET,
    "?": gradient_pb2.FINDING_STATUS_INCONCLUSIVE,
}
CUSTOM = LoopRules(policy="turn-custom")


@pytest.fixture(scope="module", name="hive")
async def _hive() -> AsyncIterator[Shipped]:
    async with shipped("hive") as served:
        yield served


def lines(**weights: float) -> Sequence[GoalCriterion]:
    return [GoalCriterion(name, weight=weight) for name, weight in weights.items()]


async def ran(hive: Shipped, goal: Goal, state: LoopState | None = None, **found: str) -> RunReport:
    """Run a loop whose judge finds, turn by turn, what the signs say, and never accepts."""
    signs = {name: iter(each) for name, each in found.items()}
    turns = max(map(len, found.values()))

    async def judge(request: Request, context: Context) -> bytes:
        findings = [
            gradient_pb2.Finding(criterion_id=name, status=STATUS[next(each)])
            for name, each in signs.items()
        ]
        return gradient(0.1, findings=findings).SerializeToString()

    def work(attempt: Attempt) -> str:
        return f"Version {attempt.number}."

    hive.script(custom=judge)
    rubric = [criterion(name, f"Holds {name}.") for name in found]
    rules = LoopRules(policy=CUSTOM.policy, max_iterations=turns)
    begun = state or begin("Task", criteria=rubric)
    report = await looped("asyncio", hive, begun, work, rules, goal=goal)
    assert len(report.turns) == turns
    return report


VECTORS = [
    pytest.param(
        Goal(lines(A=0.5, B=0.3, C=0.2)), {"A": "+++++", "B": "+++--", "C": "-----"},
        (0.68, 0.68, False, "continue"), id="weights .5 met, .3 at .6, .2 at 0: .68, go on",
    ),
    pytest.param(
        Goal(lines(A=0.9, B=0.1)), {"A": "+", "B": "-"}, (0.9, 0.9, True, "continue"),
        id="weights .9 met, .1 not: .9, a success and yet go on",
    ),
    pytest.param(
        Goal([GoalCriterion("A", target="90%")]), {"A": "+" * 17 + "-" * 3},
        (0.85, 0.85, False, "continue"), id="target 90% with .85: not met, counts .85",
    ),
    pytest.param(
        Goal(lines(A=1.0)), {"A": "++++-"}, (1.0, 0.8, True, "complete"),
        id="no target with .8: met, counts 1, and the raw .8 is told",
    ),
    pytest.param(
        Goal(lines(A=1.0), [Constraint("B")]), {"A": "+", "B": "-"},
        (1.0, 1.0, True, "adjust"), id="first rule: a hard constraint is violated",
    ),
    pytest.param(
        Goal(lines(A=1.0), [Constraint("B", hard=False)]), {"A": "+", "B": "-"},
        (1.0, 1.0, True, "complete"), id="a soft one only costs a line in the report",
    ),
    pytest.param(
        Goal(lines(A=1.0)), {"A": "-" * 11}, (0.0, 0.0, False, "adjust"),
        id="third rule: below .3 after more than 10 decisions",
    ),
    pytest.param(
        Goal(lines(A=1.0)), {"A": "-" * 10}, (0.0, 0.0, False, "continue"),
        id="not after 10",
    ),
    pytest.param(
        Goal(lines(A=1.0, B=1.0)), {"A": "+", "B": "?"}, (0.5, 0.5, False, "continue"),
        id="what nobody could tell stays in the denominator",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("goal", "found", "figures"), VECTORS)
async def test_the_scorecard_of_a_run(
    hive: Shipped, goal: Goal, found: Any, figures: tuple[float, float, bool, str]
) -> None:
    card = (await ran(hive, goal, **found)).scorecard
    overall, raw, success, recommendation = figures
    assert (card.overall_progress, card.raw_progress) == pytest.approx((overall, raw))
    assert (card.is_success, card.recommendation) == (success, recommendation)
    unheard = {name for name, signs in found.items() if set(signs) <= {"?"}}
    assert set(card.not_evaluated) == unheard


async def test_the_scorecard_steers_nothing(hive: Shipped) -> None:
    report = await ran(hive, Goal(lines(A=1.0)), A="+" * 3)
    assert report.scorecard.recommendation == "complete"
    assert report.status == "EXHAUSTED"
