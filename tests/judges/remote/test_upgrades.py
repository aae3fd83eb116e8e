"""A backend that has said that it takes no batches is tried with one again after a while."""

import asyncio
from collections.abc import Callable

import anyio
import grpc
import pytest

from consensus.judges.remote.connection import TRIAL_SECONDS
from tests.judges.remote.desk import (
    Asker,
    Call,
    Desk,
    Refused,
    Results,
    all_answered,
    answered,
    asker,
    desk,
)

Pass = Callable[[float], None]


@pytest.fixture
async def let_pass(monkeypatch: pytest.MonkeyPatch) -> Pass:
    """Set the event loop's clock forward by so many seconds."""
    loop = asyncio.get_running_loop()
    real, ahead = loop.time, 0.0
    monkeypatch.setattr(loop, "time", lambda: real() + ahead)

    def let_pass(seconds: float) -> None:
        nonlocal ahead
        ahead += seconds

    return let_pass


def no_batches(call: Call) -> Results:
    """Answer as a server that does not know the method."""
    raise Refused(grpc.StatusCode.UNIMPLEMENTED)


def sizes(backend: Desk) -> list[int]:
    """Return how many items each call carried, and forget the calls."""
    found = [len(call.items) for call in backend.calls]
    backend.calls.clear()
    return sorted(found, reverse=True)


async def refused_once(backend: Desk, judge: Asker) -> None:
    """Let the judge learn that there are no batches."""
    assert await answered(judge.ask_each("abc")) == "abc"
    assert sizes(backend) == [3, 1, 1, 1]


async def test_an_upgraded_backend_gets_batches_again(let_pass: Pass) -> None:
    async with desk(no_batches, held=False) as backend, asker(backend.target) as judge:
        await refused_once(backend, judge)
        backend.batch = all_answered
        let_pass(TRIAL_SECONDS - 60)
        assert await answered(judge.ask_each("abc")) == "abc"
        assert sizes(backend) == [1, 1, 1]
        let_pass(60)
        for _ in range(2):
            assert await answered(judge.ask_each("abc")) == "abc"
            assert sizes(backend) == [3]


async def test_while_one_batch_is_tried_the_others_go_alone(let_pass: Pass) -> None:
    async with desk(no_batches, held=False) as backend, asker(backend.target) as judge:
        await refused_once(backend, judge)
        let_pass(TRIAL_SECONDS)
        backend.held = True
        tried = judge.ask_each("ab")
        await backend.arrived(1)
        alone = [*judge.ask_each("cd"), judge.ask("e", depth=2), judge.ask("f", depth=2)]
        await backend.arrived(5)
        backend.held = False
        for call in backend.calls:
            call.go.set()
        assert await answered([*tried, *alone]) == "abcdef"
        assert sizes(backend) == [2, 1, 1, 1, 1, 1, 1]
        assert await answered(judge.ask_each("abc")) == "abc"
        assert sizes(backend) == [1, 1, 1]  # for as long again


async def test_what_waits_behind_a_batch_that_is_tried_waits_no_longer(let_pass: Pass) -> None:
    async with (
        desk(no_batches, held=False) as backend,
        asker(backend.target, max_items=2) as judge,
    ):
        assert await answered(judge.ask_each("ab")) == "ab"
        sizes(backend)
        backend.batch = all_answered
        let_pass(TRIAL_SECONDS)
        assert await answered(judge.ask_each("abcd")) == "abcd"
        assert sizes(backend) == [2, 1, 1]


async def test_batches_that_are_taken_for_as_long_again_travel_side_by_side(
    let_pass: Pass,
) -> None:
    async with desk(no_batches, held=False) as backend, asker(backend.target) as judge:
        await refused_once(backend, judge)
        backend.batch = all_answered
        let_pass(2 * TRIAL_SECONDS)
        backend.held = True
        tasks = judge.ask_each("ab")
        await backend.arrived(1)
        tasks += judge.ask_each("cd")
        await backend.arrived(2)
        for call in backend.calls:
            call.go.set()
        assert await answered(tasks) == "abcd"
        assert sizes(backend) == [2, 2]


async def test_replicas_of_mixed_versions_cost_one_refused_call_a_period(let_pass: Pass) -> None:
    async with desk(no_batches, held=False) as old, desk(held=False) as new:
        async with asker(f"ipv4:{old.target},{new.target}") as judge:
            await until_refused(old, judge)
            for _ in range(3):
                old.calls.clear()
                let_pass(TRIAL_SECONDS)
                await until_refused(old, judge)
                for _ in range(4):
                    await ask_at_three_depths(judge)
                assert refusals(old) == 1
        assert any(call.batched for call in new.calls)


async def until_refused(old: Desk, judge: Asker) -> None:
    with anyio.fail_after(10):
        while not refusals(old):
            await ask_at_three_depths(judge)


async def ask_at_three_depths(judge: Asker) -> None:
    tasks = [judge.ask(item, depth=depth) for depth in (1, 2, 3) for item in "ab"]
    assert await answered(tasks) == "ababab"


def refusals(backend: Desk) -> int:
    """Return how many batches a backend without them was asked."""
    return sum(call.batched for call in backend.calls)
