"""`consensus serve` as a process of its own, and what it says on stderr."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import grpc.aio
from anyio.abc import Process as Child
from anyio.streams.buffered import BufferedByteReceiveStream

import consensus
from consensus.v1 import consensus_pb2_grpc
from tests.service.beacon import PATIENCE_SECONDS

ROOT = Path(consensus.__file__).parents[1]
MAX_LINE_BYTES = 1 << 20


class Process:
    """A server process, its lines so far and a channel to it."""

    def __init__(self, child: Child) -> None:
        assert child.stderr is not None
        self._child = child
        self._stderr = BufferedByteReceiveStream(child.stderr)
        self.lines: list[dict[str, Any]] = []
        """Everything read from stderr; each line is one JSON object."""
        self.address = self.metrics = ""

    async def line(self) -> dict[str, Any]:
        """Read one line, which must be JSON."""
        line = json.loads(await self._stderr.receive_until(b"\n", MAX_LINE_BYTES))
        self.lines.append(line)
        return dict(line)

    async def says(self, message: str) -> dict[str, Any]:
        """Read on until a line has this message."""
        with anyio.fail_after(PATIENCE_SECONDS):
            while (line := await self.line())["message"] != message:
                pass
        return line

    async def exits(self) -> int:
        """Read all that is left, wait for the end and return the exit code."""
        with anyio.fail_after(PATIENCE_SECONDS):
            try:
                while True:
                    await self.line()
            except (anyio.EndOfStream, anyio.IncompleteRead):
                return await self._child.wait()

    def signal(self, number: signal.Signals) -> None:
        """Send a signal to this process alone."""
        self._child.send_signal(number)


def command(*arguments: str) -> list[str]:
    """Return how to start a server on free ports of the loopback."""
    defaults = ("--listen", "127.0.0.1:0", "--metrics", "127.0.0.1:0", "--drain-delay-seconds", "0")
    return [sys.executable, "-m", "consensus", "serve", *defaults, *arguments]


def environment() -> dict[str, str]:
    """Return this process's environment without settings for the server. What gRPC's core would
    write by itself is off: it knows no JSON.
    """
    inherited = {key: value for key, value in os.environ.items() if "CONSENSUS" not in key}
    return inherited | {"GRPC_VERBOSITY": "NONE"}


@asynccontextmanager
async def process(*arguments: str) -> AsyncIterator[Process]:
    """Start a server, wait until it serves, and see that it is gone at the end."""
    child = await anyio.open_process(
        command(*arguments),
        cwd=ROOT,
        env=environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
    )
    async with child:
        try:
            started = Process(child)
            serving = await started.says("serving")
            started.address, started.metrics = serving["address"], serving["metrics"]
            yield started
        finally:
            if child.returncode is None:
                child.kill()


@asynccontextmanager
async def calling(address: str) -> AsyncIterator[Any]:
    """Yield a ConsensusService stub with a connection of its own."""
    options = [("grpc.use_local_subchannel_pool", 1)]
    async with grpc.aio.insecure_channel(address, options) as channel:
        yield consensus_pb2_grpc.ConsensusServiceStub(channel)
