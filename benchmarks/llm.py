"""Five models as judges: this service beside the openai SDK and beside bare aiohttp."""

import importlib.util
import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from benchmarks.load import JUDGE
from benchmarks.processes import LOAD_CORE, SERVER_CORE, Running, running
from benchmarks.report import Bar, Row
from benchmarks.workload import JUDGES

CALLERS = 16
SEAT_SECONDS = 20.0
SDK, BARE, OURS, ECHO = "sdk.llm5", "aiohttp.llm5", "consensus.llm5", "echo"

Load = Callable[[str, Running, str, str, int, float], Row]
"""Takes name, server, address, method, callers and seconds."""


def measure(
    load: Load, serve: Sequence[str], folder: Path, seconds: float, rounds: int, only: Sequence[str]
) -> list[Row]:
    """Return one row for each server, of which the median by CPU is told.

    All ask one mock of a model server, on the callers' core. They are measured in turn, round by
    round, and with them the echo, whose CPU is that of the inbound call. `serve` starts ours.
    """
    wanted = [name for name in (SDK, BARE, OURS) if name.startswith(tuple(only))]
    if SDK in wanted and importlib.util.find_spec("openai") is None:
        print(f"{SDK} is left out: the package openai is not installed", file=sys.stderr)
        wanted.remove(SDK)
    if not wanted:
        return []
    command = ["-m", "benchmarks.servers.model_server", "1", "0"]
    found: dict[str, list[Row]] = {}
    with running(command, LOAD_CORE, folder / "models.log") as models:
        address = models.addresses[0]
        by_hand = ["-m", "benchmarks.servers.llm_gather"]
        commands = {
            ECHO: ["-m", "benchmarks.servers.echo"],
            SDK: [*by_hand, "sdk", address],
            BARE: [*by_hand, "aiohttp", address],
            OURS: [*serve, "--policy-file", str(policy(folder, models.addresses))],
        }
        for number in range(rounds):
            for name in (ECHO, *wanted):
                print(f"\r{number + 1}/{rounds} {name} ", end="\033[K", file=sys.stderr, flush=True)
                with running(commands[name], SERVER_CORE, folder / f"{name}.log") as server:
                    row = load(name, server, server.addresses[0], JUDGE, CALLERS, seconds)
                    found.setdefault(name, []).append(row)
    print("\r", end="\033[K", file=sys.stderr)
    return [sorted(rows, key=lambda row: row.cpu_ms)[len(rows) // 2] for rows in found.values()]


def policy(folder: Path, addresses: Sequence[str], concurrency: int = 1_000) -> Path:
    """Write a policy that seats five models, spread over the servers at `addresses`."""
    backends = {
        f"server{number}": {
            "kind": "openai_chat",
            "base_url": f"http://{address}/v1",
            "concurrency": concurrency,
            "prices": {name: {"input": 2.5, "output": 10.0} for name in JUDGES},
        }
        for number, address in enumerate(addresses)
    }
    judges = {
        name: {"kind": "llm", "backend": f"server{number % len(addresses)}", "model": name}
        for number, name in enumerate(JUDGES)
    }
    panel = {
        "quorum": 3,
        "seats": [{"judge": name, "timeout_seconds": SEAT_SECONDS} for name in JUDGES],
    }
    stage = {"name": "panel", "panel": panel, "on_no_quorum": "escalate"}
    file = folder / "models.yaml"  # JSON is YAML
    policies = {"default": {"stages": [stage]}}
    file.write_text(json.dumps({"backends": backends, "judges": judges, "policies": policies}))
    return file


def bars(rows: Sequence[Row]) -> list[Bar]:
    """Return the bars that were measured."""
    cpu = {row.name: row.cpu_ms for row in rows if row.callers == CALLERS}
    found: list[Bar] = []
    if OURS in cpu and SDK in cpu:
        words = f"{OURS} / {SDK}, CPU"
        found.append((words, cpu[OURS] / cpu[SDK], 0.2, False))
    if OURS in cpu and BARE in cpu:
        words = f"{OURS} / {BARE}, CPU, both less the echo's"
        ratio = (cpu[OURS] - cpu[ECHO]) / (cpu[BARE] - cpu[ECHO])
        found.append((words, ratio, 1.5, False))
    return found
