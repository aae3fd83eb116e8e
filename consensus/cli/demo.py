"""`consensus demo`: a real server, two drafts over gRPC, two decisions."""

import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import anyio
import click
from rich.console import Console
from rich.text import Text

from consensus.cli import HELP, Failure
from consensus.cli.judge import judge_at
from consensus.cli.progress import JudgingProgress
from consensus.cli.reading import read_request
from consensus.cli.rendering import show

START_SECONDS = 15.0
SERVE = [
    sys.executable,
    "-m",
    "consensus",
    "serve",
    "--listen",
    "127.0.0.1:0",
    "--metrics",
    "127.0.0.1:0",
    "--drain-delay-seconds",
    "0",
]
DRAFTS = (
    ("A worker's first draft", Path(__file__).with_name("demo_first_draft.json")),
    (
        "Its second draft, mended by the feedback",
        Path(__file__).with_name("demo_second_draft.json"),
    ),
)


@click.command(context_settings=HELP)
def command() -> None:
    """Start a server on the bundled policy, judge two drafts of an answer over gRPC, stop."""
    console = Console()
    console.print(Text("Starting: consensus serve --listen 127.0.0.1:0", "bold"))
    with served() as address:
        for title, file in DRAFTS:
            console.print()
            console.rule(Text(f"{title}, judged at {address}", "bold"))
            request = read_request(file)
            console.print(Text(f"task       {request.submission.task}", "dim"))
            console.print(Text(f"candidate  {request.submission.candidate}", "dim"))
            with JudgingProgress() as progress:
                anyio.run(judge_at, address, request, 10.0, progress)
            if progress.decision is None:
                raise Failure("the stream ended without a decision")
            show(progress.decision, console)
    console.print(Text("\nThe server has stopped. Next: consensus judge --help", "bold"))


@contextmanager
def served() -> Iterator[str]:
    """Run a server on free ports of loopback while the context lasts; yields its address."""
    with subprocess.Popen(  # noqa: S603 - our own command
        SERVE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True
    ) as process:
        lines: list[str] = []
        ready = threading.Event()
        address: list[str] = []

        def follow() -> None:
            for line in process.stderr or ():
                lines.append(line)
                found = _address(line)
                if found:
                    address.append(found)
                    ready.set()
            ready.set()

        reader = threading.Thread(target=follow, daemon=True)
        reader.start()
        try:
            if not ready.wait(START_SECONDS) or not address:
                raise Failure("the server did not start:\n" + "".join(lines[-20:]))
            yield address[0]
        finally:
            process.terminate()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()


def _address(line: str) -> str:
    try:
        record = json.loads(line)
    except ValueError:
        return ""
    return str(record["address"]) if record.get("message") == "serving" else ""
