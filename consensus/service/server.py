"""The server: listens, tells its health, drains."""

import logging
from collections.abc import Sequence

import anyio
import grpc
import grpc.aio
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection
from msgspec import Struct

from consensus.service.admission import Admission
from consensus.service.calls import Layer, Method
from consensus.service.consensus_servicer import ConsensusServicer
from consensus.service.door import Door
from consensus.service.judge_servicer import JudgeServicer
from consensus.v1 import consensus_pb2, consensus_pb2_grpc, judge_pb2, judge_pb2_grpc

CONSENSUS = consensus_pb2.DESCRIPTOR.services_by_name["ConsensusService"].full_name
JUDGE = judge_pb2.DESCRIPTOR.services_by_name["JudgeService"].full_name
METHODS = tuple(
    Method(service.full_name, method.name, "server_stream" if method.server_streaming else "unary")
    for file in (consensus_pb2.DESCRIPTOR, judge_pb2.DESCRIPTOR)
    for service in file.services_by_name.values()
    for method in service.methods
)
"""The methods of our own services."""
_SERVING = health_pb2.HealthCheckResponse.SERVING
_NOT_SERVING = health_pb2.HealthCheckResponse.NOT_SERVING
HANDOVER_SECONDS = 0.1
HANDOVER_LOOKS = 10
MAX_HANDOVER_LOOKS = 50
"""A stop answers calls that are queued below Python with CANCELLED, which nobody retries
(grpc/grpc#41785). Before it new calls are refused with UNAVAILABLE until none has come for so
long. Less than their push-back: those who heed it are silent at the stop. Looked at so often: of a
process that stands still for as long, one look would take that for silence.
"""
LAST_BYTES_SECONDS = 0.5
"""For the answers of calls that have just ended to leave."""
FLUSH_SECONDS = 5.0

log = logging.getLogger(__name__)


class ServerSettings(Struct, frozen=True, kw_only=True):
    """How the server listens and stops."""

    listen: str
    max_message_bytes: int
    max_deadline_seconds: float
    reflection: bool
    drain_delay_seconds: float
    drain_grace_seconds: float

    def options(self) -> list[tuple[str, int]]:
        """Return the channel arguments; each has its reason in docs/decisions/0004-grpc.md."""
        grace_ms = round((self.max_deadline_seconds + 10) * 1000)
        return [
            ("grpc.so_reuseport", 0),
            ("grpc.max_receive_message_length", self.max_message_bytes),
            ("grpc.max_send_message_length", self.max_message_bytes),
            ("grpc.max_connection_age_ms", 300_000),
            ("grpc.max_connection_age_grace_ms", grace_ms),
            ("grpc.max_connection_idle_ms", 900_000),
            ("grpc.http2.min_recv_ping_interval_without_data_ms", 10_000),
            ("grpc.keepalive_permit_without_calls", 1),
            ("grpc.keepalive_time_ms", 60_000),
            ("grpc.keepalive_timeout_ms", 20_000),
        ]


class Server:
    """One gRPC server; lives in the event loop that made it."""

    def __init__(
        self,
        settings: ServerSettings,
        layers: Sequence[Layer],
        admission: Admission,
        consensus: ConsensusServicer,
        judge: JudgeServicer,
    ) -> None:
        self._settings = settings
        self._admission = admission
        self._health = health.aio.HealthServicer()
        self._server = grpc.aio.server(interceptors=[Door(layers)], options=settings.options())
        consensus_pb2_grpc.add_ConsensusServiceServicer_to_server(consensus, self._server)
        judge_pb2_grpc.add_JudgeServiceServicer_to_server(judge, self._server)
        health_pb2_grpc.add_HealthServicer_to_server(self._health, self._server)
        if settings.reflection:
            names = (CONSENSUS, JUDGE, health_pb2.DESCRIPTOR.services_by_name["Health"].full_name)
            reflection.enable_server_reflection([*names, reflection.SERVICE_NAME], self._server)

    async def start(self) -> str:
        """Listen and tell readiness; returns the address it got. Raises OSError."""
        for service in ("", CONSENSUS, JUDGE):  # a fresh servicer says SERVING for ""
            await self._health.set(service, _NOT_SERVING)
        try:
            port = self._server.add_insecure_port(self._settings.listen)
        except RuntimeError as error:
            words = f"cannot listen on {self._settings.listen}: is the port taken?"
            raise OSError(words) from error
        await self._server.start()
        for service in ("", CONSENSUS, JUDGE):
            await self._health.set(service, _SERVING)
        if self._settings.listen.startswith("unix:"):
            return self._settings.listen
        return f"{self._settings.listen.rpartition(':')[0]}:{port}"

    async def drain(self) -> None:
        """Stop without losing a call: tell health, wait for load balancers, finish, then close.

        Cancelled, it stops at once.
        """
        try:
            await self._drain()
        finally:
            with anyio.CancelScope(shield=True):
                await self._server.stop(None)

    async def _drain(self) -> None:
        await self._health.enter_graceful_shutdown()
        log.info("draining", extra={"inflight": self._admission.inflight})
        await anyio.sleep(self._settings.drain_delay_seconds)
        self._admission.draining = True
        await self._silence()
        async with anyio.create_task_group() as group:
            group.start_soon(self._server.stop, self._settings.drain_grace_seconds)
            with anyio.move_on_after(self._settings.drain_grace_seconds):
                await self._admission.idle()
            # Only watchers of health are left, and they would hold on for the whole grace.
            await self._server.stop(LAST_BYTES_SECONDS)
        # `stop` returns before the handlers' `finally` blocks have run.
        with anyio.move_on_after(FLUSH_SECONDS):
            await self._admission.idle()

    async def _silence(self) -> None:
        """Wait until new calls have stopped coming: about half a second at most."""
        refused, quiet = self._admission.refused, 0
        for _ in range(MAX_HANDOVER_LOOKS):
            await anyio.sleep(HANDOVER_SECONDS / HANDOVER_LOOKS)
            before, refused = refused, self._admission.refused
            quiet = quiet + 1 if refused == before else 0
            if quiet == HANDOVER_LOOKS:
                break
