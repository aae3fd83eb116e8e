"""What the chart renders starts a real server: its command, variables, policy and probes."""

import re
import sys
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import grpc
import pytest
from click.testing import CliRunner
from grpc_health.v1 import health_pb2

from consensus.cli import check
from consensus.v1 import consensus_pb2, consensus_pb2_grpc
from tests.deploy.chart import (
    CHART,
    NAMESPACE,
    VALUES,
    Rendered,
    needs_helm,
    needs_sdk,
    notes,
    read_values,
    render,
)
from tests.deploy.image import stages
from tests.deploy.serving import Serving, serving

pytestmark = needs_helm
CONSENSUS = Path(sys.executable).with_name("consensus")
SEEN_SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class Running:
    """A server started as the chart says."""

    rendered: Rendered
    server: Serving


def mounted(rendered: Rendered, folder: Path) -> dict[str, str]:
    """Put the ConfigMap into `folder`; return the variables, pointed at it."""
    for key, text in rendered.one("ConfigMap")["data"].items():
        (folder / key).write_text(text, "utf-8")
    environment = rendered.environment
    file = Path(environment["CONSENSUS_SERVE_POLICY_FILE"]).name
    return {**environment, "CONSENSUS_SERVE_POLICY_FILE": str(folder / file)}


@pytest.fixture(scope="module", params=["default", "policy", "ports"], ids=lambda name: str(name))
def running(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Running]:
    rendered = render(read_values(CHART / "ci" / f"{request.param}-values.yaml"))
    folder = tmp_path_factory.mktemp("policy")
    entrypoint = stages()[-1].words("ENTRYPOINT")
    assert entrypoint == ["consensus"]
    command = [str(CONSENSUS), *rendered.container["args"]]
    with serving(command, mounted(rendered, folder), folder) as server:
        yield Running(rendered, server)
    assert server.exit_code == 0


def test_every_probe_finds_what_it_asks_for(running: Running) -> None:
    with grpc.insecure_channel(running.server.address) as channel:
        ask = channel.unary_unary(
            "/grpc.health.v1.Health/Check",
            request_serializer=health_pb2.HealthCheckRequest.SerializeToString,
            response_deserializer=health_pb2.HealthCheckResponse.FromString,
        )
        for name in ("startup", "readiness", "liveness"):
            service = running.rendered.container[f"{name}Probe"]["grpc"].get("service", "")
            reply = ask(health_pb2.HealthCheckRequest(service=service), timeout=SEEN_SECONDS)
            assert reply.status == health_pb2.HealthCheckResponse.SERVING, name


def test_the_policy_in_force_is_the_rendered_one(running: Running, tmp_path: Path) -> None:
    mounted(running.rendered, tmp_path)
    with grpc.insecure_channel(running.server.address) as channel:
        stub = consensus_pb2_grpc.ConsensusServiceStub(channel)
        listed = stub.ListPolicies(consensus_pb2.ListPoliciesRequest(), timeout=SEEN_SECONDS)
    checked = CliRunner().invoke(check.command, [str(tmp_path / "policies.yaml")])
    assert listed.policies
    for policy in listed.policies:
        assert f"{policy.name} {policy.revision}" in checked.output


def test_metrics_are_where_the_metrics_port_is(running: Running) -> None:
    with urllib.request.urlopen(
        f"http://{running.server.metrics}/metrics", timeout=SEEN_SECONDS
    ) as reply:
        assert b"consensus_policy_info" in reply.read()


@pytest.mark.parametrize("file", VALUES, ids=lambda file: file.stem)
def test_the_rendered_policy_is_sound(file: Path, tmp_path: Path) -> None:
    rendered = render(read_values(file))
    if not rendered.of("ConfigMap"):
        assert read_values(file)["policy"]["existingConfigMap"]
        return
    mounted(rendered, tmp_path)
    result = CliRunner().invoke(check.command, [str(tmp_path / "policies.yaml"), "--quiet"])
    assert result.exit_code == 0, result.output


@needs_sdk
@pytest.mark.parametrize("file", VALUES, ids=lambda file: file.stem)
def test_notes_name_services_ports_and_config_map_that_exist(file: Path) -> None:
    values = read_values(file)
    rendered, text = render(values), notes(values)
    services = {service["metadata"]["name"]: service for service in rendered.of("Service")}
    addresses = re.findall(rf"([\w-]+)\.{NAMESPACE}\.svc:(\d+)", text)
    assert {name for name, _ in addresses} == set(services)
    for name, port in addresses:
        assert int(port) in [entry["port"] for entry in services[name]["spec"]["ports"]]
    forwarded = re.search(r"port-forward service/([\w-]+) (\d+):(\d+) (\d+):(\d+)", text)
    assert forwarded is not None
    offered = [entry["port"] for entry in services[forwarded[1]]["spec"]["ports"]]
    assert [int(forwarded[3]), int(forwarded[5])] == offered
    assert set(re.findall(r"127\.0\.0\.1:(\d+)", text)) == {forwarded[2], forwarded[4]}
    volumes = rendered.one("Deployment")["spec"]["template"]["spec"]["volumes"]
    assert f"ConfigMap {volumes[0]['configMap']['name']}," in text
    assert ("no disruption budget" in text) == (not rendered.of("PodDisruptionBudget"))


@needs_sdk
def test_notes_tell_how_a_changed_policy_takes_effect() -> None:
    assert "needs no restart" in notes()
    assert "on SIGHUP" in notes({"policy": {"reloadSeconds": 0}})
