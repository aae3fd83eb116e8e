"""Renders the chart: with `helm` where it is on PATH, else with the Helm SDK for Python."""

import importlib.util
import json
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

CHART = Path(__file__).parents[2] / "helm" / "consensus"
VALUES = sorted((CHART / "ci").glob("*-values.yaml"))
RELEASE, NAMESPACE = "demo", "prod"
KUBERNETES = "1.33"

Manifest = dict[str, Any]
Values = Mapping[str, Any]

_HELM = shutil.which("helm")
_SDK = importlib.util.find_spec("helm_python") is not None
needs_helm = pytest.mark.skipif(
    not (_HELM or _SDK), reason="neither helm nor the package helm-python-sdk is installed"
)
needs_sdk = pytest.mark.skipif(not _SDK, reason="the package helm-python-sdk is not installed")


class RefusedError(Exception):
    """Helm would not render: the schema or a `fail` said no."""


@dataclass(frozen=True, slots=True)
class Rendered:
    """What one set of values renders to."""

    manifests: list[Manifest]

    def one(self, kind: str, name: str = "") -> Manifest:
        """Return the only manifest of this kind, and of this name where one is given."""
        found = [m for m in self.of(kind) if not name or m["metadata"]["name"] == name]
        assert len(found) == 1, f"{len(found)} of kind {kind}"
        return found[0]

    def of(self, kind: str) -> list[Manifest]:
        """Return every manifest of this kind."""
        return [manifest for manifest in self.manifests if manifest["kind"] == kind]

    @property
    def container(self) -> Manifest:
        """The deployment's only container."""
        containers = self.one("Deployment")["spec"]["template"]["spec"]["containers"]
        assert len(containers) == 1
        found: Manifest = containers[0]
        return found

    @property
    def environment(self) -> dict[str, str]:
        """The container's variables."""
        return {entry["name"]: entry["value"] for entry in self.container["env"]}


def read_values(file: Path) -> Values:
    """Return a file of values."""
    found: Values = yaml.safe_load(file.read_text("utf-8"))
    return found


def render(values: Values | None = None) -> Rendered:
    """Render the chart. Raises RefusedError."""
    texts = _by_helm(_HELM, values or {}) if _HELM else _by_sdk(values or {})
    documents = (document for text in texts for document in yaml.safe_load_all(text))
    return Rendered([document for document in documents if document])


def notes(values: Values | None = None) -> str:
    """Return what a user reads after installing; `helm template` keeps it to itself."""
    return next(text for file, text in _sdk(values or {}).items() if file.endswith("NOTES.txt"))


def _by_helm(helm: str, values: Values) -> list[str]:
    command = [helm, "template", RELEASE, str(CHART), "--namespace", NAMESPACE, "--values", "-"]
    command += ["--kube-version", f"{KUBERNETES}.0"]
    done = subprocess.run(command, input=json.dumps(values), capture_output=True, text=True)
    if done.returncode:
        raise RefusedError(done.stderr)
    return [done.stdout]


def _by_sdk(values: Values) -> list[str]:
    return [text for file, text in _sdk(values).items() if file.endswith((".yaml", ".yml"))]


def _sdk(values: Values) -> dict[str, str]:
    import helm_python

    try:
        with helm_python.Chart.load(CHART) as chart:
            found: dict[str, str] = chart.render(dict(values), name=RELEASE, namespace=NAMESPACE)
            return found
    except helm_python.HelmError as error:
        raise RefusedError(str(error)) from None
