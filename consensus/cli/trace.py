"""`consensus trace`: what an agent did, out of an OTLP file, as the judges read it."""

import json
import sys
from pathlib import Path

import click

from consensus.cli import HELP, BadInput
from consensus.cli.reading import name_of
from consensus.domain.errors import TraceUnusable
from consensus.domain.trace import TraceLimits
from consensus.traces import Finds, Trace, digest, expand_trace, grep_trace
from consensus.traces.digest import FULL_TOKENS, STRUCTURE_TOKENS
from consensus.wire.otlp import Encoding, spans_from

_LIMITS = TraceLimits()


@click.command(context_settings=HELP)
@click.argument("file", type=click.Path(path_type=Path, allow_dash=True))
@click.option(
    "--expand",
    multiple=True,
    metavar="ID",
    help="Tell the span whose id begins so, 4 digits at least, whole; repeatable.",
)
@click.option("--grep", metavar="PATTERN", help="Tell where this stands, in either case.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option("--bare", is_flag=True, help="Only the tree: no header, times or list of errors.")
@click.option(
    "--tokens",
    default=FULL_TOKENS,
    show_default=True,
    type=click.IntRange(0),
    help="The largest estimate at which details are told.",
)
@click.option(
    "--structure-tokens",
    default=STRUCTURE_TOKENS,
    show_default=True,
    type=click.IntRange(1_024),
    help="The largest estimate of the tree alone.",
)
@click.option("--max-spans", default=_LIMITS.spans, show_default=True, type=click.IntRange(1))
@click.option("--max-bytes", default=_LIMITS.bytes, show_default=True, type=click.IntRange(1))
@click.option("--max-depth", default=_LIMITS.depth, show_default=True, type=click.IntRange(1))
def command(
    file: Path,
    expand: tuple[str, ...],
    grep: str | None,
    as_json: bool,
    bare: bool,
    tokens: int,
    structure_tokens: int,
    max_spans: int,
    max_bytes: int,
    max_depth: int,
) -> None:
    """Print the digest of the trace in FILE: OTLP, as protobuf or JSON (`-` reads standard input).

    With --expand or --grep, print what a judge gets who asks for that instead.

    Exits with 3 for bad input.
    """
    if expand and grep is not None:
        raise click.UsageError("--expand and --grep are two questions; ask one")
    trace = _read(file, TraceLimits(spans=max_spans, bytes=max_bytes, depth=max_depth))
    if expand:
        _answer(expand_trace(trace, expand), as_json)
    elif grep is not None:
        _answer(grep_trace(trace, grep), as_json)
    else:
        told = digest(trace, tokens, structure_tokens, bare=bare)
        size = {"spans": len(trace.spans), "tokens": told.tokens, "whole": told.whole}
        click.echo(json.dumps({"digest": told.text, **size}) if as_json else told.text)


def _answer(found: Finds, as_json: bool) -> None:
    if found.fault:
        raise BadInput(found.text.removeprefix("Error: "))
    click.echo(json.dumps({"text": found.text, "count": found.count}) if as_json else found.text)


def _read(file: Path, limits: TraceLimits) -> Trace:
    name = name_of(file)
    try:
        if str(file) == "-":
            data = sys.stdin.buffer.read(limits.bytes + 1)
        else:
            with file.open("rb") as opened:
                data = opened.read(limits.bytes + 1)
        return Trace.of(spans_from(data, Encoding.of(data), limits), limits)
    except OSError as error:
        raise BadInput(f"{name}: {error.strerror or error}") from None
    except TraceUnusable as error:
        raise BadInput(f"{name}: {error}") from None
