"""Runs a program that may be hostile: with nothing of ours in its surroundings, its words bounded,
its time bounded, and its whole group killed, whoever ends it.
"""

import asyncio
import contextlib
import os
import signal
from collections.abc import Sequence
from dataclasses import dataclass

_CHUNK = 1 << 16


@dataclass(frozen=True, slots=True)
class Ended:
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
    process = await asyncio.create_subprocess_exec(
        *argv,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        cwd="/",
        env={},
        pass_fds=fds,
        start_new_session=True,
    )
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
        data += part
        if len(data) > most:
            _kill(process)
            break
    return data


async def _end(process: asyncio.subprocess.Process) -> None:
    _kill(process)
    for stream in (process.stdout, process.stderr):
        while stream is not None and await stream.read(_CHUNK):
            pass  # what nobody reads would keep the pipe open
    await process.wait()


def _kill(process: asyncio.subprocess.Process) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
