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

from examples.interruptible import EXIT_INTERRUPTED, Interruptible
from examples.replay.option import complete_prompts, data_option
from examples.replay.panels import STRATEGIES
from examples.replay.processes import ReplayError
from examples.replay.prompts import RESPONSES, Recording
from examples.replay.replay import Outcome, replay
from examples.replay.report import lines, show

EXIT_FAILED_SEATS = 1


@click.command(cls=Interruptible)
@data_option
@click.option("--limit", type=click.IntRange(1), help="So many prompts, for a quick run.")
@click.option("--batch-size", type=click.IntRange(1, 1000), default=64, show_default=True)
@click.option("--groups", is_flag=True, help="A column for each group of prompts.")
@click.option("--json", "as_json", is_flag=True, help="Print the figures as JSON.")
def main(data: Path, limit: int | None, batch_size: int, groups: bool, as_json: bool) -> None:
    """Replay recorded judges through a real server and measure every strategy."""
    recording = complete_prompts(data, limit)
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
