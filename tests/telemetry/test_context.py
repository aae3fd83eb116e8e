"""The trace id: the caller's where it is sound, a new one else, and each task's own."""

import asyncio
import re

import pytest

from consensus.telemetry.context import begin_trace, current_trace_id

TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
PARENT = "00f067aa0ba902b7"


@pytest.mark.parametrize("version", ["00", "01", "fe"])
def test_a_sound_header_gives_its_trace_id(version: str) -> None:
    assert begin_trace(f"{version}-{TRACE}-{PARENT}-01") == TRACE
    assert current_trace_id() == TRACE


@pytest.mark.parametrize(
    "header",
    [
        "",
        "garbage",
        f"ff-{TRACE}-{PARENT}-01",
        f"00-{'0' * 32}-{PARENT}-01",
        f"00-{TRACE}-{'0' * 16}-01",
        f"00-{TRACE.upper()}-{PARENT}-01",
        f"00-{TRACE[:-1]}-{PARENT}-01",
        f"00-{TRACE}-{PARENT}",
        f" 00-{TRACE}-{PARENT}-01",
        f"00-{TRACE}-{PARENT}-01\n",
    ],
)
def test_an_unsound_header_gives_a_new_trace_id(header: str) -> None:
    first, second = begin_trace(header), begin_trace(header)
    assert re.fullmatch("[0-9a-f]{32}", first)
    assert len({first, second, TRACE}) == 3


async def test_tasks_beside_each_other_keep_their_own() -> None:
    async def call(trace: str) -> str:
        begin_trace(f"00-{trace}-{PARENT}-01")
        await asyncio.sleep(0)
        return await asyncio.create_task(inner())

    async def inner() -> str:
        return current_trace_id()

    traces = [f"{index:032x}" for index in range(1, 20)]
    assert await asyncio.gather(*(call(trace) for trace in traces)) == traces
