"""Code: runs with its test in namespaces of its own, and must come to the end of both.

bubblewrap leaves it the interpreter's files, read-only, an empty work directory in memory, no
network, no variable and nobody else's process; prlimit bounds what it takes, a filter of system
calls keeps it one process. It is killed with all that it holds when its time is over.
"""

import asyncio
import contextlib
import math
import os
import secrets
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

from consensus.domain.ports import Proof
from consensus.domain.sandbox import CodeRules
from consensus.domain.submission import CodeRun
from consensus.sandbox.process import Ended, run
from consensus.sandbox.seccomp import program

MAX_OUTPUT = 64 << 10
"""Most bytes of errors that are read; more ends the run."""
_MAX_FILE = 8 << 20
_MAX_FILES = 64
_SHOWN = 200
_DRIVER = """\
import os, sys, types
def drive():
    token = sys.stdin.buffer.read()
    out = os.dup(1)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    module = sys.modules["__main__"] = types.ModuleType("__main__")
    for name in ("answer.py", "test.py"):
        with open(name, encoding="utf-8", errors="replace") as source:
            code = compile(source.read(), name, "exec")
        exec(code, module.__dict__)
    sys.stdout.flush()
    os.write(out, token)
drive()
"""
"""Runs both and then gives back what it was told, which code that only ends early cannot."""


class CodeProver:
    """Runs code by rules."""

    def __init__(self, rules: CodeRules) -> None:
        """Start nothing yet. Must run inside the event loop."""
        self._rules = rules
        self._places = asyncio.Semaphore(rules.concurrency)

    async def prove(self, check: CodeRun, code: str) -> Proof:
        """Run the code, then the test; killed when cancelled. Raises OSError."""
        token = secrets.token_hex(16).encode()
        async with self._places:
            with _files(code.encode("utf-8", "replace"), check.test.encode("utf-8", "replace"),
                        program()) as fds:  # fmt: skip
                ended = await run(
                    self._command(*fds),
                    given=token,
                    seconds=self._rules.timeout_seconds,
                    most_bytes=MAX_OUTPUT,
                    fds=fds,
                )
        if ended.code == 0 and ended.out == token:
            first = next((line for line in code.splitlines() if line.strip()), "")
            return Proof(True, "it ran to its end", (first.strip(),))
        return Proof(False, self._fault(ended))

    def _fault(self, ended: Ended) -> str:
        if ended.late:
            return f"it ran longer than {self._rules.timeout_seconds:g} s"
        if ended.code is None:
            return "it wrote too much"
        words = ended.err.decode("utf-8", "replace").strip()
        if words.startswith(("bwrap:", "prlimit:")):
            return "it was not verified: the sandbox cannot be set up on this machine"
        if ended.code == 0:
            return "it ended before its test did"
        last = words.rpartition("\n")[2][:_SHOWN]
        return f"it ended with exit code {ended.code}" + (f": {last}" if last else "")

    def _command(self, code: int, test: int, calls: int) -> list[str]:
        python = _interpreter()
        rules = self._rules
        readable = ["/usr", "/lib", "/lib64", "/bin", "/etc/ld.so.cache", "/etc/alternatives"]
        if not python.is_relative_to("/usr"):
            readable.append(str(Path(sys.base_prefix).resolve()))
        return [
            _found("bwrap"),
            *("--unshare-user", "--unshare-all", "--die-with-parent", "--new-session"),
            "--as-pid-1",  # bwrap does not wait for a process of its own in between
            *("--uid", "65534", "--gid", "65534", "--hostname", "sandbox"),
            *("--cap-drop", "ALL", "--clearenv"),
            *("--setenv", "PATH", "/usr/bin:/bin", "--setenv", "LANG", "C.UTF-8"),
            *("--setenv", "HOME", "/box"),
            *(part for path in readable for part in ("--ro-bind-try", path, path)),
            *("--proc", "/proc", "--dev", "/dev"),
            *("--size", "65536", "--tmpfs", "/dev/shm", "--remount-ro", "/dev"),  # noqa: S108
            *("--size", str(rules.disk_bytes), "--tmpfs", "/box"),
            *("--ro-bind-data", str(code), "/box/answer.py"),
            *("--ro-bind-data", str(test), "/box/test.py"),
            # A server that runs as root owns the kernel's switches in there, in any namespace.
            *("--remount-ro", "/proc"),
            *("--remount-ro", "/", "--chdir", "/box", "--seccomp", str(calls)),
            *("--", _found("prlimit")),
            f"--as={rules.memory_bytes}",
            f"--cpu={math.ceil(rules.timeout_seconds)}",
            f"--fsize={min(_MAX_FILE, rules.disk_bytes)}",
            f"--nofile={_MAX_FILES}",
            *("--core=0", "--memlock=0", "--msgqueue=0", "--"),
            *(str(python), "-I", "-S", "-B", "-X", "utf8", "-c", _DRIVER),
        ]


def _found(name: str) -> str:
    """Return where a program is. Raises OSError."""
    path = shutil.which(name)
    if path is None:
        raise FileNotFoundError(name)
    return path


def _interpreter() -> Path:
    """Return the interpreter itself, not a virtual environment's link to it."""
    return Path(getattr(sys, "_base_executable", "") or sys.executable).resolve()


@contextlib.contextmanager
def _files(*contents: bytes) -> Iterator[list[int]]:
    """Yield a descriptor for each content, in memory."""
    fds: list[int] = []
    try:
        for content in contents:
            fd = os.memfd_create("sandbox")
            fds.append(fd)
            with open(fd, "wb", closefd=False) as file:
                file.write(content)
            os.lseek(fd, 0, os.SEEK_SET)
        yield fds
    finally:
        for fd in fds:
            os.close(fd)
