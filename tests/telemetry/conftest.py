"""A recorder with a registry of its own, and a way to look its values up."""

from collections.abc import Callable

import pytest
from prometheus_client import CollectorRegistry

from consensus.telemetry.recorder import Recorder


@pytest.fixture
def recorder() -> Recorder:
    return Recorder(CollectorRegistry())


@pytest.fixture
def value(recorder: Recorder) -> Callable[..., float | None]:
    """Look a value up; None where there is none yet."""

    def look_up(name: str, **labels: str) -> float | None:
        return recorder.registry.get_sample_value(name, labels)

    return look_up
