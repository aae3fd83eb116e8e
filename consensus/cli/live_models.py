"""What a model accepts, beside what the policy file claims, for people."""

from collections.abc import Iterator

from rich.console import Console
from rich.text import Text

from consensus.cascade.admission import plain
from consensus.cli import EXIT_FAILURE, EXIT_USAGE
from consensus.cli.texts import said, table_of
from consensus.judges.llm.probe import Found, Probe

_COLOURS = {Found.ACCEPTED: "green", Found.UNKNOWN: "yellow"}


def show(found: Probe, console: Console) -> None:
    """Print what was found out about one model."""
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


def faults(found: Probe) -> Iterator[tuple[int, str]]:
    """Yield an exit code and what is wrong, on one line, for each fault."""
    name = plain(f"{found.spec.name} / {found.model}", 200)
    if found.trouble:
        yield EXIT_FAILURE, f"{name}: {found.trouble}"
    for lacking in found.contradictions:
        words = f"the file claims {lacking}, the backend says: {found.found[lacking].value}"
        yield EXIT_USAGE, f"{name}: {words}"


def _row(found: Probe, name: str, outcome: Found) -> tuple[Text, ...]:
    claimed = "claims it" if name in found.claims else "-"
    colour = _COLOURS.get(outcome, "dim")
    if name in found.contradictions:
        return tuple(Text(words, "bold red") for words in ("✗", name, outcome.value, claimed))
    mark = Text("✓", "green") if outcome is Found.ACCEPTED else Text("")
    return mark, Text(name), Text(outcome.value, colour), Text(claimed)
