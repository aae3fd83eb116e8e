"""THE WIRING: the composition root, the only module that sees every room."""

import datetime
import gc
import logging
import signal
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import ExitStack
from pathlib import Path

import anyio

from consensus.cascade import Engine
from consensus.config import Settings, load_policies
from consensus.config.load import BUNDLED
from consensus.config.reload import Reloader
from consensus.config.settings import loopback
from consensus.domain.decision import Decision, SeatResult, StageResult
from consensus.domain.policy import PolicySet
from consensus.domain.ports import Judge, Observer
from consensus.judges.embedded import embedded_judges
from consensus.judges.remote import Backends, RemoteJudge
from consensus.service.admission import Admission
from consensus.service.consensus_servicer import ConsensusServicer
from consensus.service.deadline import DeadlineLimits
from consensus.service.idempotency import Replays
from consensus.service.judge_servicer import JudgeServicer
from consensus.service.judging import Judging
from consensus.service.layers import (
    admission_layer,
    errors_layer,
    metrics_layer,
    tracing_layer,
)
from consensus.service.rulebook import Rulebook, RulesInForce
from consensus.service.server import CONSENSUS, Server, ServerSettings
from consensus.telemetry.exposition import metrics_served
from consensus.telemetry.logs import DecisionLog
from consensus.telemetry.recorder import Recorder
from consensus.v1 import consensus_pb2
from consensus.validators import check_faults, run_checks

LAG_PERIOD_SECONDS = 0.5

log = logging.getLogger("consensus")


class SystemClock:
    """The machine's clock."""

    monotonic = staticmethod(time.monotonic)

    def now(self) -> datetime.datetime:
        """Return the present moment in UTC."""
        return datetime.datetime.now(datetime.UTC)


class Observers:
    """Tells several observers."""

    def __init__(self, *observers: Observer) -> None:
        self._observers = observers

    def seat_started(self, stage: str, judge: str) -> None:
        """Pass it on."""
        for observer in self._observers:
            observer.seat_started(stage, judge)

    def seat_finished(self, stage: str, seat: SeatResult) -> None:
        """Pass it on."""
        for observer in self._observers:
            observer.seat_finished(stage, seat)

    def stage_finished(self, policy: str, stage: StageResult) -> None:
        """Pass it on."""
        for observer in self._observers:
            observer.stage_finished(policy, stage)

    def decided(self, decision: Decision) -> None:
        """Pass it on."""
        for observer in self._observers:
            observer.decided(decision)


def read_policies(file: Path | None) -> PolicySet:
    """Read a policy file, or the bundled one. Raises PolicyFileError."""
    return load_policies(file or BUNDLED, check_faults)


def bench(policies: PolicySet) -> dict[str, Judge]:
    """Return every judge that some seat of `policies` names. Must run inside the event loop."""
    embedded, backends = embedded_judges(run_checks), Backends()
    seated = {
        seat.judge
        for policy in policies.policies.values()
        for stage in policy.stages
        if stage.panel is not None
        for seat in stage.panel.seats
    }
    return {
        name: embedded[name] if name in embedded else RemoteJudge(policies.judges[name], backends)
        for name in seated
    }


async def close(judges: Mapping[str, Judge], grace_seconds: float) -> None:
    """Close the judges that hold connections, all at once."""
    async with anyio.create_task_group() as group:
        for judge in judges.values():
            if judge.waits:
                group.start_soon(judge.close, grace_seconds)


async def judge_once(
    policies: PolicySet,
    request: consensus_pb2.JudgeRequest,
    budget_seconds: float,
    observer: Observer,
) -> None:
    """Judge one request in this process and tell `observer` of every step. Raises RequestError."""
    judges = bench(policies)
    clock = SystemClock()
    rules = RulesInForce(Rulebook(policies, judges))
    judging = Judging(Engine(clock), rules, observer, Replays(clock, lambda: None))
    try:
        await judging.watch(request, budget_seconds, observer)
    finally:
        await close(judges, 0)


class App:
    """One server process: policies, judges, server, metrics."""

    def __init__(self, settings: Settings, policies: PolicySet, recorder: Recorder) -> None:
        """Make everything but the port. Must run inside the event loop."""
        self._settings = settings
        self.recorder = recorder
        self.rules = RulesInForce(Rulebook(policies, bench(policies)))
        self.admission = Admission(settings.max_inflight, self.recorder)
        self._tell(policies)
        clock = SystemClock()
        observer = Observers(self.recorder, DecisionLog())
        judging = Judging(
            Engine(clock), self.rules, observer, Replays(clock, self.recorder.replayed)
        )
        limits = DeadlineLimits(settings.default_deadline_seconds, settings.max_deadline_seconds)
        self.server = Server(
            _server_settings(settings),
            [
                errors_layer,
                metrics_layer(self.recorder),
                tracing_layer,
                admission_layer(self.admission),
            ],
            self.admission,
            ConsensusServicer(
                judging,
                self.rules,
                limits,
                observer,
                on_budget=self.recorder.budget,
                on_event=lambda: self.recorder.message_sent(
                    "server_stream", CONSENSUS, "StreamJudge"
                ),
                max_message_bytes=settings.max_message_bytes,
            ),
            JudgeServicer(
                judging,
                self.rules,
                limits,
                on_budget=self.recorder.budget,
                max_message_bytes=settings.max_message_bytes,
            ),
        )

    def _tell(self, policies: PolicySet) -> None:
        self.recorder.policies(
            {name: policy.revision for name, policy in policies.policies.items()}
        )

    async def run(self, ready: Callable[[str, str], None] | None = None) -> None:
        """Serve until SIGTERM or SIGINT, then drain. Raises OSError where a port is taken.

        `ready` is told the gRPC address and the metrics address, empty when there is none.
        """
        with ExitStack() as stack:
            # Before anyone is told of the server: a signal would kill it undrained.
            signals = stack.enter_context(
                anyio.open_signal_receiver(signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
            )
            metrics = self._settings.metrics
            if metrics:
                metrics = stack.enter_context(metrics_served(metrics, self.recorder.registry))
            address = await self.server.start()
            log.info("serving", extra={"address": address, "metrics": metrics})
            if ready:
                ready(address, metrics)
            gc.freeze()  # what start-up made stays: collections need not look at it again
            async with anyio.create_task_group() as group:
                reloader = self._reloader(group.start_soon)
                if reloader and self._settings.reload_seconds:
                    group.start_soon(reloader.watch, self._settings.reload_seconds)
                group.start_soon(self._measure_lag)
                await self._until_stopped(signals, reloader)
                group.cancel_scope.cancel()
            await close(self.rules.current.judges, 0)
        log.info("stopped")

    async def _until_stopped(
        self, signals: AsyncIterator[signal.Signals], reloader: Reloader | None
    ) -> None:
        """Reload on SIGHUP; drain on SIGTERM or SIGINT; a second one of these stops at once."""
        async with anyio.create_task_group() as group:
            stopping = False
            async for number in signals:
                if number == signal.SIGHUP:
                    if reloader:
                        await reloader.reload()
                elif stopping:
                    log.warning("stopping at once")
                    group.cancel_scope.cancel()
                else:
                    stopping = True
                    group.start_soon(self._drain, group.cancel_scope)

    async def _drain(self, scope: anyio.CancelScope) -> None:
        await self.server.drain()
        scope.cancel()

    def _reloader(self, spawn: Callable[..., object]) -> Reloader | None:
        if self._settings.policy_file is None:
            return None

        async def apply(policies: PolicySet) -> None:
            previous = self.rules.current
            self.rules.current = Rulebook(policies, bench(policies))
            self._tell(policies)
            # A request under way keeps its judges, asked already or not; none outlives this.
            spawn(_retire, previous.judges, self._settings.max_deadline_seconds)

        in_force = self.rules.current.policies
        file = self._settings.policy_file
        return Reloader(file, check_faults, apply, self.recorder.reloaded, in_force)

    async def _measure_lag(self) -> None:
        while True:
            due = time.monotonic() + LAG_PERIOD_SECONDS
            await anyio.sleep(LAG_PERIOD_SECONDS)
            self.recorder.loop_lag(max(time.monotonic() - due, 0.0))


async def _retire(judges: Mapping[str, Judge], seconds: float) -> None:
    """Close judges after so many seconds, or when the server stops."""
    try:
        await anyio.sleep(seconds)
    finally:
        with anyio.CancelScope(shield=True):
            await close(judges, 0)


def _server_settings(settings: Settings) -> ServerSettings:
    reflection = settings.reflection
    return ServerSettings(
        listen=settings.listen,
        max_message_bytes=settings.max_message_bytes,
        max_deadline_seconds=settings.max_deadline_seconds,
        reflection=loopback(settings.listen) if reflection is None else reflection,
        drain_delay_seconds=settings.drain_delay_seconds,
        drain_grace_seconds=settings.drain_grace_seconds,
    )
