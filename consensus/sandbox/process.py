"""Runs a program that may be hostile: with nothing of ours in its surroundings, its words bounded,
its time bounded, and its whole group killed, whoever ends it.
"""

import asyncio
import contextlib
import os
import signal
from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct

_CHUNK = 1 << 16
_REAPING_SECONDS = 2.0
"""Most that a program takes to end once the one that it started is killed."""


class Ended(Struct, frozen=True):
    """How a program ended."""

    code: int | None
    """Its exit code, negative for a signal; None where it had to be ended."""
    out: bytes = b""
    err: bytes = b""
    late: bool = False
    """Whether its time was over; if not, and there is no code, it wrote too much."""


async def run(
    argv: Sequence[str],
    *,
    given: bytes,
    seconds: float,
    most_bytes: int,
    fds: Sequence[int] = (),
) -> Ended:
    """Run a program with `given` as its standard input. It inherits `fds` and no variable.

    It is ended after `seconds`, after `most_bytes` of output or errors, and when cancelled.
    Raises OSError where it cannot be started.
    """
    process = await _started(argv, fds)
    try:
        async with asyncio.timeout(seconds):
            async with asyncio.TaskGroup() as group:
                reading = [
                    group.create_task(_read(process, stream, most_bytes))
                    for stream in (process.stdout, process.stderr)
                ]
                group.create_task(_write(process.stdin, given))
            code = await process.wait()
        out, err = (task.result() for task in reading)
        too_much = max(len(out), len(err)) > most_bytes
        return Ended(None if too_much else code, out[:most_bytes], err[:most_bytes])
    except TimeoutError:
        return Ended(None, late=True)
    finally:
        await asyncio.shield(_end(process))


async def _started(argv: Sequence[str], fds: Sequence[int]) -> asyncio.subprocess.Process:
    """Start a program. Raises OSError.

    Cancelled half-way, asyncio would kill the first process alone and then wait, for as long as
    what that one has started holds its pipes: so it is started first, and ended as any other is.
    """
    starting = asyncio.ensure_future(
        asyncio.create_subprocess_exec(
            *argv,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            cwd="/",
            env={},
            pass_fds=fds,
            start_new_session=True,
        )
    )
    try:
        return await asyncio.shield(starting)
    except asyncio.CancelledError:
        await asyncio.shield(_end_once(starting))
        raise


async def _end_once(starting: asyncio.Future[asyncio.subprocess.Process]) -> None:
    with contextlib.suppress(OSError):
        await _end(await starting)


async def _write(stream: asyncio.StreamWriter | None, given: bytes) -> None:
    assert stream is not None  # noqa: S101 - a pipe, as asked for
    with contextlib.suppress(BrokenPipeError, ConnectionResetError):
        stream.write(given)
        await stream.drain()
    stream.close()


async def _read(
    process: asyncio.subprocess.Process, stream: asyncio.StreamReader | None, most: int
) -> bytes:
    """Return what it writes; it is killed once it has written more than `most`."""
    assert stream is not None  # noqa: S101 - a pipe, as asked for
    data = b""
    while part := await stream.read(_CHUNK):
        if len(data) <= most:  # what comes after is read all the same: it has not ended before
            data += part
            if len(data) > most:
                _kill(process)
    return data


async def _end(process: asyncio.subprocess.Process) -> None:
    _kill(process)
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(_REAPING_SECONDS):
            await _ended(process)
            return
    _kill_group(process)
    await _ended(process)


async def _ended(process: asyncio.subprocess.Process) -> None:
    for stream in (process.stdout, process.stderr):
        while stream is not None and await stream.read(_CHUNK):
            pass  # what nobody reads would keep the pipe open
    await process.wait()


def _kill(process: asyncio.subprocess.Process) -> None:
    """Kill the program; where it has started another, only that: the first one takes its remains,
    which would else be left to process 1, and that may be us.
    """
    children = _children(process.pid) if process.returncode is None else []
    for child in children:
        with contextlib.suppress(ProcessLookupError):
            os.kill(child, signal.SIGKILL)
    if not children:
        _kill_group(process)


def _kill_group(process: asyncio.subprocess.Process) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


def _children(pid: int) -> list[int]:
    """Return the children of a program of one thread; none where the system does not tell."""
    try:
        told = Path(f"/proc/{pid}/task/{pid}/children").read_text("ascii")
    except OSError:
        return []
    return [int(child) for child in told.split()]
