"""Commands as processes of their own: the demo, Ctrl-C, pipes that close, odd terminals."""

import os
import re
import signal
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from consensus.cli import demo
from tests.cli.running import COMMAND, FIRST, run, started, write


@pytest.fixture
def silent_server() -> Iterator[socket.socket]:
    """Listen, accept and never say a word."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        listening.settimeout(60)
        yield listening


@pytest.mark.parametrize("here", [True, False], ids=["here", "at a server"])
def test_an_interrupt_ends_a_judgment_without_a_traceback(
    silent_server: socket.socket, tmp_path: Path, here: bool
) -> None:
    target = f"127.0.0.1:{silent_server.getsockname()[1]}"
    panel = {"seats": [{"judge": "slow", "timeout_seconds": 100}]}
    stage = {"name": "bench", "panel": panel, "on_no_quorum": "escalate"}
    policies = {
        "version": 1,
        "judges": {"slow": {"kind": "remote", "target": target}},
        "policies": {"default": {"stages": [stage], "deadline_seconds": 100}},
    }
    file = write(tmp_path / "policy.yaml", policies)
    where = ["--policy-file", file] if here else ["--target", target]
    with started("judge", FIRST, "--timeout-seconds", "100", *where) as process:
        connection, _ = silent_server.accept()  # the call is under way
        with connection:
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err.strip()) == (130, "", "Interrupted.")


def test_an_interrupt_stops_a_server_after_it_has_drained() -> None:
    with started(
        "serve", "--listen", "127.0.0.1:0", "--metrics", "", "--drain-delay-seconds", "0"
    ) as process:
        assert process.stderr is not None
        assert '"serving"' in process.stderr.readline()
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
    assert process.returncode == 0
    assert "Traceback" not in err
    assert '"stopped"' in err


def test_the_demo_judges_two_drafts_and_stops_its_server() -> None:
    ran = run("demo")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.index("RETRY") < ran.out.index("ACCEPT")
    assert "The server has stopped." in ran.out
    (address,) = set(re.findall(r"judged at (127\.0\.0\.1:\d+)", ran.out))
    assert run("health", "--target", address).code == 4


def test_the_demo_says_why_its_server_does_not_start(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(demo, "SERVE", [*COMMAND, "serve", "--listen", "nonsense"])
    ran = run("demo")
    assert ran.code == 4
    assert "the server did not start:\nError: --listen is 'nonsense'" in ran.err


def test_a_reader_that_goes_away_leaves_no_traceback() -> None:
    read, write_end = os.pipe()
    os.close(read)
    with os.fdopen(write_end, "w") as closed:
        done = subprocess.run(
            [*COMMAND, "judge", str(FIRST)], stdout=closed, stderr=subprocess.PIPE, check=False
        )
    assert done.returncode == 4
    assert b"Traceback" not in done.stderr


def test_a_terminal_that_knows_no_bars_and_ticks_gets_some_of_its_own() -> None:
    done = subprocess.run(
        [*COMMAND, "judge", str(FIRST)],
        env={**os.environ, "PYTHONIOENCODING": "latin-1"},
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (1, b"")
    assert b"checks   |      2 | scored | #####--- 0.67" in done.stdout
    assert b"\n+ | C1 |" in done.stdout
    assert b"\nx | C2 |" in done.stdout
