"""Runs `consensus` in this process or as one of its own, and serves it scripted answers."""

import contextlib
import io
import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from concurrent import futures
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import grpc
import pytest

from consensus import cli
from consensus.cli import main
from consensus.v1 import consensus_pb2, consensus_pb2_grpc

COMMAND = [sys.executable, "-m", "consensus"]
DRAFTS = Path(cli.__file__).parent
FIRST = DRAFTS / "demo_first_draft.json"
SECOND = DRAFTS / "demo_second_draft.json"


@dataclass(frozen=True, slots=True)
class Ran:
    """What a command printed, and its exit code."""

    code: int
    out: str
    err: str


class Terminal(io.TextIOWrapper):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def run(*arguments: object, stdin: str = "", terminal: bool = False, columns: int = 80) -> Ran:
    """Run a command in this process, as a shell would; `terminal`: standard error is one."""
    stream = Terminal if terminal else io.TextIOWrapper
    out, err = io.BytesIO(), io.BytesIO()
    given = io.TextIOWrapper(io.BytesIO(stdin.encode("utf-8", "surrogateescape")), "utf-8")
    with (
        io.TextIOWrapper(out, "utf-8", write_through=True) as stdout,
        stream(err, "utf-8", write_through=True) as stderr,
        pytest.MonkeyPatch.context() as patch,
        contextlib.redirect_stdout(stdout),
        contextlib.redirect_stderr(stderr),
    ):
        patch.setattr(sys, "stdin", given)
        patch.setenv("COLUMNS", str(columns))
        with pytest.raises(SystemExit) as ended:
            main([str(argument) for argument in arguments])
        ran = Ran(int(ended.value.code or 0), out.getvalue().decode(), err.getvalue().decode())
    assert "Traceback" not in ran.out + ran.err
    return ran


def started(*arguments: object, **options: Any) -> subprocess.Popen[str]:
    """Start a command as a process of its own."""
    pipe = subprocess.PIPE
    return subprocess.Popen(
        [*COMMAND, *map(str, arguments)], stdout=pipe, stderr=pipe, text=True, **options
    )


def write(file: Path, content: object) -> Path:
    """Write JSON, which is YAML too, or text as it is."""
    file.write_text(content if isinstance(content, str) else json.dumps(content), "utf-8")
    return file


class Scripted(consensus_pb2_grpc.ConsensusServiceServicer):
    """Answers StreamJudge with these events, then with an error if there is one."""

    def __init__(
        self,
        events: Sequence[consensus_pb2.StreamJudgeResponse],
        error: tuple[grpc.StatusCode, str] | None,
    ) -> None:
        self._events = events
        self._error = error

    def StreamJudge(  # noqa: N802 - the contract's name
        self, request: consensus_pb2.StreamJudgeRequest, context: grpc.ServicerContext
    ) -> Iterator[consensus_pb2.StreamJudgeResponse]:
        yield from self._events
        if self._error:
            context.abort(*self._error)


def answering(
    *events: consensus_pb2.StreamJudgeResponse, error: tuple[grpc.StatusCode, str] | None = None
) -> contextlib.AbstractContextManager[str]:
    """Serve scripted answers while the context lasts; it is the address."""
    return in_threads(Scripted(events, error))


@contextlib.contextmanager
def in_threads(servicer: consensus_pb2_grpc.ConsensusServiceServicer) -> Iterator[str]:
    """Serve in threads while the context lasts; yields the address."""
    with futures.ThreadPoolExecutor(2) as pool:
        server = grpc.server(pool)
        consensus_pb2_grpc.add_ConsensusServiceServicer_to_server(servicer, server)
        port = server.add_insecure_port("127.0.0.1:0")
        server.start()
        try:
            yield f"127.0.0.1:{port}"
        finally:
            server.stop(0).wait()
