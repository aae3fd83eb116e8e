"""The processes of a replay: five judges and a server, all stopped however the replay ends."""

import json
import subprocess
import sys
from collections import deque
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
from anyio.abc import ByteReceiveStream

ROOT = Path(__file__).parents[2]
"""The repository's root, from where `-m examples.replay` runs."""
START_SECONDS = 60.0
STOP_SECONDS = 10.0
LAST_LINES = 20


class ReplayError(Exception):
    """The replay cannot go on; says why and what to do."""


class Child:
    """One process and what it has said so far."""

    def __init__(self, name: str, find_address: Callable[[str], str]) -> None:
        self._name = name
        self._find = find_address
        self._lines: deque[str] = deque(maxlen=LAST_LINES)
        self._address = ""
        self._known = anyio.Event()

    async def address(self) -> str:
        """Return where it listens, once it says so. Raises ReplayError when it never does."""
        with anyio.move_on_after(START_SECONDS):
            await self._known.wait()
        if not self._address:
            raise ReplayError(f"{self._name} did not start:\n" + "\n".join(self._lines))
        return self._address

    async def follow(self, output: ByteReceiveStream) -> None:
        """Read until the address is known, then keep the pipe empty."""
        rest = b""
        async for chunk in output:
            if self._address:
                continue
            *lines, rest = (rest + chunk).split(b"\n")
            for line in lines:
                self._lines.append(line.decode(errors="replace"))
                self._address = self._address or self._find(self._lines[-1])
            if self._address:
                self._known.set()
        self._known.set()


@asynccontextmanager
async def running(
    name: str, command: Sequence[str], find_address: Callable[[str], str]
) -> AsyncIterator[Child]:
    """Run `command` while the context lasts.

    In a session of its own: Ctrl-C reaches the replay, which stops its children in order.
    """
    child = Child(name, find_address)
    async with (
        await anyio.open_process(
            command,
            stdin=subprocess.DEVNULL,
            stderr=subprocess.STDOUT,
            cwd=ROOT,
            start_new_session=True,
        ) as process,
        anyio.create_task_group() as group,
    ):
        if process.stdout is not None:
            group.start_soon(child.follow, process.stdout)
        try:
            yield child
        finally:
            with anyio.CancelScope(shield=True):
                if process.returncode is None:
                    process.terminate()
                with anyio.move_on_after(STOP_SECONDS):
                    await process.wait()
                if process.returncode is None:
                    process.kill()
                group.cancel_scope.cancel()


def judge_command(judge: str, data: Path) -> list[str]:
    """Return the command of one recorded judge."""
    module = "examples.replay.recorded_judge"
    return [sys.executable, "-m", module, "--judge", judge, "--data", str(data.resolve())]


def server_command(policy_file: Path) -> list[str]:
    """Return the command of the server; flags win over the environment."""
    return [
        *(sys.executable, "-m", "consensus", "serve"),
        *("--listen", "127.0.0.1:0", "--metrics", ""),
        *("--policy-file", str(policy_file), "--reload-seconds", "0"),
        *("--drain-delay-seconds", "0", "--drain-grace-seconds", "1"),
    ]


def judge_address(line: str) -> str:
    """Return the address in a judge's first line."""
    return line if line.startswith("127.0.0.1:") else ""


def server_address(line: str) -> str:
    """Return the address in the server's line that says it serves."""
    try:
        record = json.loads(line)
    except ValueError:
        return ""
    serves = isinstance(record, dict) and record.get("message") == "serving"
    return str(record["address"]) if serves else ""
