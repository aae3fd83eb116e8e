"""A model's cost is worked out without holding up the event loop, however long the submission."""

import asyncio
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import pytest

from consensus.cascade import Engine
from consensus.domain.decision import Decision, SeatStatus
from consensus.domain.errors import SpendLimitReached
from consensus.domain.gradient import Failure, FailureKind
from consensus.domain.policy import Policy, SpendLimits
from consensus.domain.submission import Message, Submission
from consensus.judges.llm.chat import Ask
from tests.builders import Watcher, criteria, policy, seats_of, stage, submission
from tests.judges.llm.scripted import ScriptedModel, evaluation, judge, says
from tests.traces.building import span
from tests.virtual_clock import VirtualClock

WORDS = "The tower opens at nine. "
LONG = submission(WORDS * 4_000)


@pytest.fixture
def anyio_backend() -> str:
    """Threads know no virtual time."""
    return "asyncio"


class Held(ThreadPoolExecutor):
    """A thread that does nothing before it is let go."""

    def __init__(self) -> None:
        super().__init__(1)
        self.free = threading.Event()
        self.given = 0
        self.begun = asyncio.Event()

    def submit(self, work: Callable[..., Any], /, *given: Any, **named: Any) -> "Future[Any]":
        loop = asyncio.get_running_loop()
        self.given += 1

        def held() -> Any:
            loop.call_soon_threadsafe(self.begun.set)
            assert self.free.wait(30)
            return work(*given, **named)

        return super().submit(held)

    async def begins(self) -> None:
        """Wait until it has something to do."""
        async with asyncio.timeout(30):
            await self.begun.wait()


@pytest.fixture
def held(anyio_backend: str) -> Iterator[Held]:
    with Held() as threads:
        yield threads
        threads.free.set()


class Model(ScriptedModel):
    """A model that knows which threads ask for its price; `raises` instead where it is set."""

    def __init__(self) -> None:
        super().__init__(says(), seconds=0.0)
        self.threads: set[int] = set()
        self.raises: Exception | None = None

    def worst_cost(self, ask: Ask) -> float | None:
        self.threads.add(threading.get_ident())
        if self.raises is not None:
            raise self.raises
        return super().worst_cost(ask)


LONG_ONES = {
    "candidate": LONG,
    "task": submission(task=WORDS * 4_000),
    "one message": submission(messages=(Message("user", WORDS * 4_000),)),
    "many messages": submission(messages=(Message("user", "yes"),) * 3_000),
    "many criteria": submission(rubric=criteria(*[f"C{number}" for number in range(3_000)])),
    "context": submission(context={"notes": WORDS * 4_000}),
    "many keys": submission(context={str(number): None for number in range(2_000)}),
    "outputs": submission(outputs={"rows": [[1, {"two": 2.0}]] * 1_000}),
    "trace": submission(trace=tuple(span(f"a{number:015}") for number in range(300))),
}


@pytest.mark.parametrize("about", LONG_ONES.values(), ids=LONG_ONES)
async def test_the_loop_turns_while_a_long_submission_is_priced(
    held: Held, about: Submission
) -> None:
    model = Model()
    pricing = asyncio.create_task(judge(model, threads=held).worst_cost(evaluation(about)))
    await held.begins()
    assert not pricing.done()
    assert model.threads == set()
    held.free.set()
    assert await pricing == pytest.approx(0.01 * (800 + 1_600))
    assert threading.get_ident() not in model.threads


async def test_a_short_one_is_priced_at_once(held: Held) -> None:
    model = Model()
    assert await judge(model, threads=held).worst_cost(evaluation(submission()))
    assert (model.threads, held.given) == ({threading.get_ident()}, 0)


async def test_seats_that_ask_find_the_words_that_were_priced(held: Held) -> None:
    held.free.set()
    asked, about = judge(model := Model(), threads=held), evaluation(LONG)
    await asked.worst_cost(about)
    words = dict(about.memo)
    await asked.evaluate(about, 30)
    assert len(model.asked) == 1
    assert about.memo.keys() == words.keys()
    assert all(about.memo[key] is words[key] for key in words)


class Stand:
    """An engine with an hour that one question may use up."""

    def __init__(self, held: Held) -> None:
        self.engine = Engine(VirtualClock())
        self.model = Model()
        self.judge = judge(self.model, threads=held)
        self.rules: Policy = policy(stage("model"), spend=SpendLimits(per_hour_usd=24))

    async def decide(self, about: Submission = LONG, seconds: float = 30) -> Decision:
        judges = {"model": self.judge}
        return await self.engine.judge(about, self.rules, judges, Watcher(), budget_seconds=seconds)


async def test_a_budget_that_ends_while_it_is_priced_costs_the_seat(held: Held) -> None:
    stand = Stand(held)
    decision = await stand.decide(seconds=0.01)
    held.free.set()
    answer = seats_of(decision)["model"].answer
    assert isinstance(answer, Failure)
    assert answer.kind is FailureKind.TIMEOUT
    assert stand.model.asked == []


@pytest.mark.parametrize("raises", [None, ValueError("judged words")])
async def test_a_caller_who_goes_away_leaves_nothing_behind(
    held: Held, raises: Exception | None
) -> None:
    stand, told = Stand(held), list[Any]()
    stand.model.raises = raises
    asyncio.get_running_loop().set_exception_handler(lambda _, context: told.append(context))
    before = asyncio.all_tasks()
    going = asyncio.create_task(stand.decide())
    await held.begins()
    waiting = asyncio.create_task(stand.decide())
    await asyncio.sleep(0)
    for task in (going, waiting):
        task.cancel()
    await asyncio.wait((going, waiting))
    assert going.cancelled()
    assert waiting.cancelled()
    assert asyncio.all_tasks() == before
    held.free.set()
    held.shutdown()
    await asyncio.sleep(0)
    assert told == []
    assert stand.model.asked == []
    stand.model.raises = None
    whole = await stand.decide(submission())  # takes all that the hour has
    assert seats_of(whole)["model"].status is SeatStatus.SCORED


async def test_decisions_that_are_priced_together_do_not_overspend(held: Held) -> None:
    stand = Stand(held)
    both = [asyncio.create_task(stand.decide()) for _ in range(5)]
    await held.begins()
    held.free.set()
    ends = await asyncio.gather(*both, return_exceptions=True)
    assert sum(isinstance(end, Decision) for end in ends) == 1
    assert sum(isinstance(end, SpendLimitReached) for end in ends) == 4
