"""The chart renders to what Kubernetes accepts, for the defaults and for every ci/*-values.yaml."""

import re
from pathlib import Path

import pytest

from tests.deploy.chart import (
    CHART,
    KUBERNETES,
    RELEASE,
    VALUES,
    Manifest,
    Rendered,
    needs_helm,
    needs_sdk,
    read_values,
    render,
)

pytestmark = needs_helm


@pytest.fixture(scope="module", params=VALUES, ids=lambda file: file.stem)
def rendered(request: pytest.FixtureRequest) -> Rendered:
    return render(read_values(request.param))


def pod(rendered: Rendered) -> Manifest:
    spec: Manifest = rendered.one("Deployment")["spec"]["template"]["spec"]
    return spec


def test_every_manifest_is_what_kubernetes_expects(rendered: Rendered) -> None:
    validate = pytest.importorskip("kubernetes_validate", reason="kubernetes-validate is missing")
    assert rendered.manifests
    for manifest in rendered.manifests:
        validate.validate(manifest, KUBERNETES, strict=True)


@needs_sdk
@pytest.mark.parametrize("file", VALUES, ids=lambda file: file.stem)
def test_lint_has_no_complaint(file: Path) -> None:
    import helm_python

    result = helm_python.lint(CHART, dict(read_values(file)), strict=True)
    assert result["errors"] == []
    # 1 is information: a chart without an icon is still a chart
    assert [message for message in result["messages"] if message["severity"] > 1] == []


def test_names_fit_and_are_unique(rendered: Rendered) -> None:
    names = [(m["kind"], m["metadata"]["name"]) for m in rendered.manifests]
    assert len(set(names)) == len(names)
    for _, name in names:
        assert re.fullmatch(r"[a-z]([-a-z0-9]{0,61}[a-z0-9])?", name)


def test_selectors_match_the_pods_and_never_name_the_chart(rendered: Rendered) -> None:
    labels = rendered.one("Deployment")["spec"]["template"]["metadata"]["labels"]
    selectors = [
        rendered.one("Deployment")["spec"]["selector"]["matchLabels"],
        *(service["spec"]["selector"] for service in rendered.of("Service")),
        *(b["spec"]["selector"]["matchLabels"] for b in rendered.of("PodDisruptionBudget")),
    ]
    for selector in selectors:
        assert selector.items() <= labels.items()
        assert set(selector) == {"app.kubernetes.io/name", "app.kubernetes.io/instance"}
        assert selector["app.kubernetes.io/instance"] == RELEASE


def test_every_manifest_carries_the_recommended_labels(rendered: Rendered) -> None:
    for manifest in rendered.manifests:
        assert set(manifest["metadata"]["labels"]) >= {
            "helm.sh/chart",
            "app.kubernetes.io/name",
            "app.kubernetes.io/instance",
            "app.kubernetes.io/version",
            "app.kubernetes.io/managed-by",
        }


def test_ports_are_referred_to_by_name(rendered: Rendered) -> None:
    ports = {port["name"]: port["containerPort"] for port in rendered.container["ports"]}
    for service in rendered.of("Service"):
        for port in service["spec"]["ports"]:
            assert port["targetPort"] == port["name"]
            assert port["port"] == ports[port["name"]]
    assert rendered.environment["CONSENSUS_SERVE_LISTEN"] == f"0.0.0.0:{ports['grpc']}"
    assert rendered.environment["CONSENSUS_SERVE_METRICS"] == f"0.0.0.0:{ports['metrics']}"


def test_probes_ask_over_grpc_on_the_port_that_serves_it(rendered: Rendered) -> None:
    ports = {port["name"]: port["containerPort"] for port in rendered.container["ports"]}
    probes = [rendered.container[f"{name}Probe"] for name in ("startup", "readiness", "liveness")]
    assert [probe["grpc"]["port"] for probe in probes] == [ports["grpc"]] * 3
    services = [probe["grpc"].get("service", "") for probe in probes]
    assert services == ["", "consensus.v1.ConsensusService", ""]


def test_a_stopping_pod_has_time_for_its_longest_call(rendered: Rendered) -> None:
    hook = rendered.container.get("lifecycle", {}).get("preStop", {"sleep": {"seconds": 0}})
    environment = rendered.environment
    delay = float(environment["CONSENSUS_SERVE_DRAIN_DELAY_SECONDS"])
    grace = float(environment["CONSENSUS_SERVE_DRAIN_GRACE_SECONDS"])
    assert grace >= float(environment["CONSENSUS_SERVE_MAX_DEADLINE_SECONDS"])
    needed = hook["sleep"]["seconds"] + delay + grace + 15
    assert pod(rendered)["terminationGracePeriodSeconds"] >= needed


def test_pods_meet_the_restricted_standard(rendered: Rendered) -> None:
    assert pod(rendered)["securityContext"] == {
        "runAsNonRoot": True,
        "runAsUser": 65532,
        "runAsGroup": 65532,
        "seccompProfile": {"type": "RuntimeDefault"},
    }
    assert rendered.container["securityContext"] == {
        "allowPrivilegeEscalation": False,
        "readOnlyRootFilesystem": True,
        "capabilities": {"drop": ["ALL"]},
    }
    kinds = {next(key for key in volume if key != "name") for volume in pod(rendered)["volumes"]}
    assert kinds - {"secret"} == {"configMap", "emptyDir"}


def test_no_token_and_no_service_links_reach_the_pod(rendered: Rendered) -> None:
    assert pod(rendered)["automountServiceAccountToken"] is False
    assert pod(rendered)["enableServiceLinks"] is False
    for account in rendered.of("ServiceAccount"):
        assert account["automountServiceAccountToken"] is False


def test_the_policy_is_mounted_as_a_directory_so_that_it_can_change(rendered: Rendered) -> None:
    mounts = {mount["name"]: mount for mount in rendered.container["volumeMounts"]}
    assert "subPath" not in mounts["policy"]
    file = rendered.environment["CONSENSUS_SERVE_POLICY_FILE"]
    assert file == mounts["policy"]["mountPath"] + "/policies.yaml"
    volume = next(v for v in pod(rendered)["volumes"] if v["name"] == "policy")
    made = [config["metadata"]["name"] for config in rendered.of("ConfigMap")]
    assert volume["configMap"]["name"] in [*made, "our-policies"]
