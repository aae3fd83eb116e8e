"""THE WIRING: the composition root, the only module that sees every room."""

import datetime
import importlib
import logging
import signal
import time
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from pathlib import Path

import anyio

from consensus.bench import Bench
from consensus.cascade import Engine
from consensus.cascade.tool_call import ToolCalls
from consensus.config import Settings, load_policies
from consensus.config.load import BUNDLED
from consensus.config.reload import Reloader
from consensus.config.settings import loopback
from consensus.domain.policy import PolicySet
from consensus.garbage import Sweeper
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
from consensus.service.server import CONSENSUS, METHODS, Server, ServerSettings
from consensus.service.status import CODES
from consensus.service.tool_calls import ToolCallJudging
from consensus.telemetry.audit import AuditLog
from consensus.telemetry.bench import BenchRecorder
from consensus.telemetry.exposition import metrics_served
from consensus.telemetry.logs import DecisionLog, FailedSeatLog
from consensus.telemetry.observers import NestedObservers, Observers
from consensus.telemetry.recorder import Recorder
from consensus.telemetry.tool_calls import ToolCallRecorder
from consensus.telemetry.usage import UsageRecorder
from consensus.validators import check_faults

LAG_PERIOD_SECONDS = 0.5
LATER = "consensus.validators.schema"
"""Imported once the server is ready, before a request has to wait for it."""

log = logging.getLogger("consensus")


class SystemClock:
    """The machine's clock."""

    monotonic = staticmethod(time.monotonic)

    def now(self) -> datetime.datetime:
        """Return the present moment in UTC."""
        return datetime.datetime.now(datetime.UTC)


def read_policies(file: Path | None) -> PolicySet:
    """Read a policy file, or the bundled one. Raises PolicyFileError."""
    return load_policies(file or BUNDLED, check_faults)


class App:
    """One server process: policies, judges, server, metrics."""

    def __init__(self, settings: Settings, policies: PolicySet, recorder: Recorder) -> None:
        """Make everything but the port. Must run inside the event loop."""
        self._settings = settings
        self.recorder = recorder
        self._habits = BenchRecorder(recorder.instruments)
        self._clock = clock = SystemClock()
        self._engine = Engine(clock)
        usage = UsageRecorder(recorder.instruments, self._nested)
        failed = [FailedSeatLog()] if settings.log_level == "debug" else []
        audit = [AuditLog(clock.now)] if settings.audit else []
        observer = Observers(recorder, usage, DecisionLog(), *failed, *audit)
        self._nested_observer = NestedObservers(recorder, usage, *failed, *audit)
        self._bench = self._made(policies)
        self.rules = RulesInForce(Rulebook(policies, self._bench, self._bench.prover))
        self.admission = Admission(settings.max_inflight, self.recorder)
        self._tell(policies)
        for method in METHODS:
            self.recorder.call_possible(method.kind, method.service, method.name, CODES)
        judging = Judging(
            self._engine, self.rules, observer, Replays(clock, recorder.replayed), usage.used
        )
        told = ToolCallRecorder(recorder)
        tool_calls = ToolCallJudging(ToolCalls(self._engine), self.rules, observer, told)
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
                tool_calls,
                self.rules,
                limits,
                observer,
                on_budget=self.recorder.budget,
                on_event=lambda: self.recorder.message_sent(
                    "server_stream", CONSENSUS, "StreamJudge"
                ),
                max_message_bytes=settings.max_message_bytes,
                now=clock.now,
            ),
            JudgeServicer(
                judging,
                self.rules,
                limits,
                on_budget=self.recorder.budget,
                max_message_bytes=settings.max_message_bytes,
            ),
        )

    def put_in_force(self, policies: PolicySet) -> Bench:
        """Judge new requests by `policies`; returns the judges of those under way, to be closed."""
        previous, self._bench = self._bench, self._made(policies, self._bench)
        self.rules.current = Rulebook(policies, self._bench, self._bench.prover)
        self._tell(policies)
        return previous

    def _made(self, policies: PolicySet, before: Bench | None = None) -> Bench:
        told = (self._nested_observer, self._habits)
        return Bench(policies, self._engine, self._clock, *told, before)

    def _nested(self, judge: str) -> bool:
        spec = self.rules.current.policies.judges.get(judge)
        return spec is not None and spec.kind == "policy"

    def _tell(self, policies: PolicySet) -> None:
        self.recorder.policies(
            {name: policy.revision for name, policy in policies.policies.items()}
        )

    async def run(self, ready: Callable[[str, str], None] | None = None) -> None:
        """Serve until SIGTERM or SIGINT, then drain. Raises OSError where a port is taken.

        `ready` is told the gRPC address and the metrics address, empty when there is none.
        """
        async with AsyncExitStack() as stack:
            # Before anyone is told of the server: a signal would kill it undrained.
            signals = stack.enter_context(
                anyio.open_signal_receiver(signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
            )
            stack.push_async_callback(self.close)  # also where a port is taken
            metrics = self._settings.metrics
            if metrics:
                metrics = stack.enter_context(metrics_served(metrics, self.recorder.registry))
            address = await self.server.start()
            log.info("serving", extra={"address": address, "metrics": metrics})
            if ready:
                ready(address, metrics)
            sweeper = Sweeper()
            async with anyio.create_task_group() as group:
                reloader = self._reloader(group.start_soon)
                if reloader and self._settings.reload_seconds:
                    group.start_soon(reloader.watch, self._settings.reload_seconds)
                group.start_soon(self._look_after, sweeper)
                group.start_soon(_import_later)
                await self._until_stopped(signals, reloader)
                group.cancel_scope.cancel()
        log.info("stopped")

    async def close(self) -> None:
        """Close every judge's connections."""
        await self._bench.close(0)

    async def _until_stopped(
        self, signals: AsyncIterator[signal.Signals], reloader: Reloader | None
    ) -> None:
        """Reload on SIGHUP; drain on SIGTERM or SIGINT; a second one of these stops at once."""
        async with anyio.create_task_group() as group:
            stopping = False
            async for number in signals:
                if number == signal.SIGHUP:
                    if reloader:  # beside: a slow one must not hold up a signal to stop
                        group.start_soon(reloader.reload)
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
            previous = self.put_in_force(policies)
            # A request under way keeps its judges, asked already or not; none outlives this.
            spawn(_retire, previous, self._settings.max_deadline_seconds)

        in_force = self.rules.current.policies
        file = self._settings.policy_file
        return Reloader(file, check_faults, apply, self.recorder.reloaded, in_force)

    async def _look_after(self, sweeper: Sweeper) -> None:
        while True:
            due = time.monotonic() + LAG_PERIOD_SECONDS
            await anyio.sleep(LAG_PERIOD_SECONDS)
            self.recorder.loop_lag(max(time.monotonic() - due, 0.0))
            sweeper.look(idle=not self.admission.inflight)


async def _import_later() -> None:
    await anyio.to_thread.run_sync(importlib.import_module, LATER)


async def _retire(bench: Bench, seconds: float) -> None:
    """Close judges after so many seconds, or when the server stops."""
    try:
        await anyio.sleep(seconds)
    finally:
        with anyio.CancelScope(shield=True):
            await bench.close(0)


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
