"""The one place that puts habits around a judge.

From the outside in: cache, breaker, retry, hedge, limit. docs/decisions/0011-habits.md says why.
"""

from random import Random

from consensus.domain.judges import Habits
from consensus.domain.ports import Clock, WaitingJudge
from consensus.judges.wrappers.breaker import Breaker
from consensus.judges.wrappers.cache import Cache
from consensus.judges.wrappers.hedge import Hedge
from consensus.judges.wrappers.limit import Limit
from consensus.judges.wrappers.observer import HabitObserver
from consensus.judges.wrappers.retry import Retry


def compose(
    judge: WaitingJudge,
    habits: Habits,
    clock: Clock,
    observer: HabitObserver,
    random: Random | None = None,
) -> WaitingJudge:
    """Return `judge` with its habits; without any, itself.

    `random` gives the jitter of waits; None: the machine's.
    """
    random = random or Random()  # noqa: S311 - jitter, no secret
    if habits.limit:
        judge = Limit(judge, habits.limit, clock, observer)
    if habits.hedge:
        judge = Hedge(judge, habits.hedge, clock, observer)
    if habits.retry:
        judge = Retry(judge, habits.retry, clock, observer, random)
    if habits.breaker:
        judge = Breaker(judge, habits.breaker, clock, observer, random)
    if habits.cache:
        judge = Cache(judge, habits.cache, clock, observer)
    return judge
