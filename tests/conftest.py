"""What the tests of every room share."""

import asyncio
import contextvars
import gc
import signal
from asyncio.base_events import BaseEventLoop
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from consensus.service.deadline import DeadlineLimits

# Other work on the machine breaks no law.
settings.register_profile("untimed", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("untimed")


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    """Run asynchronous tests on asyncio: grpc.aio knows no other loop."""
    return "asyncio"


@pytest.fixture
def nobody_looks() -> Iterator[None]:
    """Keep Python from looking for garbage: what is gone then was let go of."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


@pytest.fixture
def unhurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give judges time where a low maximum deadline is set only to close old ones soon."""
    monkeypatch.setattr(DeadlineLimits, "budget", lambda self, remaining: 60.0)


@pytest.fixture(scope="session", autouse=True)
def interrupts_are_heard() -> None:
    """Undo what a shell does to a job in the background: its commands would ignore Ctrl-C."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session", autouse=True)
def closed_loops_take_late_events() -> Iterator[None]:
    """Let closed event loops drop what comes late.

    Every test has a loop of its own, and grpc.aio one queue of events for all of them: an event
    of an earlier test's call would raise "Event loop is closed" in the middle of a later test.
    """
    deliver = BaseEventLoop.call_soon_threadsafe

    def deliver_or_drop(
        loop: BaseEventLoop,
        callback: Callable[..., object],
        *args: Any,
        context: contextvars.Context | None = None,
    ) -> asyncio.Handle:
        if loop.is_closed():
            return asyncio.Handle(callback, args, loop, context)
        return deliver(loop, callback, *args, context=context)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(BaseEventLoop, "call_soon_threadsafe", deliver_or_drop)
        yield
