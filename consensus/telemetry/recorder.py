"""The recorder: turns what the other rooms tell of into metrics. Never waits, never raises."""

import sys
from collections.abc import Iterable, Mapping

from prometheus_client import CollectorRegistry

from consensus import __version__
from consensus.domain.decision import Decision, GateAnswer, SeatResult, SeatStatus, StageResult
from consensus.domain.fold import reaches
from consensus.domain.gradient import Failure, FailureKind
from consensus.domain.ports import SilentObserver
from consensus.domain.tool_call import ToolVerdict
from consensus.telemetry.metrics import Instruments

_GO_NAMES = {"OK": "OK", "CANCELLED": "Canceled"}
_RELOADS = ("ok", "unchanged", "error")
_OUTCOMES = {
    SeatStatus.SCORED: "ok",
    SeatStatus.ABSTAINED: "abstained",
    SeatStatus.SKIPPED: "cancelled",
}
_FAILURES = {kind: kind.value for kind in FailureKind}


class Recorder(SilentObserver):
    """Keeps every metric of one process."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self.registry = registry
        self.instruments = known = Instruments(registry)
        python = ".".join(map(str, sys.version_info[:3]))
        known.gauge("consensus_build_info").set(1, __version__, python)
        self._started = known.counter("grpc_server_started_total")
        self._received = known.counter("grpc_server_msg_received_total")
        self._sent = known.counter("grpc_server_msg_sent_total")
        self._handled = known.counter("grpc_server_handled_total")
        self._handling = known.histogram("grpc_server_handling_seconds")
        self._shed = known.counter("consensus_shed_total")
        self._budget = known.histogram("consensus_deadline_budget_seconds")
        self._replays = known.counter("consensus_idempotent_replays_total")
        self._lag = known.histogram("consensus_event_loop_lag_seconds")
        self._dropped = known.counter("consensus_logs_dropped_total")
        self._calls = known.counter("consensus_judge_calls_total")
        self._judge_seconds = known.histogram("consensus_judge_duration_seconds")
        self._struck = known.counter("consensus_evidence_struck_total")
        self._missed = known.counter("consensus_quorum_missed_total")
        self._settled = known.counter("consensus_stages_settled_total")
        self._agreement = known.histogram("consensus_agreement_ratio")
        self._dissents = known.counter("consensus_dissents_total")
        self._shadows = known.counter("consensus_shadow_seats_total")
        self._decisions = known.counter("consensus_decisions_total")
        self._decision_seconds = known.histogram("consensus_decision_duration_seconds")
        self._tool_calls = known.counter("consensus_tool_calls_total")
        self._reloads = known.counter("consensus_policy_reloads_total")
        self._info = known.gauge("consensus_policy_info")
        self._policies: list[tuple[str, str]] = []
        self._asked: dict[str, int] = {}
        self._inflight = 0
        known.gauge("consensus_inflight").read_from(lambda: [((), self._inflight)])
        known.gauge("consensus_judge_inflight").read_from(
            lambda: [((judge,), asked) for judge, asked in list(self._asked.items())]
        )

        for result in _RELOADS:
            self._reloads.inc(result, by=0.0)

    # Calls

    def call_possible(self, kind: str, service: str, method: str, codes: Iterable[str]) -> None:
        """Show a method at 0, with each status: a rate sees the first error only from there."""
        labels = (kind, service, method)
        for counter in (self._started, self._received, self._sent):
            counter.inc(*labels, by=0.0)
        for code in codes:
            self._handled.inc(*labels, _spelled(code), by=0.0)
        self._handling.show(*labels)

    def call_started(self, kind: str, service: str, method: str) -> None:
        """A call came in."""
        self._started.inc(kind, service, method)
        self._received.inc(kind, service, method)

    def call_handled(self, kind: str, service: str, method: str, code: str, seconds: float) -> None:
        """A call has ended; `code` is the status's name, such as DEADLINE_EXCEEDED."""
        self._handled.inc(kind, service, method, _spelled(code))
        self._handling.observe(seconds, kind, service, method)
        if code == "OK" and kind == "unary":
            self._sent.inc(kind, service, method)

    def message_sent(self, kind: str, service: str, method: str) -> None:
        """A message was sent."""
        self._sent.inc(kind, service, method)

    # Load

    def inflight(self, judgments: int) -> None:
        """So many judging calls are under way."""
        self._inflight = judgments

    def shed(self, reason: str) -> None:
        """A judging call was refused."""
        self._shed.inc(reason)

    def budget(self, seconds: float) -> None:
        """A judging call came in with this budget."""
        self._budget.observe(seconds)

    def replayed(self) -> None:
        """A request was answered with the decision of an earlier one."""
        self._replays.inc()

    def loop_lag(self, seconds: float) -> None:
        """The event loop ran a timer this late."""
        self._lag.observe(seconds)

    def log_dropped(self) -> None:
        """A log line was dropped."""
        self._dropped.inc()

    # Judging

    def seat_started(self, stage: str, judge: str) -> None:
        """A judge was asked."""
        self._asked[judge] = self._asked.get(judge, 0) + 1

    def seat_finished(self, stage: str, seat: SeatResult) -> None:
        """A seat that was asked has its result."""
        judge, answer = seat.judge, seat.answer
        failed = isinstance(answer, Failure)
        outcome = _FAILURES[answer.kind] if failed else _OUTCOMES[seat.status]  # type: ignore[union-attr]
        self._asked[judge] -= 1
        self._calls.inc(judge, outcome)
        self._judge_seconds.observe(seat.duration_seconds, judge)
        if seat.struck:
            self._struck.inc(judge, by=seat.struck)

    def stage_finished(self, policy: str, stage: StageResult) -> None:
        """A stage has its gate's answer."""
        if stage.gate.answer is GateAnswer.NO_QUORUM:
            self._missed.inc(policy)
        if stage.settled:
            self._settled.inc(policy, stage.stage)
        if stage.consensus is None:
            return
        if stage.consensus.agreement is not None:
            self._agreement.observe(stage.consensus.agreement, policy)
        for dissent in stage.consensus.dissents:
            self._dissents.inc(dissent.judge)
        for seat in stage.consensus.seats:
            if seat.shadow and seat.gradient is not None and stage.gate.quorum_ok:
                passed = reaches(seat.gradient.score, stage.consensus.threshold)
                self._shadows.inc(seat.judge, "yes" if passed == stage.gate.score_ok else "no")

    def decided(self, decision: Decision) -> None:
        """The decision is made."""
        self._decisions.inc(decision.policy, decision.verdict.value)
        self._decision_seconds.observe(decision.duration_seconds, decision.policy)

    def tool_call_judged(self, verdict: ToolVerdict) -> None:
        """A tool call may run, or not."""
        self._tool_calls.inc(verdict.rule or "none", "yes" if verdict.allowed else "no")

    # Configuration

    def reloaded(self, result: str) -> None:
        """The policy file was reloaded, with this result."""
        self._reloads.inc(result)

    def policies(self, revisions: Mapping[str, str]) -> None:
        """These policies are in force, by name with their revisions."""
        for labels in self._policies:
            self._info.remove(*labels)
        self._policies = list(revisions.items())
        for labels in self._policies:
            self._info.set(1, *labels)


def _spelled(code: str) -> str:
    return _GO_NAMES.get(code) or code.title().replace("_", "")
