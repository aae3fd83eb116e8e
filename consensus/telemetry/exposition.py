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
    try:
        server, thread = start_http_server(int(port), host.strip("[]"), registry)
    except OSError as error:
        words = f"cannot serve metrics on {address}: {error.strerror or error}"
        raise OSError(words) from error
    try:
        yield f"{host}:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
