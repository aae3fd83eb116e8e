"""2,000 calls, many cancelled or late at any moment: nothing is held afterwards."""

import asyncio
import random

import anyio
import grpc

from consensus.domain.errors import JudgeFailed
from consensus.domain.gradient import FailureKind, GradientResult
from tests.judges.remote.desk import Call, Refused, Results, asker, desk, verdict

CALLS = 2_000


async def test_a_storm_of_cancellations_leaves_nothing_behind() -> None:
    chance = random.Random(20)  # noqa: S311 - the same storm every time

    def reply(call: Call) -> Results:
        if chance.random() < 0.05:
            raise Refused(grpc.StatusCode.UNKNOWN)
        return Results(results=[{"response": verdict(item)} for item in call.items])

    before = asyncio.all_tasks()
    async with (
        desk(reply, held=False) as backend,
        asker(backend.target, max_items=16, max_inflight=3) as judge,
    ):
        tasks = []
        for number in range(CALLS):
            seconds = 0.001 if chance.random() < 0.1 else 30.0
            tasks.append(judge.ask(str(number), seconds))
            if chance.random() < 0.3:
                await asyncio.sleep(0)
            if chance.random() < 0.3:
                chance.choice(tasks[-40:]).cancel()
        results = await asyncio.gather(*tasks, return_exceptions=True)
        with anyio.fail_after(10):
            while judge.held:  # noqa: ASYNC110 - calls whose items have gone end a turn later
                await asyncio.sleep(0)
        batchers = judge.judge._backend._batchers.values()
        assert [one._gathered for one in batchers] == [0]
    assert asyncio.all_tasks() <= before
    answers = [
        (number, one.reasoning)
        for number, one in enumerate(results)
        if isinstance(one, GradientResult)
    ]
    assert all(reasoning == str(number) for number, reasoning in answers)
    late = [one for one in results if isinstance(one, JudgeFailed)]
    assert all(one.kind is FailureKind.TIMEOUT for one in late)
    cancelled = sum(isinstance(one, asyncio.CancelledError) for one in results)
    assert len(answers) + len(late) + cancelled == CALLS
    assert min(len(answers), cancelled) > 100
