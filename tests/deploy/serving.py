"""Runs a serve command as a container would, on loopback, and stops it."""

import json
import signal
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

STOP_SECONDS = 30


@dataclass(slots=True)
class Serving:
    """A server that serves, and how it ended."""

    address: str
    metrics: str
    exit_code: int | None = None


@contextmanager
def serving(
    command: Sequence[str], environment: Mapping[str, str], folder: Path = Path("/")
) -> Iterator[Serving]:
    """Serve until the context ends. `environment` is all there is, but for the addresses."""
    loopback = {
        "CONSENSUS_SERVE_LISTEN": "127.0.0.1:0",
        "CONSENSUS_SERVE_METRICS": "127.0.0.1:0",
        "CONSENSUS_SERVE_DRAIN_DELAY_SECONDS": "0",
    }
    with subprocess.Popen(
        command,
        env={**environment, **loopback},
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            said = []
            for line in process.stderr or ():
                said.append(line)
                record = json.loads(line) if line.startswith("{") else {}
                if record.get("message") == "serving":
                    break
            else:
                raise AssertionError("the server did not start:\n" + "".join(said))
            found = Serving(record["address"], record["metrics"])
            yield found
            process.send_signal(signal.SIGTERM)
            process.communicate(timeout=STOP_SECONDS)
            found.exit_code = process.returncode
        finally:
            process.kill()
