"""What a server and its backends hold, as they and the kernel tell."""

import urllib.request
from collections.abc import Callable, Sequence

from prometheus_client import Metric
from prometheus_client.parser import text_string_to_metric_families

from benchmarks.processes import Running

Samples = dict[str, float]
"""By the sample's name, the sum over its labels of what is there, or below nothing."""

HELD: dict[str, Callable[[Samples], float]] = {
    "judging calls": lambda seen: seen["consensus_inflight"],
    "judge calls": lambda seen: seen["consensus_judge_inflight"],
    "calls that wait for a limit": lambda seen: seen.get("consensus_judge_waiting", 0.0),
    "gRPC calls without an end": lambda seen: (
        seen["grpc_server_started_total"] - seen["grpc_server_handled_total"]
    ),
}
UPSTREAM = "upstream calls"


def held(server: Running, backends: Sequence[Running]) -> dict[str, float]:
    """Return what is held, in words; all of it must be 0 once nobody calls.

    An asyncio task has no gauge of its own. That of a call or a seat holds one of these; any other
    one that leaked would hold its judgment, about 10 kB, and show as memory.
    """
    seen = _scraped(server)
    found = {words: value(seen) for words, value in HELD.items()}
    return found | {UPSTREAM: sum(_scraped(backend)["backend_open"] for backend in backends)}


def upstream(backends: Sequence[Running]) -> tuple[int, int]:
    """Return how many calls the backends got, and how many of them were cancelled."""
    seen = [_scraped(backend) for backend in backends]
    asked = sum(samples["backend_asked_total"] for samples in seen)
    return int(asked), int(sum(samples["backend_cancelled_total"] for samples in seen))


def _scraped(process: Running) -> Samples:
    """Return what a process tells Prometheus, at the second of its addresses."""
    url = f"http://{process.addresses[1]}/metrics"
    with urllib.request.urlopen(url, timeout=10) as reply:
        families: list[Metric] = list(text_string_to_metric_families(reply.read().decode()))
    samples: Samples = {}
    for family in families:
        for sample in family.samples:
            samples[sample.name] = samples.get(sample.name, 0.0) + abs(sample.value)
    return samples
