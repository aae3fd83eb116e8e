"""`consensus check --live`: what every model accepts, beside what the policy file claims."""

import anyio
import click
from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TaskID, TextColumn, TimeElapsedColumn
from rich.text import Text

from consensus.bench import models
from consensus.cascade.admission import plain
from consensus.cli import EXIT_FAILURE, EXIT_USAGE
from consensus.cli.texts import said, table_of
from consensus.domain.policy import PolicySet
from consensus.judges.llm.probe import Found, Probe, probe

_COLOURS = {Found.ACCEPTED: "green", Found.UNKNOWN: "yellow"}


def check_live(policies: PolicySet, quiet: bool) -> int:
    """Try every model that a judge asks, print a table for each, and return the exit code.

    3 where a backend lacks what the file claims, 4 where one cannot be asked, else 0. `quiet`:
    print only what is wrong.
    """
    console = Console(stderr=True)
    progress = Progress(
        SpinnerColumn(),
        TextColumn("{task.description}", markup=False),
        TimeElapsedColumn(),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    )
    with progress:
        probes = anyio.run(_probe_all, policies, progress)
    if not quiet:
        for found in probes:
            _show(found, Console())
    return _verdict(probes, quiet)


async def _probe_all(policies: PolicySet, progress: Progress) -> list[Probe]:
    probes = []
    for spec, model in models(policies):
        name = plain(f"{spec.name} / {model}", 60)
        line = progress.add_task(name, total=None)

        def told(what: str, name: str = name, line: TaskID = line) -> None:
            progress.update(line, description=f"{name}: {what}")

        probes.append(await probe(spec, model, told))
        progress.remove_task(line)
    return probes


def _show(found: Probe, console: Console) -> None:
    console.print(said(f"{found.spec.name} / {found.model}", "bold"))
    console.print(said(f"{found.spec.kind} at {found.spec.base_url}", "dim"))
    if found.trouble:
        reached = "reached" if found.reachable else "not reached"
        console.print(said(f"{reached}: {found.trouble}", "red"), Text(), sep="\n")
        return
    table = table_of("", "capability", "backend", "file")
    for name, outcome in found.found.items():
        table.add_row(*_row(found, name, outcome))
    console.print(table, Text(), sep="\n")


def _row(found: Probe, name: str, outcome: Found) -> tuple[Text, ...]:
    claimed = "claims it" if name in found.claims else "-"
    colour = _COLOURS.get(outcome, "dim")
    if name in found.contradictions:
        return tuple(Text(words, "bold red") for words in ("✗", name, outcome.value, claimed))
    mark = Text("✓", "green") if outcome is Found.ACCEPTED else Text("")
    return mark, Text(name), Text(outcome.value, colour), Text(claimed)


def _verdict(probes: list[Probe], quiet: bool) -> int:
    code = 0
    for found in probes:
        name = plain(f"{found.spec.name} / {found.model}", 200)
        if found.trouble:
            click.secho(f"{name}: {found.trouble}", fg="red", err=True)
            code = code or EXIT_FAILURE
        for lacking in found.contradictions:
            words = f"the file claims {lacking}, the backend says: {found.found[lacking].value}"
            click.secho(f"{name}: {words}", fg="red", err=True)
            code = EXIT_USAGE
    if not probes:
        click.secho("No judge asks a model: nothing to try.", fg="yellow", err=True)
    elif not code and not quiet:
        click.secho("Every model accepts what the file claims.", fg="green")
    return code
