"""How both flavours find servers: balancing, health, TLS."""

import shutil
import subprocess
from pathlib import Path
from typing import Any

import grpc
import pytest
from consensus_client import ServingStatus, Submission, UnavailableError
from consensus_client.connection import SERVICE
from consensus_client.testing import FakeConsensus

Connect = Any
CALLS = 12


def both(first: FakeConsensus, second: FakeConsensus) -> str:
    """Return the target that a headless Service with two pods resolves to."""
    return f"ipv4:{first.target},{second.target}"


def test_calls_go_round_all_servers(connect: Connect, essay: Submission) -> None:
    with FakeConsensus() as first, FakeConsensus() as second:
        client = connect(both(first, second))
        while not (first.calls and second.calls):  # the second connection may come later
            client.judge(essay)
        before = len(first.calls), len(second.calls)
        for _ in range(CALLS):
            client.judge(essay)
        after = len(first.calls), len(second.calls)
    assert [b - a for a, b in zip(before, after, strict=True)] == [CALLS // 2, CALLS // 2]


def test_a_server_that_is_not_serving_gets_no_calls(connect: Connect, essay: Submission) -> None:
    with FakeConsensus(serving=False) as draining, FakeConsensus() as ready:
        client = connect(both(draining, ready))
        for _ in range(CALLS):
            client.judge(essay)
    assert (len(draining.calls), len(ready.calls)) == (0, CALLS)


def test_where_no_server_is_serving_calls_are_unavailable(
    connect: Connect, essay: Submission
) -> None:
    with FakeConsensus(serving=False) as fake:
        client = connect(fake.target)
        with pytest.raises(UnavailableError):
            client.judge(essay)
        assert client.health() is ServingStatus.NOT_SERVING
    assert fake.calls == []


def test_health_is_told(connect: Connect, server: str) -> None:
    client = connect(server)
    assert client.health() is ServingStatus.SERVING
    assert client.health("", timeout_seconds=5) is ServingStatus.SERVING
    assert client.health("no.such.Service") is ServingStatus.SERVICE_UNKNOWN


def test_the_states_of_health_are_those_of_the_standard() -> None:
    health_pb2 = pytest.importorskip("grpc_health.v1.health_pb2")
    standard = dict(health_pb2.HealthCheckResponse.ServingStatus.items())
    assert {status.name: status.value for status in ServingStatus} == standard


def test_credentials_make_the_connection_tls(
    connect: Connect, essay: Submission, tmp_path: Path
) -> None:
    key, certificate = certified(tmp_path)
    with TlsConsensus(key, certificate) as fake:
        trusted = grpc.ssl_channel_credentials(root_certificates=certificate)
        assert connect(fake.target, credentials=trusted).judge(essay).decision_id
        assert connect(fake.target, credentials=trusted).health() is ServingStatus.SERVING
        with pytest.raises(UnavailableError):
            connect(fake.target, timeout_seconds=5).judge(essay)


def certified(folder: Path) -> tuple[bytes, bytes]:
    """Return a key and a certificate for 127.0.0.1, made on the spot."""
    openssl = shutil.which("openssl")
    if openssl is None:
        pytest.skip("openssl is not installed")
    command = [openssl, "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"]
    command += ["-nodes", "-days", "2", "-subj", "/CN=127.0.0.1"]
    command += ["-addext", "subjectAltName=IP:127.0.0.1", "-keyout", "key.pem", "-out", "cert.pem"]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
    return (folder / "key.pem").read_bytes(), (folder / "cert.pem").read_bytes()


class TlsConsensus(FakeConsensus):
    """A scripted server behind TLS."""

    def __init__(self, key: bytes, certificate: bytes) -> None:
        super().__init__()
        self._credentials = grpc.ssl_server_credentials([(key, certificate)])

    def _listen(self, server: grpc.Server) -> int:
        return server.add_secure_port("127.0.0.1:0", self._credentials)


def test_the_health_service_asked_for_is_the_one_that_answers() -> None:
    assert SERVICE == "consensus.v1.ConsensusService"
