"""What each value does, and what the chart refuses."""

import tarfile
from pathlib import Path

import pytest

from tests.deploy.chart import CHART, RefusedError, Values, needs_helm, read_values, render

pytestmark = needs_helm


def ci(name: str) -> Values:
    return read_values(CHART / "ci" / f"{name}-values.yaml")


def grace(values: Values) -> int:
    spec = render(values).one("Deployment")["spec"]["template"]["spec"]
    return int(spec["terminationGracePeriodSeconds"])


def test_one_replica_has_no_disruption_budget() -> None:
    assert render(ci("single-replica")).of("PodDisruptionBudget") == []


def test_a_disabled_budget_is_not_rendered() -> None:
    assert render({"podDisruptionBudget": {"enabled": False}}).of("PodDisruptionBudget") == []


def test_two_replicas_keep_half_and_a_choice_of_max_is_taken() -> None:
    assert render().one("PodDisruptionBudget")["spec"]["minAvailable"] == "50%"
    budget = render(ci("disruption")).one("PodDisruptionBudget")["spec"]
    assert budget["maxUnavailable"] == 1
    assert "minAvailable" not in budget


def test_the_termination_grace_is_the_sum_of_what_stopping_takes() -> None:
    assert grace({}) == 10 + 5 + 120 + 15
    assert grace({"server": {"maxDeadlineSeconds": 60}}) == 90
    assert grace({"shutdown": {"preStopSeconds": 0, "drainDelaySeconds": 0}}) == 135
    assert grace({"terminationGracePeriodSeconds": 151}) == 151


def test_without_a_pause_there_is_no_hook() -> None:
    assert "lifecycle" in render().container
    assert "lifecycle" not in render(ci("deadlines")).container


def test_large_numbers_are_written_out() -> None:
    assert render(ci("deadlines")).environment["CONSENSUS_SERVE_MAX_MESSAGE_BYTES"] == "33554432"


def test_an_existing_config_map_takes_the_place_of_ours() -> None:
    rendered = render(ci("existing-policy"))
    assert rendered.of("ConfigMap") == []
    volumes = rendered.one("Deployment")["spec"]["template"]["spec"]["volumes"]
    assert volumes[0]["configMap"]["name"] == "our-policies"


def test_secrets_are_directories_of_files_by_their_names() -> None:
    rendered = render(ci("secrets"))
    mounts = {m["name"]: m for m in rendered.container["volumeMounts"]}
    volumes = rendered.one("Deployment")["spec"]["template"]["spec"]["volumes"]
    secrets = {v["name"]: v["secret"]["secretName"] for v in volumes if "secret" in v}
    assert list(secrets.values()) == ["openai", "models.anthropic"]
    for name, secret in secrets.items():
        assert mounts[name]["readOnly"]
        assert "subPath" not in mounts[name]  # so that keys can rotate
        assert mounts[name]["mountPath"] == f"/etc/consensus-secrets/{secret}"


def test_a_policy_is_carried_word_for_word() -> None:
    for text in ("  version: 1\n\n\nx: |2\n   y\n", "# c\nversion: 1", "a: 'ä'\n\n\n"):
        rendered = render({"policy": {"content": text}})
        assert rendered.one("ConfigMap")["data"] == {"policies.yaml": text}


def test_a_changed_policy_does_not_restart_the_pods() -> None:
    template = render().one("Deployment")["spec"]["template"]
    assert (
        render(ci("policy")).one("Deployment")["spec"]["template"]["metadata"]
        == (template["metadata"])
    )
    assert "annotations" not in template["metadata"]


def test_a_digest_wins_over_the_tag_and_the_tag_over_the_version() -> None:
    digest = "sha256:" + "0123456789abcdef" * 4
    version = render().container["image"].rpartition(":")[2]
    assert version == read_values(CHART / "Chart.yaml")["appVersion"]
    assert render({"image": {"tag": "next"}}).container["image"] == "consensus:next"
    image = {"tag": "next", "digest": digest}
    assert render({"image": image}).container["image"] == f"consensus@{digest}"


def test_an_account_of_somebody_else_is_used_and_not_made() -> None:
    rendered = render(ci("names"))
    assert rendered.of("ServiceAccount") == []
    spec = rendered.one("Deployment")["spec"]["template"]["spec"]
    assert spec["serviceAccountName"] == "shared"


def test_an_empty_spread_is_no_spread() -> None:
    spec = render(ci("placement")).one("Deployment")["spec"]["template"]["spec"]
    assert "topologySpreadConstraints" not in spec
    assert spec["priorityClassName"] == "important"


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"terminationGracePeriodSeconds": 149}, "must be at least 150"),
        ({"podDisruptionBudget": {"maxUnavailable": 1}}, "exactly one of minAvailable"),
        ({"podDisruptionBudget": {"minAvailable": None}}, "exactly one of minAvailable"),
        ({"policy": {"existingConfigMap": "ours"}}, "are both set"),
        ({"policy": {"content": ""}}, "there is no policy"),
        ({"ports": {"metrics": 50051}}, "ports.grpc and ports.metrics are both 50051"),
        ({"server": {"maxDeadlineSeconds": 20}}, "above server.maxDeadlineSeconds"),
    ],
)
def test_values_that_contradict_each_other_are_refused(values: Values, words: str) -> None:
    with pytest.raises(RefusedError, match=words):
        render(values)


@pytest.mark.parametrize(
    ("values", "place"),
    [
        ({"replicas": 3}, "replicas"),
        ({"server": {"max_inflight": 3}}, "max_inflight"),
        ({"image": {"digest": "sha256:short"}}, "digest"),
        ({"image": {"repository": ""}}, "repository"),
        ({"replicaCount": "3"}, "replicaCount"),
        ({"replicaCount": -1}, "replicaCount"),
        ({"ports": {"grpc": 80}}, "grpc"),
        ({"server": {"logLevel": "verbose"}}, "logLevel"),
        ({"server": {"maxDeadlineSeconds": 601}}, "maxDeadlineSeconds"),
        ({"server": {"maxInflight": 0}}, "maxInflight"),
        ({"policy": {"content": {"version": 1}}}, "content"),
        ({"podDisruptionBudget": {"minAvailable": "half"}}, "minAvailable"),
        ({"resources": {"limits": {"memory": "much"}}}, "memory"),
        ({"podLabels": {"app.kubernetes.io/name": "other"}}, "propertyName"),
    ],
)
def test_the_schema_refuses_unknown_keys_and_bad_values(values: Values, place: str) -> None:
    with pytest.raises(RefusedError, match=place):
        render(values)


def test_a_parent_chart_may_pass_its_globals() -> None:
    assert render({"global": {"region": "eu"}}).manifests


def test_what_is_for_ci_is_not_packaged(tmp_path: Path) -> None:
    helm = pytest.importorskip("helm_python", reason="helm-python-sdk is not installed")
    with tarfile.open(helm.package(CHART, destination=tmp_path)) as packed:
        names = packed.getnames()
    assert "consensus/values.schema.json" in names
    assert not any("/ci/" in name for name in names)
