"""Replays: the window and the memory, by a clock that the test owns."""

import asyncio
import datetime
from collections.abc import Awaitable, Callable

import pytest

from consensus.domain.errors import RequestIdReused, RequestInProgress
from consensus.service.idempotency import MAX_BYTES, WINDOW_SECONDS, Replays


class FakeClock:
    """A clock that stands still until it is moved."""

    def __init__(self) -> None:
        self.seconds = 1_000.0

    def monotonic(self) -> float:
        return self.seconds

    def now(self) -> datetime.datetime:
        raise AssertionError("the window needs no calendar")


class Memory:
    """Replays, their clock, and how often a judge was asked."""

    def __init__(self) -> None:
        self.clock = FakeClock()
        self.replayed = 0
        self.judged: list[str] = []
        self.replays = Replays(self.clock, self._on_replay)

    def _on_replay(self) -> None:
        self.replayed += 1

    def judging(self, name: str, size: int = 10) -> Callable[[], Awaitable[bytes]]:
        async def judge() -> bytes:
            self.judged.append(name)
            return name.encode().ljust(size, b".")

        return judge

    async def ask(self, name: str, content: bytes = b"same", size: int = 10) -> bytes:
        return await self.replays.once(name, content, self.judging(name, size))


async def test_within_the_window_the_first_reply_comes_again() -> None:
    memory = Memory()
    first = await memory.ask("one")
    memory.clock.seconds += WINDOW_SECONDS
    assert await memory.ask("one") == first
    assert (memory.judged, memory.replayed) == (["one"], 1)


async def test_after_the_window_a_request_is_judged_anew_and_may_have_other_content() -> None:
    memory = Memory()
    await memory.ask("one")
    memory.clock.seconds += WINDOW_SECONDS + 0.001
    await memory.ask("one", b"other")
    assert (memory.judged, memory.replayed) == (["one", "one"], 0)


async def test_a_replay_does_not_prolong_the_window() -> None:
    memory = Memory()
    await memory.ask("one")
    memory.clock.seconds += WINDOW_SECONDS - 1
    await memory.ask("one")
    memory.clock.seconds += 2
    await memory.ask("one")
    assert memory.judged == ["one", "one"]


async def test_memory_is_bounded_and_the_oldest_are_forgotten_first() -> None:
    memory = Memory()
    quarter = MAX_BYTES // 4
    for name in "abcde":
        await memory.ask(name, size=quarter)
        assert memory.replays._bytes <= MAX_BYTES
    await memory.ask("e", size=quarter)
    await memory.ask("b", size=quarter)
    assert memory.judged == list("abcde")
    await memory.ask("a", size=quarter)
    assert memory.judged == [*"abcde", "a"]


async def test_a_reply_that_is_larger_than_the_memory_is_given_and_forgotten() -> None:
    memory = Memory()
    assert len(await memory.ask("one", size=MAX_BYTES + 1)) == MAX_BYTES + 1
    assert memory.replays._bytes == 0
    await memory.ask("one")
    assert memory.judged == ["one", "one"]


async def test_other_content_is_refused_while_judging_and_after() -> None:
    memory = Memory()
    release = asyncio.Event()

    async def slow() -> bytes:
        await release.wait()
        return b"slow"

    first = asyncio.create_task(memory.replays.once("one", b"same", slow))
    await asyncio.sleep(0)
    with pytest.raises(RequestInProgress):
        await memory.ask("one")
    with pytest.raises(RequestIdReused):
        await memory.ask("one", b"other")
    release.set()
    assert await first == b"slow"
    with pytest.raises(RequestIdReused):
        await memory.ask("one", b"other")
    assert await memory.ask("one") == b"slow"


async def test_a_request_that_takes_longer_than_the_window_is_not_forgotten_meanwhile() -> None:
    memory = Memory()
    release = asyncio.Event()

    async def slow() -> bytes:
        await release.wait()
        return b"slow"

    first = asyncio.create_task(memory.replays.once("one", b"same", slow))
    await asyncio.sleep(0)
    memory.clock.seconds += 2 * WINDOW_SECONDS
    await memory.ask("two")
    with pytest.raises(RequestInProgress):
        await memory.ask("one")
    release.set()
    await first


@pytest.mark.parametrize("error", [ValueError("boom"), asyncio.CancelledError()])
async def test_what_fails_or_is_cancelled_is_not_remembered(error: BaseException) -> None:
    memory = Memory()

    async def fail() -> bytes:
        raise error

    with pytest.raises(type(error)):
        await memory.replays.once("one", b"same", fail)
    await memory.ask("one", b"other")
    assert memory.judged == ["one"]


async def test_forgetting_gives_all_the_memory_back() -> None:
    memory = Memory()
    for index in range(100):
        await memory.ask(str(index), size=1_000)
    memory.clock.seconds += WINDOW_SECONDS + 1
    await memory.ask("last", size=7)
    assert memory.replays._bytes == 7
    assert list(memory.replays._entries) == ["last"]
