"""`consensus serve`: flags and environment become settings; what cannot be served is a sentence."""

import socket
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from consensus.cli import serve
from consensus.config import Settings
from consensus.domain.policy import PolicySet
from consensus.telemetry.recorder import Recorder
from tests.cli.running import run, write

Ready = Callable[[str, str], None]


class FakeApp:
    """Takes the place of the server process and keeps its settings."""

    made: list["FakeApp"]

    def __init__(self, settings: Settings, policies: PolicySet, recorder: Recorder) -> None:
        self.settings = settings
        self.policies = policies
        self.made.append(self)

    async def run(self, ready: Ready | None = None) -> None:
        if ready:
            ready("127.0.0.1:50051", self.settings.metrics)


@pytest.fixture
def apps(monkeypatch: pytest.MonkeyPatch) -> list[FakeApp]:
    FakeApp.made = []
    monkeypatch.setattr(serve, "App", FakeApp)
    return FakeApp.made


def test_flags_become_settings(apps: list[FakeApp]) -> None:
    flags = "--listen 127.0.0.1:0 --max-inflight 7 --reload-seconds 0 --no-reflection"
    assert run("serve", *flags.split()).code == 0
    expected = Settings(listen="127.0.0.1:0", max_inflight=7, reload_seconds=0.0, reflection=False)
    assert apps[0].settings == expected
    assert list(apps[0].policies.policies) == ["default"]


def test_the_environment_sets_what_no_flag_does(
    apps: list[FakeApp], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CONSENSUS_SERVE_MAX_INFLIGHT", "7")
    monkeypatch.setenv("CONSENSUS_SERVE_LISTEN", "127.0.0.1:1")
    assert run("serve", "--listen", "127.0.0.1:2").code == 0
    assert apps[0].settings == Settings(listen="127.0.0.1:2", max_inflight=7)
    monkeypatch.setenv("CONSENSUS_SERVE_MAX_INFLIGHT", "many")
    assert run("serve").code == 3


@pytest.mark.parametrize(("said", "audit"), [("true", True), ("false", False), ("", False)])
def test_the_audit_is_on_by_flag_or_environment_and_off_else(
    apps: list[FakeApp], monkeypatch: pytest.MonkeyPatch, said: str, audit: bool
) -> None:
    assert run("serve", "--audit").code == 0
    monkeypatch.setenv("CONSENSUS_SERVE_AUDIT", said)
    assert run("serve").code == 0
    assert [app.settings.audit for app in apps] == [True, audit]


def test_without_flags_the_defaults_hold_and_help_shows_them(apps: list[FakeApp]) -> None:
    assert run("serve").code == 0
    assert apps[0].settings == Settings()
    assert "default: 127.0.0.1:50051" in " ".join(run("serve", "--help").out.split())


def test_a_person_at_a_terminal_is_greeted(apps: list[FakeApp]) -> None:
    assert run("serve").err == ""
    greeting = run("serve", "--metrics", "127.0.0.1:9090", terminal=True).err
    assert "Serving on 127.0.0.1:50051" in greeting
    assert "policies  default (default: default)" in greeting
    assert "http://127.0.0.1:9090/metrics" in greeting
    assert "metrics" not in run("serve", "--metrics", "", terminal=True).err


@pytest.mark.parametrize(
    ("flag", "address"),
    [
        ("--listen", "0.0.0.0:0"),
        ("--listen", "[::]:0"),
        ("--listen", "judges.example.com:50051"),
        ("--listen", "192.0.2.1:50051"),
        ("--metrics", "0.0.0.0:9090"),
    ],
)
def test_an_address_that_others_can_reach_is_refused_without_expose(
    apps: list[FakeApp], flag: str, address: str
) -> None:
    ran = run("serve", flag, address)
    assert ran.code == 3
    assert ran.err.startswith(f"Error: {flag} is {address}, which other hosts can reach")
    assert "Add --expose if" in ran.err
    assert apps == []
    assert run("serve", flag, address, "--expose").code == 0


@pytest.mark.parametrize("address", ["127.0.0.1:0", "[::1]:0", "localhost:1", "unix:/run/socket"])
def test_loopback_needs_no_expose(apps: list[FakeApp], address: str) -> None:
    assert run("serve", "--listen", address).code == 0


@pytest.mark.parametrize(
    "address", ["nonsense", "127.0.0.1", "127.0.0.1:99999", "127.0.0.1:-1", "50051", ":50051"]
)
def test_an_address_that_is_none_is_refused(apps: list[FakeApp], address: str) -> None:
    ran = run("serve", "--listen", address)
    assert ran.code == 3
    assert f"--listen is {address!r}; must be HOST:PORT" in ran.err


def test_a_policy_file_that_is_at_fault_is_refused(apps: list[FakeApp], tmp_path: Path) -> None:
    ran = run("serve", "--policy-file", write(tmp_path / "policy.yaml", "policies: 7"))
    assert ran.code == 3
    assert "policy.yaml:1: policies:" in ran.err
    assert apps == []


@pytest.fixture
def taken() -> Iterator[str]:
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen()
        yield f"127.0.0.1:{listening.getsockname()[1]}"


def test_a_port_that_is_taken_is_a_failure_in_a_sentence(taken: str) -> None:
    ran = run("serve", "--listen", taken, "--metrics", "")
    assert (ran.code, ran.out) == (4, "")
    assert ran.err.splitlines()[-1] == f"Error: cannot listen on {taken}: is the port taken?"


def test_a_metrics_port_that_is_taken_is_one_too(taken: str) -> None:
    ran = run("serve", "--listen", "127.0.0.1:0", "--metrics", taken)
    assert ran.code == 4
    assert ran.err.splitlines()[-1].startswith("Error: ")
    assert "in use" in ran.err
