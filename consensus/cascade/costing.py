"""What judges may cost at most: worked out before any money is set aside for them, within a part of
the budget. What cannot be told is never taken for nothing.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence

import anyio

from consensus.cascade.budget import Budget
from consensus.cascade.failures import cancelled, failure_of
from consensus.domain.evaluation import Evaluation
from consensus.domain.gradient import Failure, FailureKind
from consensus.domain.habits import bare
from consensus.domain.ports import Costed, Deriver, Judge

TOLD_AFTERWARDS_USD = 1e-6
"""Of a judge that may tell its cost only with its answer: asked while anything is left."""
COSTING_SHARE = 0.5
"""Most of the budget that working out costs may take: the rest is for judging."""
_UNKNOWN = Failure(FailureKind.SPEND_LIMIT, "its cost is unknown, and there is a limit")
_LATE = Failure(FailureKind.TIMEOUT, "its cost was not worked out in time, and there is a limit")


async def worst_costs(
    judges: Sequence[Judge], given: Callable[[Judge], Evaluation], budget: Budget
) -> list[float | Failure]:
    """Return what each judge may cost for what it is given, as `worst_cost` does: as far as that
    can be told in COSTING_SHARE of the budget.

    One after the other: what one has put into words the next ones find in the memo. First those
    that are known at once, so that none of them is refused for the time that another took.
    """
    costs: list[float | Failure] = [_LATE] * len(judges)
    order = sorted(range(len(judges)), key=lambda index: isinstance(bare(judges[index])[0], Costed))
    with anyio.move_on_after(budget.left() * COSTING_SHARE):
        for index in order:
            costs[index] = await worst_cost(judges[index], given(judges[index]))
    return costs


async def worst_cost(judge: Judge, evaluation: Evaluation) -> float | Failure:
    """Return the most US dollars that a judge may cost, its habits included; where that is unknown,
    why the judge cannot be asked under a limit.
    """
    judge, calls = bare(judge)
    if not isinstance(judge, Costed):
        return TOLD_AFTERWARDS_USD if judge.waits else 0.0
    worst = await _told(judge.worst_cost(evaluation))
    return worst if isinstance(worst, Failure) else worst * calls


async def worst_cost_of_deriving(
    judge: Deriver, task: str, max_criteria: int, budget: Budget
) -> float | Failure:
    """Return what deriving a rubric may cost, as `worst_costs` does for judging."""
    with anyio.move_on_after(budget.left() * COSTING_SHARE):
        return await _told(judge.worst_cost_of_deriving(task, max_criteria))
    return _LATE


async def _told(cost: Awaitable[float | None]) -> float | Failure:
    try:
        worst = await cost
    except (Exception, asyncio.CancelledError) as error:
        if isinstance(error, asyncio.CancelledError) and cancelled():
            raise
        return failure_of(error)
    return _UNKNOWN if worst is None else worst
