"""Measures everything in one run, prints it as ratios, and writes results/latest.json."""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from benchmarks import inflight, llm
from benchmarks.load import BATCH, BATCH_ITEMS, EVALUATE, JUDGE
from benchmarks.processes import LOAD_CORE, SERVER_CORE, Running, running
from benchmarks.report import BATCH_ROW, Row, Startup, report
from benchmarks.workload import JUDGES

RESULTS = Path(__file__).with_name("results") / "latest.json"
CALLERS = (1, 64)
BATCH_CALLERS = 4
SERVE = ["-m", "consensus", "serve", "--listen", "127.0.0.1:0", "--metrics", "127.0.0.1:0",
         "--drain-delay-seconds", "0"]  # fmt: skip


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--seconds", type=float, default=4.0, help="length of one measurement")
    parser.add_argument(
        "--rounds",
        type=int,
        default=3,
        help="measurements of each; the median by requests/s is reported",
    )
    parser.add_argument(
        "--only", default="", help="measure names that start with one of these, separated by commas"
    )
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        only = tuple(arguments.only.split(","))
        rows = measure(Path(folder), arguments.seconds, arguments.rounds, only)
        rows += llm.measure(load, SERVE, Path(folder), arguments.seconds, arguments.rounds, only)
        rows += inflight.measure(SERVE, Path(folder), only)
        startup = measure_startup(Path(folder), arguments.rounds)
    RESULTS.parent.mkdir(exist_ok=True)
    RESULTS.write_text(json.dumps([row.as_json() for row in rows] + [startup.as_json()], indent=1))
    report(rows, startup, [*llm.bars(rows), *inflight.bars(rows)])


def measure(folder: Path, seconds: float, rounds: int, only: tuple[str, ...]) -> list[Row]:
    """Return one row for each server and number of callers.

    All servers run at once and are measured in turn, round by round, so that a slow spell of the
    machine hits all of them alike.
    """
    with running(["-m", "benchmarks.servers.judge_backend"], LOAD_CORE, folder / "j.log") as judges:
        commands = {
            "echo": ["-m", "benchmarks.servers.echo"],
            "gather.inprocess5": ["-m", "benchmarks.servers.gather"],
            "gather.remote5": ["-m", "benchmarks.servers.gather", *judges.addresses],
            "consensus.inprocess5": ["-m", "benchmarks.servers.consensus_inprocess"],
            "consensus.remote5": [*SERVE, "--policy-file", str(_policy(folder, judges.addresses))],
            BATCH_ROW: [*SERVE, "--policy-file", str(_policy(folder, judges.addresses))],
            "consensus.embedded3": SERVE,
        }
        found: dict[tuple[str, int], list[Row]] = {}
        for round_number in range(rounds):
            for name, command in commands.items():
                if not name.startswith(only):
                    continue
                with running(command, SERVER_CORE, folder / f"{name}.log") as server:
                    batched = name == BATCH_ROW
                    for callers in (BATCH_CALLERS,) if batched else CALLERS:
                        print(
                            f"\r{round_number + 1}/{rounds} {name} {callers} callers ",
                            end="\033[K",
                            file=sys.stderr,
                            flush=True,
                        )
                        method = BATCH if batched else JUDGE
                        row = load(name, server, server.addresses[0], method, callers, seconds)
                        found.setdefault((name, callers), []).append(row)
            if "judge.direct".startswith(only):
                row = load("judge.direct", judges, judges.addresses[0], EVALUATE, 1, seconds)
                found.setdefault(("judge.direct", 1), []).append(row)
        print("\r", end="\033[K", file=sys.stderr)
    return [sorted(rows, key=lambda row: row.rps)[len(rows) // 2] for rows in found.values()]


def load(
    name: str, server: Running, address: str, method: str, callers: int, seconds: float
) -> Row:
    """Return what `callers` callers see of a server, and what it costs the server.

    A batch counts as its judgments, and its latency as that of one call.
    """
    command: Sequence[str] = [
        sys.executable, "-m", "benchmarks.load", address, method, str(callers), "1", str(seconds),
    ]  # fmt: skip
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None  # noqa: S101 - asked for above
        if process.stdout.readline() != "start\n":
            raise RuntimeError(f"the callers of {name} failed")
        before = server.cpu_seconds()
        result = json.loads(process.stdout.readline())
        used = server.cpu_seconds() - before
    latencies = result["latencies"]
    judgments = len(latencies) * (BATCH_ITEMS if method == BATCH else 1)
    return Row(
        name=name,
        callers=callers,
        rps=judgments / result["elapsed"],
        p50_ms=1000 * latencies[len(latencies) // 2],
        p99_ms=1000 * latencies[int(len(latencies) * 0.99)],
        cpu_ms=1000 * used / judgments,
        rss_mib=server.rss_mib(),
    )


def measure_startup(folder: Path, rounds: int) -> Startup:
    """Return how long `consensus serve` takes to be ready, and its memory when idle."""
    seen = []
    for number in range(rounds):
        with running(SERVE, SERVER_CORE | LOAD_CORE, folder / f"s{number}.log") as server:
            time.sleep(1)
            seen.append(Startup(ready_s=server.ready_seconds, idle_rss_mib=server.rss_mib()))
    return sorted(seen, key=lambda startup: startup.ready_s)[len(seen) // 2]


def _policy(folder: Path, addresses: list[str]) -> Path:
    """Write a policy that seats the five remote judges, with the inprocess one's rules."""
    judges = {
        name: {"kind": "remote", "target": address, "judge": name}
        for name, address in zip(JUDGES, addresses, strict=True)
    }
    panel = {"quorum": 3, "seats": [{"judge": name} for name in JUDGES]}
    stage = {"name": "panel", "panel": panel, "on_no_quorum": "escalate"}
    file = folder / "policy.yaml"  # JSON is YAML
    file.write_text(json.dumps({"judges": judges, "policies": {"default": {"stages": [stage]}}}))
    return file


if __name__ == "__main__":
    main()
