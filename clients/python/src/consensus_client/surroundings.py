"""What surrounds a candidate: the process that wrote it, a trace of the work, the test it is in.

Only types are looked at here: the server holds the limits and names every field that breaks one.
"""

from pathlib import Path
from typing import TypeAlias

from consensus.v1.submission_pb2 import ProcessResult, Scenario, Trace
from consensus_client import expect

Spans: TypeAlias = bytes | str | Path | Trace
"""A trace: OTLP `TracesData` as protobuf (bytes) or as JSON text, a file of either, or a message.
"""


def process_result(exit_code: int = 0, stderr: str = "") -> ProcessResult:
    """Return how the process ended that wrote the candidate to its standard output.

    `stderr`: what it wrote to standard error, at most 200,000 characters.
    """
    expect.integer("exit_code", exit_code)
    expect.text("stderr", stderr)
    return ProcessResult(exit_code=exit_code, stderr=stderr)


def scenario(description: str = "", *, verdict_required: bool = False) -> Scenario:
    """Return the facts of the test that the conversation is part of.

    `description`: the situation that the simulated user plays, at most 20,000 characters.
    `verdict_required`: whether the test must end with this judgment, as in its last turn.
    """
    expect.text("description", description)
    expect.flag("verdict_required", verdict_required)
    return Scenario(description=description, verdict_required=verdict_required)


def trace(spans: Spans) -> Trace:
    """Return what the worker did, as spans; a file that begins with `{` is JSON.

    Raises OSError where the file cannot be read, UnicodeDecodeError where its JSON is not UTF-8,
    TypeError on another type.
    """
    must = "OTLP as bytes, as JSON text, as a Path or a Trace"
    expect.typed("trace", spans, bytes | str | Path | Trace, must)
    if isinstance(spans, Path):
        content = spans.read_bytes()
        spans = content.decode() if content.lstrip().startswith(b"{") else content
    if isinstance(spans, Trace):
        return spans
    if isinstance(spans, str):
        return Trace(otlp_json=spans)
    return Trace(otlp_protobuf=spans)
