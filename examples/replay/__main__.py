"""`python -m examples.replay`: five recorded judges, one server, six strategies, one table."""

import dataclasses
import json
import signal
import sys
from pathlib import Path

import anyio
import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from examples.replay.panels import STRATEGIES
from examples.replay.processes import ROOT, ReplayError
from examples.replay.prompts import JUDGES, RESPONSES, Recording, read_recording
from examples.replay.replay import Outcome, replay
from examples.replay.report import lines, show

DATA = ROOT.parent / "shared" / "data" / "rb2_pointwise.jsonl.gz"
EXIT_FAILED_SEATS = 1
EXIT_INTERRUPTED = 130


@click.command
@click.option(
    "--data",
    type=click.Path(path_type=Path),
    default=DATA,
    help="The recording.  [default: ../shared/data/rb2_pointwise.jsonl.gz]",
)
@click.option("--limit", type=click.IntRange(1), help="So many prompts, for a quick run.")
@click.option("--batch-size", type=click.IntRange(1, 1000), default=64, show_default=True)
@click.option("--groups", is_flag=True, help="A column for each group of prompts.")
@click.option("--json", "as_json", is_flag=True, help="Print the figures as JSON.")
def main(data: Path, limit: int | None, batch_size: int, groups: bool, as_json: bool) -> None:
    """Replay recorded judges through a real server and measure every strategy."""
    if not data.is_file():
        raise click.ClickException(
            f"there is no recording at {data}. Pass one with --data FILE: gzipped JSON Lines of"
            " item_id, group, prompt_id, label, judge_id and samples (examples/README.md)."
        )
    recording = read_recording(data, limit)
    if not recording.prompts:
        judges = ", ".join(JUDGES)
        raise click.ClickException(f"{data} holds no prompt that all of {judges} have judged")
    try:
        outcomes = anyio.run(_watched, recording, data, batch_size)
    except* ReplayError as errors:
        raise click.ClickException(str(_first(errors))) from None
    if as_json:
        found = [dataclasses.asdict(line) for line in lines(recording, outcomes)]
        click.echo(json.dumps(found, indent=2))
    else:
        show(recording, outcomes, Console(), groups=groups)
    if any(outcome.failed for outcome in outcomes):
        sys.exit(EXIT_FAILED_SEATS)


async def _watched(recording: Recording, data: Path, batch_size: int) -> list[Outcome]:
    """Replay under a progress bar; SIGTERM and Ctrl-C stop what was started, then leave."""
    total = len(recording.prompts) * RESPONSES * len(STRATEGIES)
    outcomes: list[Outcome] = []
    with Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
    ) as progress:
        line = progress.add_task("starting five judges and a server", total=total)

        def advance(strategy: str, count: int) -> None:
            progress.update(line, description=strategy, advance=count)

        async with anyio.create_task_group() as group:
            with anyio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:

                async def stop() -> None:
                    async for _ in signals:
                        group.cancel_scope.cancel()

                group.start_soon(stop)
                outcomes = await replay(recording, data, batch_size=batch_size, advance=advance)
                group.cancel_scope.cancel()
    if not outcomes:
        click.echo("Interrupted; judges and server are stopped.", err=True)
        sys.exit(EXIT_INTERRUPTED)
    return outcomes


def _first(errors: BaseExceptionGroup[ReplayError]) -> BaseException:
    """Return the first error inside nested groups."""
    error: BaseException = errors
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


if __name__ == "__main__":
    main()
