"""Starts, watches and stops the processes under test."""

import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

START_SECONDS = 20
_TICKS = os.sysconf("SC_CLK_TCK")
_CORES = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else [0]
SERVER_CORE = {_CORES[0]}
LOAD_CORE = {_CORES[-1]}
"""Callers and judge backends share the last core, so that the server has one of its own."""


@dataclass(frozen=True, slots=True)
class Running:
    """A process that is ready."""

    process: "subprocess.Popen[str]"
    addresses: list[str]
    ready_seconds: float
    """From its start until it said that it is ready."""

    def cpu_seconds(self) -> float:
        """Return the processor time that it has used, all threads, user and system."""
        stat = Path(f"/proc/{self.process.pid}/stat").read_text("utf-8").rpartition(")")[2].split()
        return (int(stat[11]) + int(stat[12])) / _TICKS

    def rss_mib(self) -> float:
        """Return its resident memory."""
        return self._status("VmRSS") / 1024

    def peak_rss_mib(self) -> float:
        """Return the most that its resident memory ever was."""
        return self._status("VmHWM") / 1024

    def threads(self) -> int:
        """Return how many threads it has."""
        return self._status("Threads")

    def open_files(self) -> int:
        """Return how many files and sockets it has open."""
        return len(list(Path(f"/proc/{self.process.pid}/fd").iterdir()))

    def _status(self, key: str) -> int:
        status = Path(f"/proc/{self.process.pid}/status").read_text("utf-8")
        line = next(line for line in status.splitlines() if line.startswith(f"{key}:"))
        return int(line.split()[1])

    def stop(self, patience_seconds: float) -> tuple[int | None, float]:
        """Send SIGTERM; return the exit code, None when it takes longer, and the seconds."""
        began = time.perf_counter()
        self.process.terminate()
        try:
            code = self.process.wait(patience_seconds)
        except subprocess.TimeoutExpired:
            code = None
        return code, time.perf_counter() - began


@contextmanager
def running(arguments: Sequence[str], cores: set[int], logs: Path) -> Iterator[Running]:
    """Run `python ARGUMENTS` on `cores` until the context ends; its stderr goes to `logs`."""
    began = time.perf_counter()
    with (
        logs.open("w", encoding="utf-8") as stderr,
        subprocess.Popen(
            [sys.executable, *arguments], stdout=subprocess.PIPE, stderr=stderr, text=True
        ) as process,
    ):
        try:
            os.sched_setaffinity(process.pid, cores)
            addresses = _wait(process, logs, began)
            yield Running(process, addresses, time.perf_counter() - began)
        finally:
            process.terminate()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()


def raise_file_limit() -> int:
    """Allow this process, and those it starts, as many files and sockets as the machine's
    administrator does; return how many.
    """
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    return most


def _wait(process: "subprocess.Popen[str]", logs: Path, began: float) -> list[str]:
    """Return the addresses that a server prints, or that `consensus serve` logs: gRPC, metrics."""
    os.set_blocking(process.stdout.fileno(), False)  # type: ignore[union-attr]
    while time.perf_counter() - began < START_SECONDS and process.poll() is None:
        line = process.stdout.readline()  # type: ignore[union-attr]
        if line.startswith("ready "):
            return line.split()[1:]
        for entry in logs.read_text("utf-8").splitlines():
            if '"serving"' in entry:
                serving = json.loads(entry)
                return [serving["address"], serving["metrics"]]
        time.sleep(0.005)
    raise RuntimeError(f"{process.args!r} did not get ready:\n{logs.read_text('utf-8')[-2000:]}")
