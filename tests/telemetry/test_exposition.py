"""The port that Prometheus scrapes."""

import socket
import urllib.error
import urllib.request

import pytest
from prometheus_client import CollectorRegistry
from prometheus_client.parser import text_string_to_metric_families

from consensus.telemetry.exposition import metrics_served, process_registry
from consensus.telemetry.recorder import Recorder

OPENMETRICS = "application/openmetrics-text; version=1.0.0"


def fetch(address: str, accept: str = "text/plain") -> tuple[str, str]:
    """Return the content type and the text of a scrape."""
    request = urllib.request.Request(f"http://{address}/metrics", headers={"Accept": accept})
    with urllib.request.urlopen(request, timeout=10) as reply:  # noqa: S310
        return reply.headers["Content-Type"], reply.read().decode()


def test_a_scrape_gives_every_value_in_the_text_format() -> None:
    recorder = Recorder(CollectorRegistry())
    recorder.shed("overloaded")
    with metrics_served("127.0.0.1:0", recorder.registry) as address:
        kind, text = fetch(address)
        assert kind.startswith("text/plain")
        names = {family.name for family in text_string_to_metric_families(text)}
        assert {"consensus_shed", "consensus_build_info", "consensus_inflight"} <= names
        recorder.shed("overloaded")
        assert 'consensus_shed_total{reason="overloaded"} 2.0' in fetch(address)[1]


def test_a_scraper_that_asks_for_openmetrics_gets_it() -> None:
    with metrics_served("127.0.0.1:0", CollectorRegistry()) as address:
        kind, text = fetch(address, OPENMETRICS)
        assert kind.startswith("application/openmetrics-text")
        assert text.endswith("# EOF\n")


def test_the_process_shows_its_memory_and_garbage_collection() -> None:
    with metrics_served("127.0.0.1:0", process_registry()) as address:
        text = fetch(address)[1]
    assert "process_resident_memory_bytes" in text
    assert "python_gc_collections_total" in text
    assert "python_info" in text


def test_a_port_that_is_taken_is_named() -> None:
    with metrics_served("127.0.0.1:0", CollectorRegistry()) as address:
        words = f"cannot serve metrics on {address}: Address already in use"
        with pytest.raises(OSError, match=words), metrics_served(address, CollectorRegistry()):
            pass


def test_the_port_is_closed_at_the_end() -> None:
    with metrics_served("127.0.0.1:0", CollectorRegistry()) as address:
        fetch(address)
    with pytest.raises(urllib.error.URLError, match="refused"):
        fetch(address)


@pytest.mark.skipif(not socket.has_ipv6, reason="this host has no IPv6")
def test_an_address_of_ipv6_stands_in_brackets() -> None:
    try:
        with metrics_served("[::1]:0", CollectorRegistry()) as address:
            assert address.startswith("[::1]:")
            fetch(address)
    except OSError as error:
        pytest.skip(f"this host has no IPv6 loopback: {error}")
