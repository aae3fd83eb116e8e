"""Code: what runs to its end holds; what it tries besides gets it nowhere."""

import asyncio
import ctypes
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from consensus.domain.ports import Proof
from consensus.domain.sandbox import CodeRules
from consensus.domain.submission import CodeRun
from consensus.sandbox import code as module
from consensus.sandbox.code import CodeProver
from consensus.sandbox.seccomp import program
from tests.sandbox.trial import needs_bubblewrap

ADD = "def add(a, b):\n    return a + b"
REFUSED = "Operation not permitted"


async def proof(code: str, test: str = "", **rules: float) -> Proof:
    prover = CodeProver(CodeRules(**{"timeout_seconds": 20.0, **rules}))  # type: ignore[arg-type]
    return await prover.prove(CodeRun("python", test), code)


@needs_bubblewrap
@pytest.mark.parametrize(
    ("code", "test"),
    [
        (ADD, "assert add(2, 3) == 5"),
        ("import json, re, dataclasses, decimal, sqlite3, threading", ""),
        ("import threading as t; a = t.Thread(target=print); a.start(); a.join()", ""),
        ("open('notes.txt', 'w').write('x')", "assert open('notes.txt').read() == 'x'"),
        ("if __name__ == '__main__': made = 1", "assert made"),
        ("print('x' * 1_000_000)", ""),
        ("name = 'Çédille'", "assert len(name) == 7"),
    ],
)
async def test_code_that_runs_to_its_end_holds(code: str, test: str) -> None:
    found = await proof(code, test)
    assert found.passed, found.message
    assert found.quotes == (code.splitlines()[0],)


@needs_bubblewrap
@pytest.mark.parametrize(
    ("code", "test", "seen"),
    [
        (ADD, "assert add(2, 3) == 6, add(2, 3)", "exit code 1: AssertionError: 5"),
        ("def f(:", "", "SyntaxError"),
        ("raise SystemExit(0)", "assert False", "ended before its test did"),
        ("import os; os._exit(0)", "assert False", "ended before its test did"),
        ("import sys; sys.exit(3)", "", "exit code 3"),
        ("import sys\nwhile True: sys.stderr.write('x' * 10_000)", "", "wrote too much"),
    ],
)
async def test_code_that_does_not_come_to_its_end_does_not_hold(
    code: str, test: str, seen: str
) -> None:
    found = await proof(code, test)
    assert not found.passed
    assert seen in found.message


def _libc(call: str) -> str:
    """Return code that calls the C library and raises what it answers."""
    failed = f"if library.{call} < 0: raise OSError(c.get_errno(), os.strerror(c.get_errno()))"
    return f"import ctypes as c, os\nlibrary = c.CDLL(None, use_errno=True)\n{failed}"


@needs_bubblewrap
@pytest.mark.parametrize(
    ("code", "seen"),
    [
        ("import socket; socket.create_connection(('1.1.1.1', 80), 1)", "unreachable"),
        ("import socket; socket.create_connection(('127.0.0.1', 80), 1)", "refused"),
        ("open('/etc/passwd')", "No such file"),
        ("open('/etc/shadow')", "No such file"),
        ("open('/usr/x', 'w')", "Read-only"),
        ("open('/x', 'w')", "Read-only"),
        ("open('/dev/x', 'w')", "Read-only"),
        ("open('answer.py', 'w')", "Read-only"),
        ("open('/proc/sys/kernel/core_pattern', 'w')", "Read-only"),
        ("open('/proc/self/oom_score_adj', 'w')", "Read-only"),
        ("import os; os.fork()", REFUSED),
        ("import subprocess; subprocess.run(['true'])", REFUSED),
        ("x = 'x' * 10**9", "MemoryError"),
        ("open('x', 'w').write('x' * 10**7)", "too large"),
        ("for n in range(99): open(str(n), 'w').write('x' * 10**6)", "No space"),
        ("files = [open('x', 'w') for _ in range(99)]", "Too many open files"),
        ("import os; os.memfd_create('x')", REFUSED),
        (_libc("shmget(0, 9, 0o1600)"), REFUSED),
        (_libc("unshare(0x10000000)"), REFUSED),
    ],
    ids=["network", "loopback", "passwd", "shadow", "usr", "root", "dev", "own file",
         "kernel switches", "own process", "fork",
         "subprocess", "memory", "file size", "disk", "files", "memfd", "shared memory",
         "namespace"],
)  # fmt: skip
async def test_what_code_tries_besides_gets_it_nowhere(code: str, seen: str) -> None:
    found = await proof(code)
    assert not found.passed
    assert seen in found.message


@needs_bubblewrap
async def test_nothing_of_the_server_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET_OF_THE_SERVER", "x")
    code = "import os; seen = sorted(os.environ), os.getuid(), os.listdir('/box')"
    test = "\n".join(
        [
            "assert 'SECRET_OF_THE_SERVER' not in seen[0], seen",
            "assert seen[1] == 65534",
            "assert sorted(seen[2]) == ['answer.py', 'test.py']",
            f"assert not os.path.exists({str(Path(__file__))!r})",
            f"assert not os.path.exists('/proc/{os.getpid()}')",
            "assert len([p for p in os.listdir('/proc') if p.isdigit()]) <= 2",
        ]
    )
    found = await proof(code, test)
    assert found.passed, found.message


@needs_bubblewrap
@pytest.mark.parametrize("code", ["while True: pass", "import time; time.sleep(99)"])
async def test_code_that_takes_too_long_is_killed(code: str) -> None:
    found = await proof(code, timeout_seconds=0.2)
    assert (found.passed, found.message) == (False, "it ran longer than 0.2 s")


@needs_bubblewrap
async def test_code_is_killed_when_nobody_waits(tmp_path: Path) -> None:
    prover = CodeProver(CodeRules(timeout_seconds=60.0, concurrency=1))
    task = asyncio.create_task(prover.prove(CodeRun("python"), "import time; time.sleep(99)"))
    await asyncio.sleep(0.05)
    task.cancel()
    async with asyncio.timeout(10):
        await asyncio.gather(task, return_exceptions=True)
        assert task.cancelled()
        assert (await prover.prove(CodeRun("python"), "x = 1")).passed, "the place is free again"


@pytest.fixture
def as_process_1() -> Iterator[None]:
    """Inherit what nobody waits for, as the first process of a container does."""
    library, be_reaper = ctypes.CDLL(None), 36
    assert library.prctl(be_reaper, 1, 0, 0, 0) == 0
    yield
    library.prctl(be_reaper, 0, 0, 0, 0)


def children() -> set[str]:
    return {
        child
        for thread in Path("/proc/self/task").iterdir()
        for child in (thread / "children").read_text().split()
    }


@needs_bubblewrap
@pytest.mark.usefixtures("as_process_1")
async def test_nothing_is_left_behind_whenever_code_is_killed() -> None:
    before = children()
    prover = CodeProver(CodeRules(timeout_seconds=60.0, concurrency=2))
    for steps in range(0, 60, 3):
        for code in ("import time; time.sleep(99)", "while True: print(1)"):
            task = asyncio.create_task(prover.prove(CodeRun("python"), code))
            for _ in range(steps):
                await asyncio.sleep(0.0005)
            task.cancel()
            await asyncio.wait([task], timeout=20)
            assert task.cancelled()
    assert (await prover.prove(CodeRun("python"), "x = 1")).passed, "the places are free again"
    assert not (await proof("while True: pass", timeout_seconds=0.2)).passed
    assert children() == before


async def test_a_sandbox_that_cannot_be_set_up_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = tmp_path / "bwrap"
    broken.write_text(
        "#!/bin/sh\necho 'bwrap: No permissions to create new namespace' >&2\nexit 1\n"
    )
    broken.chmod(0o755)
    monkeypatch.setattr(module.shutil, "which", lambda name: str(broken))
    found = await proof("x = 1")
    assert (found.passed, found.message) == (
        False,
        "it was not verified: the sandbox cannot be set up on this machine",
    )


async def test_a_program_that_has_gone_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module.shutil, "which", lambda name: None)
    with pytest.raises(OSError, match="bwrap"):
        await proof("x = 1")


@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
def test_the_filter_is_whole_instructions_that_end_in_leave(machine: str) -> None:
    filtering = program(machine)
    assert len(filtering) % 8 == 0
    assert filtering[-8:] == bytes([6, 0, 0, 0, 0, 0, 0xFF, 0x7F])
