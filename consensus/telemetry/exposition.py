"""Serves the metrics to Prometheus: in a thread, on a port of their own, never through gRPC."""

from collections.abc import Iterator
from contextlib import contextmanager

from prometheus_client import (
    CollectorRegistry,
    GCCollector,
    PlatformCollector,
    ProcessCollector,
    start_http_server,
)


def process_registry() -> CollectorRegistry:
    """Return a registry that knows this process's memory, CPU and garbage collection."""
    registry = CollectorRegistry()
    ProcessCollector(registry=registry)
    PlatformCollector(registry=registry)
    GCCollector(registry=registry)
    return registry


@contextmanager
def metrics_served(address: str, registry: CollectorRegistry) -> Iterator[str]:
    """Serve `/metrics` at `host:port` while the context lasts; yields the address it got.

    Raises OSError where the port is taken.
    """
    host, _, port = address.rpartition(":")
    server, thread = start_http_server(int(port), host.strip("[]"), registry)
    try:
        yield f"{host}:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
