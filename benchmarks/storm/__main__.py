"""Runs a storm against a real server with real judge backends, and looks at what is left.

Exits with 1 when the server holds anything afterwards, has grown, or does not drain.
"""

import argparse
import asyncio
import dataclasses
import json
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from rich import box
from rich.console import Console
from rich.table import Table

from benchmarks.__main__ import SERVE
from benchmarks.processes import LOAD_CORE, SERVER_CORE, Running, running
from benchmarks.storm.callers import ANSWERED, CANCELLED, storm
from benchmarks.storm.held import held, upstream
from benchmarks.storm.outcome import GRACE_SECONDS, Outcome, Size
from benchmarks.storm.policy import policy_file

BACKENDS = 2
WARM_UP_SHARE = 0.25
IDLE_SECONDS = 10.0
"""How long what is under way may take to end once the callers are gone."""
LOOK_SECONDS = 0.2
CORES = SERVER_CORE | LOAD_CORE


def main() -> None:
    """Run the storm."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.storm", description=__doc__)
    parser.add_argument("--judgments", type=int, default=20_000)
    parser.add_argument("--connections", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        outcome = asyncio.run(
            run(Path(folder), arguments.judgments, arguments.connections, arguments.seed)
        )
    faults = list(outcome.faults())
    if arguments.json:
        print(json.dumps(dataclasses.asdict(outcome) | {"faults": faults}, indent=1))
    else:
        report(outcome, faults)
    sys.exit(1 if faults else 0)


async def run(folder: Path, judgments: int, connections: int, seed: int) -> Outcome:
    """Warm a server up with a smaller storm, measure it, and again after the whole one."""
    with ExitStack() as stack:
        backends = [
            stack.enter_context(
                running(["-m", "benchmarks.servers.late_judges"], CORES, folder / f"b{number}.log")
            )
            for number in range(BACKENDS)
        ]
        policy, log = folder / "policy.yaml", folder / "server.log"
        policy.write_text(policy_file([backend.addresses[0] for backend in backends]), "utf-8")
        flags = ["--policy-file", str(policy), "--drain-grace-seconds", str(GRACE_SECONDS)]
        server = stack.enter_context(running([*SERVE, *flags], CORES, log))
        address = server.addresses[0]
        await storm(address, int(judgments * WARM_UP_SHARE), connections, seed + 1)
        await _idle(server, backends)
        before = Size.of(server)
        began = time.perf_counter()
        ends = await storm(address, judgments, connections, seed)
        seconds = time.perf_counter() - began
        left = await _idle(server, backends)
        after, (asked, cancelled) = Size.of(server), upstream(backends)
        exit_code, drain_seconds = server.stop(2 * GRACE_SECONDS)
    return Outcome(
        judgments=judgments,
        seconds=seconds,
        ends=dict(ends),
        upstream_asked=asked,
        upstream_cancelled=cancelled,
        before=before,
        after=after,
        held=left,
        exit_code=exit_code,
        drain_seconds=drain_seconds,
        errors=sum(map(_is_error, log.read_text("utf-8").splitlines())),
    )


async def _idle(server: Running, backends: Sequence[Running]) -> dict[str, float]:
    """Wait until nothing is under way; return what still is after IDLE_SECONDS."""
    for _ in range(round(IDLE_SECONDS / LOOK_SECONDS)):
        await asyncio.sleep(LOOK_SECONDS)  # also for the sockets of callers that have gone
        if not any((left := held(server, backends)).values()):
            break
    return left


def _is_error(line: str) -> bool:
    return '"level": "ERROR"' in line or line.startswith("Traceback")


def report(outcome: Outcome, faults: Sequence[str]) -> None:
    """Print the figures and what is wrong."""
    table = Table(box=box.SIMPLE, padding=(0, 1, 0, 0), show_header=False)
    before, after = outcome.before, outcome.after
    rate = outcome.judgments / outcome.seconds
    answered, cancelled = (outcome.ends.get(end, 0) for end in (ANSWERED, CANCELLED))
    others = sum(outcome.ends.values()) - answered - cancelled
    rows = {
        "judgments": f"{outcome.judgments:,} in {outcome.seconds:.1f} s, {rate:,.0f}/s",
        "answered, cancelled, other": f"{answered:,}, {cancelled:,}, {others:,}",
        "judge calls, cancelled": (
            f"{outcome.upstream_asked:,}, {outcome.upstream_cancelled:,} (with the warm-up)"
        ),
        **{f"held: {words}": f"{count:g}" for words, count in outcome.held.items()},
        "RSS MiB": f"{before.rss_mib:.1f} > {after.rss_mib:.1f}",
        "threads": f"{before.threads} > {after.threads}",
        "open files": f"{before.open_files} > {after.open_files}",
        "drain": f"{outcome.drain_seconds:.1f} s, exit code {outcome.exit_code}",
        "errors in the log": f"{outcome.errors}",
    }
    for words, figure in rows.items():
        table.add_row(words, figure)
    console = Console()
    console.print(table)
    for fault in faults:
        console.print(f"[red]{fault}[/]", highlight=False)
    if not faults:
        console.print("[green]nothing is held[/]", highlight=False)


if __name__ == "__main__":
    main()
