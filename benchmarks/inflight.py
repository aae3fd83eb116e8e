"""Many slow judgments at once: 2,000 under way, each waiting for five models that take 8 s."""

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from benchmarks.llm import policy
from benchmarks.processes import LOAD_CORE, SERVER_CORE, raise_file_limit, running
from benchmarks.report import Bar, Row
from benchmarks.workload import JUDGES

NAME = "consensus.inflight2000"
INFLIGHT = 2_000
CALL_SECONDS = 8.0
ARRIVALS = 250
"""Judgments that arrive in a second, whatever became of the earlier ones: 2,000 / 8 s."""
SECONDS = 24.0
SLACK = 1.5
"""Judgments take a little longer than a call, so somewhat more than INFLIGHT are under way."""
CORES = LOAD_CORE | SERVER_CORE
"""What is asked here is whether it holds, not what a core can do: everybody may use both."""
FILES = int(INFLIGHT * len(JUDGES) * 1.2)
"""Sockets that the service and the model server need each, at one call on a connection."""


def measure(serve: Sequence[str], folder: Path, only: Sequence[str]) -> list[Row]:
    """Return the one row, of a single run; none where it is not wanted or files are too few."""
    if not NAME.startswith(tuple(only)):
        return []
    most = raise_file_limit()
    if most < FILES:
        print(
            f"{NAME} is left out: it needs {FILES} open files, the limit (ulimit -Hn) is {most}",
            file=sys.stderr,
        )
        return []
    print(f"\r{NAME}, {SECONDS + CALL_SECONDS:.0f} s ", end="\033[K", file=sys.stderr, flush=True)
    ports, seconds = str(len(JUDGES)), str(CALL_SECONDS)
    models = ["-m", "benchmarks.servers.model_server", ports, seconds]
    with running(models, CORES, folder / "slow.log") as slow:
        most_at_once = int(INFLIGHT * SLACK)
        file = policy(folder, slow.addresses, concurrency=most_at_once)
        command = [*serve, "--policy-file", str(file), "--max-inflight", str(most_at_once)]
        with running(command, CORES, folder / f"{NAME}.log") as server:
            before = server.cpu_seconds()
            arguments = [server.addresses[0], str(ARRIVALS), str(SECONDS)]
            done = subprocess.run(
                [sys.executable, "-m", "benchmarks.arrivals", *arguments],
                check=True, stdout=subprocess.PIPE, text=True,
            )  # fmt: skip
            used, rss = server.cpu_seconds() - before, server.peak_rss_mib()
    print("\r", end="\033[K", file=sys.stderr)
    result = json.loads(done.stdout)
    latencies = result["latencies"]
    return [
        Row(
            name=NAME,
            callers=result["most_inflight"],
            rps=result["per_second"],
            p50_ms=1000 * latencies[len(latencies) // 2],
            p99_ms=1000 * latencies[int(len(latencies) * 0.99)],
            cpu_ms=1000 * used / result["judgments"],
            rss_mib=rss,
            errors=result["errors"],
        )
    ]


def bars(rows: Sequence[Row]) -> list[Bar]:
    """Return the bars that were measured."""
    return [
        bar
        for row in rows
        if row.name == NAME
        for bar in (
            (f"{NAME}, judgments in flight", row.callers, INFLIGHT, True),
            (f"{NAME}, errors", row.errors, 0, False),
            (f"{NAME}, p99 s", row.p99_ms / 1000, 9.5, False),
            (f"{NAME}, peak RSS MiB", row.rss_mib, 600, False),
        )
    ]
