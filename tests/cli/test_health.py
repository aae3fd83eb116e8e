"""`consensus health`: 0 when SERVING, 1 when not, 4 without an answer."""

from collections.abc import Iterator
from concurrent import futures
from typing import Any

import grpc
import pytest
from grpc_health.v1 import health, health_pb2, health_pb2_grpc

from tests.cli.running import run

READY = "consensus.v1.ConsensusService"
Status = health_pb2.HealthCheckResponse


@pytest.fixture(scope="module")
def servicer() -> health.HealthServicer:
    return health.HealthServicer()


@pytest.fixture(scope="module")
def server(servicer: health.HealthServicer) -> Iterator[str]:
    with futures.ThreadPoolExecutor(2) as pool:
        one = grpc.server(pool)
        health_pb2_grpc.add_HealthServicer_to_server(servicer, one)
        port = one.add_insecure_port("127.0.0.1:0")
        one.start()
        yield f"127.0.0.1:{port}"
        one.stop(0).wait()


@pytest.mark.parametrize(
    ("status", "code"), [(Status.SERVING, 0), (Status.NOT_SERVING, 1), (Status.UNKNOWN, 1)]
)
def test_readiness_is_the_exit_code(
    server: str, servicer: health.HealthServicer, status: Any, code: int
) -> None:
    servicer.set(READY, status)
    ran = run("health", "--target", server)
    assert (ran.code, ran.err) == (code, "")
    assert ran.out == f"{server} {Status.ServingStatus.Name(status)}\n"


def test_an_empty_service_asks_for_liveness(server: str, servicer: health.HealthServicer) -> None:
    servicer.set(READY, Status.NOT_SERVING)
    servicer.set("", Status.SERVING)
    assert run("health", "--target", server, "--service", "").code == 0


def test_a_service_that_nobody_knows_is_a_failure(server: str) -> None:
    ran = run("health", "--target", server, "--service", "nobody")
    assert (ran.code, ran.out) == (4, "")
    assert ran.err == f"Error: {server} answered NOT_FOUND to a health check\n"


def test_no_server_is_a_failure() -> None:
    ran = run("health", "--target", "unix:/no/such/socket")
    assert ran.code == 4
    assert ran.err == (
        "Error: no server answers at unix:/no/such/socket; `consensus serve` starts one\n"
    )
