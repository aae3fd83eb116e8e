"""What travels together: calls to one backend, gathered while batches are under way."""

import asyncio
import gc
import math
import weakref
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack

import anyio
import pytest

from consensus.domain.decision import Hierarchy
from consensus.domain.errors import JudgeFailed
from consensus.domain.gradient import Answer, FailureKind
from consensus.domain.judges import BatchLimits
from consensus.domain.ports import Evaluation
from consensus.judges.remote import Backends, batching, queueing
from tests.builders import submission
from tests.judges.remote.desk import Asker, Desk, answered, asker, desk

LATE = (FailureKind.TIMEOUT, "the backend did not answer in time")


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let batches gather as long as more keeps coming, and items wait for a place as long as it
    takes.
    """
    monkeypatch.setattr(batching, "MAX_LINGER_SECONDS", 60)
    monkeypatch.setattr(batching, "LINGER_SHARE", math.inf)


@pytest.fixture
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let nothing gather, or wait for a place."""
    monkeypatch.setattr(batching, "MAX_LINGER_SECONDS", 0)


async def turns() -> None:
    """Let everything that is ready in this process run."""
    for _ in range(5):
        await asyncio.sleep(0)


async def failure(task: asyncio.Task[Answer]) -> JudgeFailed:
    """Return how a call failed."""
    with pytest.raises(JudgeFailed) as caught:
        await task
    return caught.value


async def test_one_call_goes_without_a_batch() -> None:
    async with desk(held=False) as backend, asker(backend.target) as judge:
        assert await answered(judge.ask_each("a")) == "a"
    assert [(call.items, call.batched) for call in backend.calls] == [(["a"], False)]


async def test_calls_of_one_turn_of_the_loop_share_a_batch() -> None:
    items = "abcdefghijklmnopqrstuvwxyz"
    async with desk(held=False) as backend, asker(backend.target) as judge:
        assert await answered(judge.ask_each(items)) == items
    assert [(call.items, call.batched) for call in backend.calls] == [(list(items), True)]


async def test_arrivals_wait_for_a_place_and_then_travel_together(patient: None) -> None:
    async with desk() as backend, asker(backend.target, max_inflight=2) as judge:
        tasks = [judge.ask("a")]
        await backend.arrived(1)
        tasks.append(judge.ask("b"))
        await backend.arrived(2)
        for item in "cde":
            tasks.append(judge.ask(item))
            await turns()
        assert judge.held == 5
        backend.calls[1].go.set()
        await backend.arrived(3)
        backend.calls[0].go.set()
        backend.calls[2].go.set()
        assert await answered(tasks) == "abcde"
    assert backend.travelled == [["a"], ["b"], ["c", "d", "e"]]


async def test_what_waits_for_a_place_departs_without_one_when_it_has_waited_long_enough(
    hasty: None,
) -> None:
    async with desk() as backend, asker(backend.target, max_inflight=1) as judge:
        tasks = []
        for count, items in enumerate(("a", "bc", "d"), 1):
            tasks += judge.ask_each(items)
            await backend.arrived(count)
        for call in backend.calls:
            call.go.set()
        assert await answered(tasks) == "abcd"
    assert backend.travelled == [["a"], ["b", "c"], ["d"]]


async def test_a_judge_that_takes_its_time_keeps_no_arrival_waiting() -> None:
    async with desk() as backend, asker(backend.target) as judge:
        tasks = []
        for count in range(1, 6):
            tasks.append(judge.ask(str(count)))
            await backend.arrived(count)
        for call in backend.calls:
            call.go.set()
        await answered(tasks)


async def ask_one_a_turn(judge: Asker, items: str) -> list[asyncio.Task[Answer]]:
    tasks = []
    for item in items:
        tasks.append(judge.ask(item, 600))
        await asyncio.sleep(0)
    return tasks


async def test_a_batch_gathers_while_every_turn_of_the_loop_brings_more(patient: None) -> None:
    async with desk(held=False) as backend, asker(backend.target) as judge:
        tasks = await ask_one_a_turn(judge, "abcdefghij")
        assert await answered(tasks) == "abcdefghij"
    assert len(backend.calls) == 1


async def test_a_full_batch_departs_though_more_keeps_coming(patient: None) -> None:
    async with (
        desk(held=False) as backend,
        asker(backend.target, max_items=3, max_inflight=9) as judge,
    ):
        tasks = await ask_one_a_turn(judge, "abcdefg")
        assert await answered(tasks) == "abcdefg"
    assert sorted(backend.travelled) == [["a", "b", "c"], ["d", "e", "f"], ["g"]]


async def test_a_batch_gathers_only_so_long_though_more_keeps_coming(hasty: None) -> None:
    async with desk(held=False) as backend, asker(backend.target, max_inflight=99) as judge:
        tasks = await ask_one_a_turn(judge, "abcdefghij")
        assert await answered(tasks) == "abcdefghij"
    assert len(backend.calls) > 1


async def test_a_batch_holds_at_most_so_many_items() -> None:
    async with (
        desk(held=False) as backend,
        asker(backend.target, max_items=2, max_inflight=3) as judge,
    ):
        assert await answered(judge.ask_each("abcde")) == "abcde"
    assert sorted(backend.travelled) == [["a", "b"], ["c", "d"], ["e"]]


async def test_a_batch_holds_at_most_so_many_bytes_and_an_item_above_that_goes_alone() -> None:
    large, small = "x" * 3_000, "s" * 400
    async with (
        desk(held=False) as backend,
        asker(backend.target, max_bytes=1_024, max_inflight=9) as judge,
    ):
        tasks = [judge.ask(item) for item in (large, small + "1", small + "2", small + "3", "t")]
        await asyncio.gather(*tasks)
    sizes = sorted([len(item) for item in items] for items in backend.travelled)
    assert sizes == [[401, 1], [401, 401], [3_000]]


async def test_without_batches_every_call_is_made_at_once() -> None:
    async with (
        desk() as backend,
        asker(backend.target, max_items=1, max_inflight=1) as judge,
    ):
        tasks = judge.ask_each("abc")
        await backend.arrived(3)
        for call in backend.calls:
            call.go.set()
        assert await answered(tasks) == "abc"
    assert not any(call.batched for call in backend.calls)


async def test_a_batch_has_the_time_of_its_most_patient_item() -> None:
    async with desk(held=False) as backend, asker(backend.target) as judge:
        await asyncio.gather(judge.ask("a", 20), judge.ask("b", 50), judge.ask("c", 30))
    assert 40 < backend.calls[0].time_left < 51


async def test_an_item_whose_time_is_over_does_not_wait_for_its_batch() -> None:
    async with desk() as backend, asker(backend.target) as judge:
        hasty, patient = judge.ask("a", 0.05), judge.ask("b")
        await backend.arrived(1)
        failed = await failure(hasty)
        assert (failed.kind, failed.reason) == LATE
        assert not patient.done()
        backend.calls[0].go.set()
        assert await answered([patient]) == "b"


async def test_an_item_whose_time_is_over_in_the_queue_is_never_sent(patient: None) -> None:
    async with desk() as backend, asker(backend.target, max_inflight=1) as judge:
        first = judge.ask("a")
        await backend.arrived(1)
        hasty, patient = judge.ask("b", 0.05), judge.ask("c")
        failed = await failure(hasty)
        assert (failed.kind, failed.reason) == LATE
        assert judge.attempts("b") == 0
        backend.calls[0].go.set()
        await backend.arrived(2)
        backend.calls[1].go.set()
        assert await answered([first, patient]) == "ac"
    assert backend.travelled == [["a"], ["c"]]


async def test_a_batch_of_items_whose_time_is_over_is_cancelled_at_the_backend() -> None:
    async with desk() as backend, asker(backend.target) as judge:
        tasks = [judge.ask("a", 0.05), judge.ask("b", 0.06), judge.ask("c", 60)]
        await backend.arrived(1)
        tasks[2].cancel()
        for task in tasks[:2]:
            assert (await failure(task)).kind is FailureKind.TIMEOUT
        with anyio.fail_after(10):
            await backend.calls[0].ended.wait()
    assert tasks[2].cancelled()


async def test_a_cancelled_item_leaves_the_queue(patient: None) -> None:
    async with desk() as backend, asker(backend.target, max_inflight=1) as judge:
        first = judge.ask("a")
        await backend.arrived(1)
        tasks = judge.ask_each("bcd")
        await turns()
        tasks[1].cancel()
        await turns()
        assert judge.held == 3
        backend.calls[0].go.set()
        await backend.arrived(2)
        backend.calls[1].go.set()
        assert await answered([first, tasks[0], tasks[2]]) == "abd"
    assert backend.travelled == [["a"], ["b", "d"]]
    assert tasks[1].cancelled()


async def test_an_item_cancelled_on_its_way_costs_its_neighbours_nothing() -> None:
    async with desk() as backend, asker(backend.target) as judge:
        tasks = judge.ask_each("abc")
        await backend.arrived(1)
        tasks[0].cancel()
        await turns()
        backend.calls[0].go.set()
        assert await answered(tasks[1:]) == "bc"
    assert tasks[0].cancelled()
    assert judge.attempts("a") == 1


async def test_a_batch_of_cancelled_items_is_cancelled_at_the_backend_and_frees_its_place(
    patient: None,
) -> None:
    async with desk() as backend, asker(backend.target, max_inflight=1) as judge:
        tasks = judge.ask_each("abc")
        await backend.arrived(1)
        last = judge.ask("d")
        for task in tasks:
            task.cancel()
        with anyio.fail_after(10):
            await backend.calls[0].ended.wait()
        await backend.arrived(2)
        backend.calls[1].go.set()
        assert await answered([last]) == "d"
    assert backend.travelled == [["a", "b", "c"], ["d"]]


async def test_deeper_calls_do_not_wait_for_the_places_of_those_that_wait_for_them(
    patient: None,
) -> None:
    async with desk() as backend, asker(backend.target, max_inflight=1) as judge:
        tasks = []
        for depth in (1, 2, 3):
            tasks.append(judge.ask(str(depth), depth=depth))
            await backend.arrived(depth)
        tasks.append(judge.ask("4", depth=3))
        await turns()
        assert backend.travelled == [["1"], ["2"], ["3"]]
        for call in reversed(backend.calls):
            call.go.set()
        await backend.arrived(4)
        backend.calls[3].go.set()
        assert await answered(tasks) == "1234"


async def sharing(stack: AsyncExitStack, backend: Desk, *names: str) -> list[Asker]:
    """Return judges of one backend; closed with the stack."""
    backends = Backends()
    judges = [Asker(backend.target, BatchLimits(), backends, name) for name in names]
    for one in judges:
        stack.push_async_callback(one.judge.close, 0)
    return judges


def asked_together(backend: Desk) -> list[list[str]]:
    """Return the judges that each call asked."""
    return [[request.judge for request in call.requests] for call in backend.calls]


async def test_judges_of_one_target_share_a_connection_and_travel_together() -> None:
    names = ("strict", "mild", "")
    async with desk() as backend, AsyncExitStack() as stack:
        judges = await sharing(stack, backend, *names)
        first = [one.ask("a") for one in judges]
        await backend.arrived(1)
        second = judges[0].ask("b")
        await backend.arrived(2)
        for call in backend.calls:
            call.go.set()
        assert await answered([*first, second]) == "aaab"
    assert asked_together(backend) == [list(names), ["strict"]]


async def test_a_judge_that_takes_long_makes_no_other_wait_for_its_answer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with desk() as backend, AsyncExitStack() as stack:
        slow, quick = await sharing(stack, backend, "slow", "quick")
        first = [slow.ask("a"), quick.ask("a")]
        await backend.arrived(1)
        monkeypatch.setattr(queueing, "SLOW_SECONDS", 0)
        backend.calls[0].go.set()
        await answered(first)
        tasks = [*slow.ask_each("bc"), *quick.ask_each("de")]
        await backend.arrived(3)
        calls = {call.requests[0].judge: call for call in backend.calls[1:]}
        calls["quick"].go.set()
        assert await answered(tasks[2:]) == "de"
        assert not tasks[0].done()
        calls["slow"].go.set()
        assert await answered(tasks[:2]) == "bc"
    assert asked_together(backend)[0] == ["slow", "quick"]
    assert sorted(asked_together(backend)[1:]) == [["quick", "quick"], ["slow", "slow"]]


async def test_judges_that_are_quick_again_share_batches_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with desk(held=False) as backend, AsyncExitStack() as stack:
        judges = await sharing(stack, backend, "b", "c")
        for seconds in (0, 60, 60):
            monkeypatch.setattr(queueing, "SLOW_SECONDS", seconds)
            await answered([one.ask("a") for one in judges])
    first, *apart, last = asked_together(backend)
    assert first == last == ["b", "c"]
    assert sorted(apart) == [["b"], ["c"]]


async def test_judges_that_disagree_on_the_connection_share_none() -> None:
    async with desk(held=False) as backend, AsyncExitStack() as stack:
        backends = Backends()
        limits = BatchLimits(), BatchLimits(max_items=8)
        judges = [Asker(backend.target, one, backends) for one in limits]
        for one in judges:
            stack.push_async_callback(one.judge.close, 0)
        assert await answered([one.ask("a") for one in judges]) == "aa"
    assert backend.travelled == [["a"], ["a"]]


async def test_a_shared_backend_serves_until_its_last_judge_is_closed() -> None:
    async with desk(held=False) as backend:
        backends = Backends()
        one, other = (Asker(backend.target, BatchLimits(), backends) for _ in range(2))
        await one.judge.close(0)
        assert (await failure(one.ask("a"))).reason == "the connection is closed"
        assert await answered([other.ask("b")]) == "b"
        await other.judge.close(0)
        assert (await failure(other.ask("c"))).reason == "the connection is closed"
        again = Asker(backend.target, BatchLimits(), backends)
        assert await answered([again.ask("d")]) == "d"
        await again.judge.close(0)


async def test_a_backend_is_forgotten_with_its_last_judge() -> None:
    async with desk(held=False) as backend:
        backends = Backends()
        one, other = (Asker(backend.target, BatchLimits(), backends) for _ in range(2))
        assert await answered([one.ask("a"), other.ask("b")]) == "ab"
        kept = weakref.ref(one.judge._backend)
        await one.judge.close(0)
        del one
        gc.collect()
        assert kept() is not None
        await other.judge.close(0)
        del other
        gc.collect()
        assert kept() is None


async def test_judges_that_join_while_the_old_backend_closes_share_a_new_one() -> None:
    async with desk() as backend, AsyncExitStack() as stack:
        backends = Backends()
        leaving = Asker(backend.target, BatchLimits(), backends)
        last = leaving.ask("a")
        await backend.arrived(1)
        closing = asyncio.create_task(leaving.judge.close(10))
        await turns()
        before = Asker(backend.target, BatchLimits(), backends)
        backend.calls[0].go.set()
        assert await answered([last]) == "a"
        await closing
        after = Asker(backend.target, BatchLimits(), backends)
        for one in (before, after):
            stack.push_async_callback(one.judge.close, 0)
        tasks = [before.ask("b"), after.ask("c")]
        await backend.arrived(2)
        backend.calls[1].go.set()
        assert await answered(tasks) == "bc"
    assert backend.travelled == [["a"], ["b", "c"]]


async def test_closing_sends_what_waits_within_its_grace(patient: None) -> None:
    async with desk() as backend, asker(backend.target, max_inflight=1) as judge:
        tasks = [judge.ask("a")]
        await backend.arrived(1)
        tasks += judge.ask_each("bc")
        await turns()
        closing = asyncio.create_task(judge.judge.close(10))
        backend.calls[0].go.set()
        await backend.arrived(2)
        backend.calls[1].go.set()
        assert await answered(tasks) == "abc"
        await closing


async def test_closing_at_once_fails_what_waits_and_what_is_under_way(patient: None) -> None:
    async with desk() as backend, asker(backend.target, max_inflight=1) as judge:
        tasks = [judge.ask("a")]
        await backend.arrived(1)
        tasks += judge.ask_each("bc")
        await turns()
        await judge.judge.close(0)
        reasons = [(await failure(task)).reason for task in tasks]
    assert reasons == ["the connection is closed"] * 3


class Counter:
    """Is told of calls. A batcher keeps it, so that it lasts as long as the batcher does."""

    def __call__(self, target: str, items: int) -> None:
        pass


async def closed_after_an_answer(one: Asker, backend: Desk) -> None:
    """Its alarm would ring in ten minutes."""
    call = one.ask("a", 600)
    await backend.arrived(1)
    backend.calls[0].go.set()
    await answered([call])
    await one.judge.close(0)


async def closed_while_it_gathers(one: Asker, backend: Desk) -> None:
    """Its batch would depart some turns later."""
    asked = one.judge.begin(Evaluation(submission(), Hierarchy("", 1)), 600)
    await one.judge.close(0)
    with pytest.raises(JudgeFailed):
        asked.answer()


async def closed_while_one_waits_for_a_place(one: Asker, backend: Desk) -> None:
    """What waits would depart without a place in a minute."""
    tasks = [one.ask("a", 600)]
    await backend.arrived(1)
    tasks.append(one.ask("b", 600))
    await turns()
    await one.judge.close(0)
    for task in tasks:
        await failure(task)


@pytest.mark.parametrize(
    "closed",
    [closed_after_an_answer, closed_while_it_gathers, closed_while_one_waits_for_a_place],
)
async def test_nothing_of_a_closed_batcher_is_left_in_the_loop(
    patient: None, closed: Callable[[Asker, Desk], Awaitable[None]]
) -> None:
    counter = Counter()
    kept = weakref.ref(counter)
    async with desk() as backend:
        one = Asker(backend.target, BatchLimits(max_inflight=1), Backends(counter))
        await closed(one, backend)
        del one, counter
        gc.collect()
        assert kept() is None
