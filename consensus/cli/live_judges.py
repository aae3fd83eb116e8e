"""What a remote judge says that it is, beside what the policy file asks for, for people."""

from collections.abc import Iterator

from rich.console import Console
from rich.text import Text

from consensus.cascade.admission import plain
from consensus.cli import EXIT_FAILURE, EXIT_USAGE
from consensus.cli.texts import WHOLE_FROM, said, table_of
from consensus.domain.judges import JudgeSpec
from consensus.judges.remote.describe import MAX_WORDS, Description, Standing

REVISION = len("sha256:0123456789abcdef")
"""Columns of a revision, which stays on one line where there is room."""


def show(found: Description, console: Console) -> None:
    """Print what one judge said of itself."""
    spec = found.spec
    console.print(said(spec.name, "bold"))
    console.print(said(f"{spec.kind} at {spec.target}{' with TLS' if spec.tls else ''}", "dim"))
    if found.standing is not Standing.DESCRIBED:
        reached = "not reached" if found.standing is Standing.UNREACHED else "reached"
        colour = "yellow" if found.standing is Standing.SILENT else "red"
        console.print(said(f"{reached}: {_trouble(found)}", colour), Text(), sep="\n")
        return
    table = table_of("", "says its", "backend", "file")
    if console.width >= WHOLE_FROM:
        table.columns[2].min_width = REVISION
    table.add_row(Text("✓", "green"), "judge", _told(found.judge), _wanted(spec))
    for name in ("kind", "description", "revision"):
        table.add_row("", name, _told(getattr(found, name)), "-")
    console.print(table, Text(), sep="\n")


def faults(found: Description) -> Iterator[tuple[int, str]]:
    """Yield an exit code and what is wrong, with what to do, on one line, for each fault."""
    if found.standing in (Standing.DESCRIBED, Standing.SILENT):
        return
    code = EXIT_USAGE if found.standing is Standing.ABSENT else EXIT_FAILURE
    place = f"{_line(found.spec.name)} at {_line(found.spec.target)}"
    yield code, f"{place}: {_trouble(found)}; {found.remedy}"


def _told(text: str) -> Text:
    return said(_line(text)) if text.strip() else Text("-", "dim")


def _wanted(spec: JudgeSpec) -> Text:
    return said(spec.remote_judge) if spec.remote_judge else Text("its default", "dim")


def _trouble(found: Description) -> str:
    """Return what happened on one line, with the words of the backend in parentheses."""
    words = _line(found.words)
    return f"{_line(found.trouble)} ({words})" if words else _line(found.trouble)


def _line(text: str) -> str:
    return " ".join(plain(text, MAX_WORDS).split())
