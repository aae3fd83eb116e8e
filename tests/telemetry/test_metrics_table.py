"""The table of metrics: what is in it is registered as it says, by Prometheus's own rules."""

import re

import pytest
from prometheus_client import CollectorRegistry
from prometheus_client.exposition import generate_latest
from prometheus_client.parser import text_string_to_metric_families

from consensus.telemetry.instruments import Counter, Gauge, Histogram, Instrument
from consensus.telemetry.metrics import METRICS, Instruments, Metric

CALL = ("grpc_type", "grpc_service", "grpc_method")
CATALOGUE: dict[str, tuple[type[Instrument], tuple[str, ...]]] = {
    "grpc_server_started_total": (Counter, CALL),
    "grpc_server_handled_total": (Counter, (*CALL, "grpc_code")),
    "grpc_server_msg_received_total": (Counter, CALL),
    "grpc_server_msg_sent_total": (Counter, CALL),
    "grpc_server_handling_seconds": (Histogram, CALL),
    "consensus_decisions_total": (Counter, ("policy", "verdict")),
    "consensus_decision_duration_seconds": (Histogram, ("policy",)),
    "consensus_agreement_ratio": (Histogram, ("policy",)),
    "consensus_quorum_missed_total": (Counter, ("policy",)),
    "consensus_stages_settled_total": (Counter, ("policy", "stage")),
    "consensus_judge_calls_total": (Counter, ("judge", "outcome")),
    "consensus_judge_duration_seconds": (Histogram, ("judge",)),
    "consensus_judge_inflight": (Gauge, ("judge",)),
    "consensus_dissents_total": (Counter, ("judge",)),
    "consensus_shadow_seats_total": (Counter, ("judge", "agrees")),
    "consensus_evidence_struck_total": (Counter, ("judge",)),
    "consensus_judge_retries_total": (Counter, ("judge", "reason")),
    "consensus_judge_hedges_total": (Counter, ("judge", "result")),
    "consensus_hedging_delay_seconds": (Gauge, ("judge",)),
    "consensus_judge_breaker_state": (Gauge, ("judge", "state")),
    "consensus_judge_constant": (Gauge, ("judge", "what")),
    "consensus_judge_limit": (Gauge, ("judge",)),
    "consensus_judge_waiting": (Gauge, ("judge",)),
    "consensus_judge_cache_total": (Counter, ("judge", "result")),
    "consensus_judge_tokens_total": (Counter, ("judge", "kind")),
    "consensus_judge_cost_usd_total": (Counter, ("judge",)),
    "consensus_judge_cost_unknown_total": (Counter, ("judge",)),
    "consensus_spend_refused_total": (Counter, ("judge",)),
    "consensus_tool_calls_total": (Counter, ("tool_rule", "allowed")),
    "consensus_judge_batch_items": (Histogram, ("target",)),
    "consensus_inflight": (Gauge, ()),
    "consensus_shed_total": (Counter, ("reason",)),
    "consensus_deadline_budget_seconds": (Histogram, ()),
    "consensus_event_loop_lag_seconds": (Histogram, ()),
    "consensus_idempotent_replays_total": (Counter, ()),
    "consensus_policy_reloads_total": (Counter, ("result",)),
    "consensus_policy_info": (Gauge, ("policy", "revision")),
    "consensus_logs_dropped_total": (Counter, ()),
    "consensus_build_info": (Gauge, ("version", "python")),
}
"""The names that dashboards and alerts are written against."""

every_metric = pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.name)


def test_the_table_holds_the_catalogue() -> None:
    assert {m.name: (m.kind, m.labels) for m in METRICS} == CATALOGUE
    assert len({m.name for m in METRICS}) == len(METRICS)


@every_metric
def test_names_follow_the_rules_of_prometheus(metric: Metric) -> None:
    assert re.fullmatch(r"(consensus|grpc_server)(_[a-z0-9]+)+", metric.name)
    assert (metric.kind is Counter) == metric.name.endswith("_total")
    assert not re.search(r"_(ms|millis|milliseconds|kb|mb|count|sum|bucket|gauge)\b", metric.name)
    if metric.kind is Histogram:
        assert metric.name.endswith(("_seconds", "_ratio", "_items"))
    assert metric.help.endswith(".") or metric.help.endswith("version.")
    assert metric.help[0].isupper() or metric.help[0].isdigit()
    assert all(re.fullmatch(r"[a-z][a-z_]*", label) for label in metric.labels)
    assert not {"le", "quantile", "job", "instance", "id", "request_id"} & set(metric.labels)


@every_metric
def test_buckets_rise_and_belong_to_histograms_alone(metric: Metric) -> None:
    assert bool(metric.buckets) == (metric.kind is Histogram)
    assert list(metric.buckets) == sorted(set(metric.buckets))
    if metric.name.endswith("_ratio"):
        assert metric.buckets[-1] == 1.0


def test_every_metric_is_registered_under_its_name_with_its_help_labels_and_buckets() -> None:
    registry = CollectorRegistry()
    built = Instruments(registry).by_name
    assert list(built) == [metric.name for metric in METRICS]
    for metric in METRICS:
        instrument, labels = built[metric.name], ["x"] * len(metric.labels)
        assert type(instrument) is metric.kind
        match instrument:
            case Counter():
                instrument.inc(*labels)
            case Gauge():
                instrument.set(1, *labels)
            case Histogram():
                instrument.observe(1, *labels)
    text = generate_latest(registry).decode()
    families = {family.name: family for family in text_string_to_metric_families(text)}
    for metric in METRICS:
        family = families[metric.name.removesuffix("_total")]
        assert family.documentation == metric.help
        samples = [s for s in family.samples if not s.name.endswith("_created")]
        assert {key for s in samples for key in s.labels} - {"le"} == set(metric.labels)
        bounds = [float(s.labels["le"]) for s in samples if "le" in s.labels]
        assert bounds == [*metric.buckets, *([float("inf")] if metric.buckets else [])]


def test_durations_reach_from_instant_judges_to_the_longest_deadline() -> None:
    durations = {m.name: m.buckets for m in METRICS if m.name.endswith("duration_seconds")}
    assert all(buckets[0] <= 0.005 and buckets[-1] >= 120 for buckets in durations.values())


def test_registries_do_not_know_each_other() -> None:
    first, second = CollectorRegistry(), CollectorRegistry()
    Instruments(first).gauge("consensus_inflight").set(3)
    Instruments(second)
    assert second.get_sample_value("consensus_inflight") == 0
    with pytest.raises(ValueError, match="Duplicated"):
        Instruments(first)
