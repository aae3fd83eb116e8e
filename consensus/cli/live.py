"""`consensus check --live`: every backend is asked, beside what the policy file says of it."""

from itertools import groupby

import anyio
import click
from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TaskID, TextColumn, TimeElapsedColumn

from consensus.bench import models, remote_judges
from consensus.cascade.admission import plain
from consensus.cli import live_judges, live_models
from consensus.domain.judges import BackendSpec, JudgeSpec
from consensus.domain.policy import PolicySet
from consensus.judges.llm.probe import Probe, probe
from consensus.judges.remote import Backends
from consensus.judges.remote.describe import Description, describe


def check_live(policies: PolicySet, quiet: bool) -> int:
    """Ask every model what it accepts and every remote judge what it is, print a table for each,
    and return the exit code.

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
    asking = _Asking(policies, progress)
    with progress:
        anyio.run(asking.run)
    if not quiet:
        for found in asking.probes:
            live_models.show(found, Console())
        for said in asking.descriptions:
            live_judges.show(said, Console())
    return _verdict(asking.probes, asking.descriptions, quiet)


class _Asking:
    """Asks all backends beside each other; the models of one, which it may have to load, in turn.

    Answers are kept in the order of the file.
    """

    def __init__(self, policies: PolicySet, progress: Progress) -> None:
        self._models = models(policies)
        self._judges = remote_judges(policies)
        self._progress = progress
        self._probes: dict[tuple[str, str], Probe] = {}
        self._descriptions: dict[str, Description] = {}

    @property
    def probes(self) -> list[Probe]:
        return [self._probes[spec.name, model] for spec, model in self._models]

    @property
    def descriptions(self) -> list[Description]:
        return [self._descriptions[spec.name] for spec in self._judges]

    async def run(self) -> None:
        """Ask."""
        backends = Backends()
        by_backend = sorted(self._models, key=lambda asked: asked[0].name)
        async with anyio.create_task_group() as group:
            for _, of_one in groupby(by_backend, key=lambda asked: asked[0].name):
                group.start_soon(self._probe_each, list(of_one))
            for spec in self._judges:
                group.start_soon(self._describe, spec, backends)

    async def _probe_each(self, asked: list[tuple[BackendSpec, str]]) -> None:
        for spec, model in asked:
            name = plain(f"{spec.name} / {model}", 60)
            line = self._progress.add_task(name, total=None)

            def told(what: str, name: str = name, line: TaskID = line) -> None:
                self._progress.update(line, description=f"{name}: {what}")

            self._probes[spec.name, model] = await probe(spec, model, told)
            self._progress.remove_task(line)

    async def _describe(self, spec: JudgeSpec, backends: Backends) -> None:
        name = plain(f"{spec.name} at {spec.target}", 60)
        line = self._progress.add_task(f"{name}: DescribeJudge", total=None)
        self._descriptions[spec.name] = await describe(spec, backends)
        self._progress.remove_task(line)


def _verdict(probes: list[Probe], descriptions: list[Description], quiet: bool) -> int:
    faults = [fault for found in probes for fault in live_models.faults(found)]
    faults += [fault for said in descriptions for fault in live_judges.faults(said)]
    for _, words in faults:
        click.secho(words, fg="red", err=True)
    if not probes and not descriptions:
        click.secho("No judge asks a model or a server: nothing to try.", fg="yellow", err=True)
    elif not faults and not quiet:
        if probes:
            click.secho("Every model accepts what the file claims.", fg="green")
        if descriptions:
            click.secho("Every remote judge was reached.", fg="green")
    return min((code for code, _ in faults), default=0)  # what is lacking outweighs a failure
