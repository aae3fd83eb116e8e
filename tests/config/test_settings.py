"""Which addresses are reachable from this host alone."""

import pytest

from consensus.config.settings import Settings, loopback


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1:50051",
        "127.8.9.1:0",
        "[::1]:50051",
        "localhost:1",
        "unix:/run/c",
        "unix-abstract:c",
    ],
)
def test_loopback_is_seen(address: str) -> None:
    assert loopback(address)


@pytest.mark.parametrize(
    "address",
    ["0.0.0.0:50051", "[::]:50051", ":50051", "10.0.0.1:1", "example.org:1", "127.0.0.1", ""],
)
def test_anything_else_is_not_loopback(address: str) -> None:
    assert not loopback(address)


def test_a_server_without_settings_listens_on_loopback_only() -> None:
    assert loopback(Settings().listen)
    assert loopback(Settings().metrics)
    assert not Settings().expose
