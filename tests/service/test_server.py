"""The server's own: the port it takes, the address it tells, the options it sets."""

from pathlib import Path

import grpc.aio
import pytest

from consensus.app import App
from consensus.bench import Bench
from consensus.config import Settings
from consensus.service.server import ServerSettings
from consensus.v1 import consensus_pb2_grpc
from tests.service.running import Witness, policy, request, rules, serving

POLICIES = rules(default=policy("conduct"))


async def test_port_zero_takes_a_free_one_and_tells_it() -> None:
    async with serving(POLICIES) as first, serving(POLICIES) as second:
        assert first.address.startswith("127.0.0.1:")
        assert first.address != second.address
        for server in (first, second):
            assert (await server.consensus.Judge(request())).HasField("decision")


async def test_a_second_server_on_the_same_port_fails_and_the_first_serves_on() -> None:
    async with serving(POLICIES) as server:
        other = App(Settings(listen=server.address), POLICIES, Witness())
        with pytest.raises(OSError, match=f"cannot listen on {server.address}: is the port taken"):
            await other.server.start()
        assert (await server.consensus.Judge(request())).HasField("decision")


async def test_a_server_that_gets_no_port_closes_its_judges(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    closed: list[Bench] = []

    async def close(bench: Bench, grace_seconds: float) -> None:
        closed.append(bench)

    async with serving(POLICIES) as server:
        monkeypatch.setattr(Bench, "close", close)
        other = App(Settings(listen=server.address, metrics=""), POLICIES, Witness())
        with pytest.raises(OSError, match="is the port taken"):
            await other.run()
        assert closed == [other.rules.current.judges]
        monkeypatch.undo()


async def test_a_unix_socket_is_served_under_its_own_name(tmp_path: Path) -> None:
    listen = f"unix:{tmp_path}/consensus.sock"
    async with serving(POLICIES, listen=listen) as server:
        assert server.address == listen
        async with grpc.aio.insecure_channel(listen) as channel:
            stub = consensus_pb2_grpc.ConsensusServiceStub(channel)
            assert (await stub.Judge(request())).HasField("decision")


def test_the_options_are_those_that_the_decision_records_give_reasons_for() -> None:
    settings = ServerSettings(
        listen="127.0.0.1:0",
        max_message_bytes=1_000_000,
        max_deadline_seconds=120.0,
        reflection=False,
        drain_delay_seconds=5.0,
        drain_grace_seconds=120.0,
    )
    assert dict(settings.options()) == {
        "grpc.so_reuseport": 0,
        "grpc.max_receive_message_length": 1_000_000,
        "grpc.max_send_message_length": 1_000_000,
        "grpc.max_connection_age_ms": 300_000,
        "grpc.max_connection_age_grace_ms": 130_000,
        "grpc.max_connection_idle_ms": 900_000,
        "grpc.http2.min_recv_ping_interval_without_data_ms": 10_000,
        "grpc.keepalive_permit_without_calls": 1,
        "grpc.keepalive_time_ms": 60_000,
        "grpc.keepalive_timeout_ms": 20_000,
    }
