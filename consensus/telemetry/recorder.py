"""The recorder: turns what the other rooms tell of into metrics. Never waits, never raises."""

import functools
import sys
from collections.abc import Mapping

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

from consensus import __version__
from consensus.domain.decision import Decision, GateAnswer, SeatResult, SeatStatus, StageResult
from consensus.domain.gradient import Failure
from consensus.telemetry.metrics import build

_GO_NAMES = {"OK": "OK", "CANCELLED": "Canceled"}
_OUTCOMES = {
    SeatStatus.SCORED: "ok",
    SeatStatus.ABSTAINED: "abstained",
    SeatStatus.SKIPPED: "cancelled",
}


class Recorder:
    """Keeps every metric of one process."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self.registry = registry
        self._metrics = build(registry)
        self._child = functools.lru_cache(maxsize=4096)(self._labelled)
        python = ".".join(map(str, sys.version_info[:3]))
        self._gauge("consensus_build_info", __version__, python).set(1)
        self._policies: list[tuple[str, str]] = []
        self._inflight = 0
        self._asked: dict[str, int] = {}
        self._gauge("consensus_inflight").set_function(lambda: self._inflight)

    def count(self, name: str, *labels: str, by: float = 1.0) -> None:
        """Add `by`, at least 0, to a counter of the table."""
        self._counter(name, *labels).inc(by)

    # Calls

    def call_started(self, kind: str, service: str, method: str) -> None:
        """A call came in."""
        self._counter("grpc_server_started_total", kind, service, method).inc()
        self._counter("grpc_server_msg_received_total", kind, service, method).inc()

    def call_handled(self, kind: str, service: str, method: str, code: str, seconds: float) -> None:
        """A call has ended; `code` is the status's name, such as DEADLINE_EXCEEDED."""
        spelled = _GO_NAMES.get(code) or code.title().replace("_", "")
        self._counter("grpc_server_handled_total", kind, service, method, spelled).inc()
        self._histogram("grpc_server_handling_seconds", kind, service, method).observe(seconds)
        if code == "OK" and kind == "unary":
            self.message_sent(kind, service, method)

    def message_sent(self, kind: str, service: str, method: str) -> None:
        """A message was sent."""
        self._counter("grpc_server_msg_sent_total", kind, service, method).inc()

    # Load

    def inflight(self, judgments: int) -> None:
        """So many judging calls are under way."""
        self._inflight = judgments

    def shed(self, reason: str) -> None:
        """A judging call was refused."""
        self._counter("consensus_shed_total", reason).inc()

    def budget(self, seconds: float) -> None:
        """A judging call came in with this budget."""
        self._histogram("consensus_deadline_budget_seconds").observe(seconds)

    def replayed(self) -> None:
        """A request was answered with the decision of an earlier one."""
        self._counter("consensus_idempotent_replays_total").inc()

    def loop_lag(self, seconds: float) -> None:
        """The event loop ran a timer this late."""
        self._histogram("consensus_event_loop_lag_seconds").observe(seconds)

    def log_dropped(self) -> None:
        """A log line was dropped."""
        self._counter("consensus_logs_dropped_total").inc()

    # Judging

    def seat_started(self, stage: str, judge: str) -> None:
        """A judge was asked."""
        if judge not in self._asked:
            self._asked[judge] = 0
            self._gauge("consensus_judge_inflight", judge).set_function(lambda: self._asked[judge])
        self._asked[judge] += 1

    def seat_finished(self, stage: str, seat: SeatResult) -> None:
        """A seat that was asked has its result."""
        failed = isinstance(seat.answer, Failure)
        outcome = seat.answer.kind.value if failed else _OUTCOMES[seat.status]  # type: ignore[union-attr]
        self._asked[seat.judge] -= 1
        self._counter("consensus_judge_calls_total", seat.judge, outcome).inc()
        self._histogram("consensus_judge_duration_seconds", seat.judge).observe(
            seat.duration_seconds
        )
        if seat.struck:
            self._counter("consensus_evidence_struck_total", seat.judge).inc(seat.struck)

    def stage_finished(self, policy: str, stage: StageResult) -> None:
        """A stage has its gate's answer."""
        if stage.gate.answer is GateAnswer.NO_QUORUM:
            self._counter("consensus_quorum_missed_total", policy).inc()
        if stage.settled:
            self._counter("consensus_stages_settled_total", policy, stage.stage).inc()
        if stage.consensus is None:
            return
        if stage.consensus.agreement is not None:
            self._histogram("consensus_agreement_ratio", policy).observe(stage.consensus.agreement)
        for dissent in stage.consensus.dissents:
            self._counter("consensus_dissents_total", dissent.judge).inc()

    def decided(self, decision: Decision) -> None:
        """The decision is made."""
        policy = decision.policy
        self._counter("consensus_decisions_total", policy, decision.verdict.value).inc()
        self._histogram("consensus_decision_duration_seconds", policy).observe(
            decision.duration_seconds
        )

    # Configuration

    def reloaded(self, result: str) -> None:
        """The policy file was reloaded, with this result."""
        self._counter("consensus_policy_reloads_total", result).inc()

    def policies(self, revisions: Mapping[str, str]) -> None:
        """These policies are in force, by name with their revisions."""
        info = self._metrics["consensus_policy_info"]
        for labels in self._policies:
            info.remove(*labels)
        self._child.cache_clear()
        self._policies = list(revisions.items())
        for labels in self._policies:
            self._gauge("consensus_policy_info", *labels).set(1)

    def _labelled(self, name: str, *labels: str) -> Counter | Gauge | Histogram:
        metric = self._metrics[name]
        return metric.labels(*labels) if labels else metric  # type: ignore[return-value]

    def _counter(self, name: str, *labels: str) -> Counter:
        return self._child(name, *labels)  # type: ignore[return-value]

    def _gauge(self, name: str, *labels: str) -> Gauge:
        return self._child(name, *labels)  # type: ignore[return-value]

    def _histogram(self, name: str, *labels: str) -> Histogram:
        return self._child(name, *labels)  # type: ignore[return-value]
