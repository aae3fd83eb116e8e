"""Every metric, in one table. docs/metrics.md is generated from it.

Labels are closed sets from the configuration and the code; never ids, never text.
"""

from msgspec import Struct
from prometheus_client import CollectorRegistry

from consensus.telemetry.instruments import Counter, Gauge, Histogram

DURATION = (0.005, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60, 120)
"""Judges take from a fraction of a millisecond (embedded) to two minutes (models)."""
RATIO = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
LAG = (0.001, 0.005, 0.01, 0.05, 0.1, 0.25, 0.5, 1, 5)
ITEMS = (1, 2, 4, 8, 16, 32, 64, 128, 256)
_CALL = ("grpc_type", "grpc_service", "grpc_method")


class Metric(Struct, frozen=True):
    """One metric."""

    kind: type[Counter] | type[Gauge] | type[Histogram]
    name: str
    help: str
    labels: tuple[str, ...] = ()
    buckets: tuple[float, ...] = ()


METRICS: tuple[Metric, ...] = (
    Metric(Counter, "grpc_server_started_total", "Calls that came in.", _CALL),
    Metric(
        Counter,
        "grpc_server_handled_total",
        "Calls that ended, by status; codes are spelled as in Go, such as DeadlineExceeded.",
        (*_CALL, "grpc_code"),
    ),
    Metric(Counter, "grpc_server_msg_received_total", "Messages received.", _CALL),
    Metric(Counter, "grpc_server_msg_sent_total", "Messages sent.", _CALL),
    Metric(Histogram, "grpc_server_handling_seconds", "Duration of calls.", _CALL, DURATION),
    Metric(Counter, "consensus_decisions_total", "Decisions, by verdict.", ("policy", "verdict")),
    Metric(
        Histogram,
        "consensus_decision_duration_seconds",
        "Duration of decisions.",
        ("policy",),
        DURATION,
    ),
    Metric(
        Histogram,
        "consensus_agreement_ratio",
        "Agreement of panels with at least two scored seats.",
        ("policy",),
        RATIO,
    ),
    Metric(Counter, "consensus_quorum_missed_total", "Stages without a quorum.", ("policy",)),
    Metric(
        Counter,
        "consensus_stages_settled_total",
        "Stages settled before every judge had answered.",
        ("policy", "stage"),
    ),
    Metric(
        Counter,
        "consensus_judge_calls_total",
        "Judges asked, by what became of it: ok, abstained, timeout, error, unreadable,"
        " overloaded or cancelled.",
        ("judge", "outcome"),
    ),
    Metric(
        Histogram,
        "consensus_judge_duration_seconds",
        "From asking a judge to its answer, failure or cancellation.",
        ("judge",),
        DURATION,
    ),
    Metric(Gauge, "consensus_judge_inflight", "Judges asked and not yet done.", ("judge",)),
    Metric(
        Counter,
        "consensus_dissents_total",
        "Seats on the other side of the threshold from the consensus.",
        ("judge",),
    ),
    Metric(
        Counter,
        "consensus_shadow_seats_total",
        "Scored shadow seats, by whether they were on the same side of the threshold as the"
        " consensus: yes or no.",
        ("judge", "agrees"),
    ),
    Metric(
        Counter,
        "consensus_evidence_struck_total",
        "Quotations and findings struck because the submission does not hold them.",
        ("judge",),
    ),
    Metric(
        Counter,
        "consensus_judge_retries_total",
        "Second calls after a failure, by its kind.",
        ("judge", "reason"),
    ),
    Metric(
        Counter,
        "consensus_judge_hedges_total",
        "Second calls because the first was late: won, lost, failed or cancelled.",
        ("judge", "result"),
    ),
    Metric(
        Gauge,
        "consensus_hedging_delay_seconds",
        "From when on a call of this judge is late.",
        ("judge",),
    ),
    Metric(
        Gauge,
        "consensus_judge_breaker_state",
        "1 for the state that the breaker is in: closed, open or half_open.",
        ("judge", "state"),
    ),
    Metric(
        Gauge,
        "consensus_judge_constant",
        "1 for a judge whose score has not changed, or whose confidence was full, over its latest"
        " 50 submissions. A warning.",
        ("judge", "what"),
    ),
    Metric(
        Gauge, "consensus_judge_limit", "Most calls of this judge under way at a time.", ("judge",)
    ),
    Metric(Gauge, "consensus_judge_waiting", "Calls that wait for the limit.", ("judge",)),
    Metric(
        Counter,
        "consensus_judge_cache_total",
        "Answers looked up: hit, miss, or shared with a call under way.",
        ("judge", "result"),
    ),
    Metric(
        Counter,
        "consensus_judge_tokens_total",
        "Tokens of the models behind judges, by kind: input, of these cached_input and cache_write;"
        " output, of these reasoning. A nested policy's stand at its judges.",
        ("judge", "kind"),
    ),
    Metric(
        Counter,
        "consensus_judge_cost_usd_total",
        "US dollars that judges have cost, as far as it is known.",
        ("judge",),
    ),
    Metric(
        Counter,
        "consensus_judge_cost_unknown_total",
        "Answers of judges whose cost is unknown, for want of a price.",
        ("judge",),
    ),
    Metric(
        Counter,
        "consensus_spend_refused_total",
        "Seats whose judge was not asked, because it could cost more than was left.",
        ("judge",),
    ),
    Metric(
        Counter,
        "consensus_tool_calls_total",
        "Tool calls judged before they run, by the `match` of the rule that applied (none: no rule"
        " did), and whether they were allowed: yes or no.",
        ("tool_rule", "allowed"),
    ),
    Metric(
        Histogram,
        "consensus_judge_batch_items",
        "Submissions that a call to a remote judge carries, by target.",
        ("target",),
        ITEMS,
    ),
    Metric(Gauge, "consensus_inflight", "Judging calls under way."),
    Metric(
        Counter,
        "consensus_shed_total",
        "Judging calls refused, by reason: overloaded or draining.",
        ("reason",),
    ),
    Metric(
        Histogram,
        "consensus_deadline_budget_seconds",
        "Budget of judging calls when they come in.",
        (),
        DURATION,
    ),
    Metric(
        Histogram,
        "consensus_event_loop_lag_seconds",
        "How late the event loop runs a timer, looked at twice a second.",
        (),
        LAG,
    ),
    Metric(
        Counter,
        "consensus_idempotent_replays_total",
        "Requests answered with the decision of an earlier one.",
    ),
    Metric(
        Counter,
        "consensus_policy_reloads_total",
        "Reloads of the policy file, by result: ok, unchanged or error.",
        ("result",),
    ),
    Metric(Gauge, "consensus_policy_info", "1 for each policy as loaded.", ("policy", "revision")),
    Metric(
        Counter, "consensus_logs_dropped_total", "Log lines dropped because the queue was full."
    ),
    Metric(Gauge, "consensus_build_info", "1, with the version.", ("version", "python")),
)


class Instruments:
    """Every metric of the table, registered."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self.by_name: dict[str, Counter | Gauge | Histogram] = {}
        for metric in METRICS:
            built = self.by_name[metric.name] = _built(metric)
            registry.register(built)

    def counter(self, name: str) -> Counter:
        """Return the counter of that name."""
        found = self.by_name[name]
        assert isinstance(found, Counter)  # noqa: S101 - the table and its users belong together
        return found

    def gauge(self, name: str) -> Gauge:
        """Return the gauge of that name."""
        found = self.by_name[name]
        assert isinstance(found, Gauge)  # noqa: S101
        return found

    def histogram(self, name: str) -> Histogram:
        """Return the histogram of that name."""
        found = self.by_name[name]
        assert isinstance(found, Histogram)  # noqa: S101
        return found


def _built(metric: Metric) -> Counter | Gauge | Histogram:
    if metric.kind is Histogram:
        return Histogram(metric.name, metric.help, metric.labels, metric.buckets)
    return metric.kind(metric.name, metric.help, metric.labels)  # type: ignore[call-arg]
