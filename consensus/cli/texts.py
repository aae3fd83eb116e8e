"""What others have said and how they are called, as plain text: no markup, no control codes."""

from typing import Protocol

from rich import box
from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderResult
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from consensus.cascade.admission import plain

MAX_NAME = 128
WHOLE_FROM = 60
"""Columns of a terminal that has room for the longest of our words, such as weighted_average."""


class EnumNames(Protocol):
    """An enum of the contract, which may hold numbers newer than this program."""

    def values(self) -> list[int]:
        """Return the numbers that are known."""
        ...

    def Name(self, number: int) -> str:  # noqa: N802 - protobuf's name
        """Return a known number's name."""
        ...


class Name:
    """A name on one line. Where there is no room it loses its middle: names of a family, such as
    `style-1` and `style-2`, often differ at the end.
    """

    def __init__(self, name: str, style: str = "") -> None:
        self._name = " ".join(plain(name, MAX_NAME).split())
        self._style = style

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        name, room = self._name, options.max_width
        if cell_len(name) > room:
            end = (room - 1) // 2
            name = f"{name[: room - 1 - end]}…{name[len(name) - end :]}"
        yield Text(name, self._style, no_wrap=True, overflow="ellipsis")

    def __rich_measure__(self, console: Console, options: ConsoleOptions) -> Measurement:
        return Measurement(1, cell_len(self._name)).with_maximum(options.max_width)


def said(text: str, style: str = "", most: int = 8_000) -> Text:
    """Return what someone else wrote as plain text, cut at `most` characters."""
    return Text(plain(text, most), style)


def table_of(*columns: str, title: str = "") -> Table:
    """Return an empty table that folds words which are too long instead of cutting them."""
    table = Table(
        title=said(title, "bold") if title else None,
        title_justify="left",
        box=box.SIMPLE_HEAD,
        show_edge=False,
        pad_edge=False,
    )
    for column in columns:
        table.add_column(column, overflow="fold")
    return table


def word_of(names: EnumNames, number: int, prefix: str) -> str:
    """Return an enum's word for a number, less `prefix`; `#9` for one that is not known."""
    return names.Name(number).removeprefix(prefix) if number in names.values() else f"#{number}"


def time_of(nanoseconds: int) -> str:
    """Return a duration for people."""
    milliseconds = nanoseconds / 1e6
    return f"{milliseconds:.1f} ms" if milliseconds < 1000 else f"{milliseconds / 1000:.1f} s"
