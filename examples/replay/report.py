"""What a replay found: how often each judge and each strategy ranks the chosen response first."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from rich.console import Console
from rich.table import Table
from rich.text import Text

from examples.replay.prompts import JUDGES, Recording, shares
from examples.replay.recordings import score
from examples.replay.replay import Outcome


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One judge's or strategy's figures."""

    name: str
    kind: str
    """`judge` or `strategy`."""
    first: float
    """Share of prompts in which the chosen response came first, ties split."""
    groups: dict[str, float]
    agreement: float | None = None
    """Mean over the panels that have one."""
    judgments_per_second: float | None = None


def lines(recording: Recording, outcomes: Sequence[Outcome]) -> list[Line]:
    """Return the judges' lines, each by its first samples, then the strategies'."""
    found = []
    for judge in JUDGES:
        scores = {
            item: score(sample) if sample is not None else None
            for item, sample in recording.first[judge].items()
        }
        share, groups = shares(recording.prompts, scores)
        found.append(Line(name=judge, kind="judge", first=share, groups=groups))
    for outcome in outcomes:
        share, groups = shares(recording.prompts, outcome.scores)
        agreements = outcome.agreements
        found.append(
            Line(
                name=outcome.strategy,
                kind="strategy",
                first=share,
                groups=groups,
                agreement=sum(agreements) / len(agreements) if agreements else None,
                judgments_per_second=len(outcome.scores) / outcome.seconds,
            )
        )
    return found


def show(
    recording: Recording, outcomes: Sequence[Outcome], console: Console, *, groups: bool
) -> None:
    """Print the table; with `groups` a second one, by group of prompts."""
    found = lines(recording, outcomes)
    prompts = len(recording.prompts)
    best = max(line.first for line in found if line.kind == "judge")
    table = _table(f"How often the chosen one of four responses comes first ({prompts} prompts)")
    for column in ("first", "against best judge", "agreement", "judgments/s"):
        table.add_column(column, justify="right")
    _rows(table, found, lambda line: _figures(line, best))
    console.print(table, _summary(outcomes, best, prompts))
    if groups:
        table = _table("By group of prompts")
        for group in found[0].groups:
            table.add_column(group, justify="right")
        _rows(table, found, lambda line: [f"{share:.3f}" for share in line.groups.values()])
        console.print(table)


def _table(title: str) -> Table:
    table = Table(title=title, title_justify="left")
    table.add_column("judge or strategy", no_wrap=True)
    return table


def _rows(
    table: Table, found: Sequence[Line], cells: Callable[[Line], Sequence[str | Text]]
) -> None:
    for line in found:
        name = Text(line.name, "bold" if line.kind == "strategy" else "")
        table.add_row(name, *cells(line), end_section=line.name == JUDGES[-1])


def _figures(line: Line, best: float) -> list[str | Text]:
    return [
        f"{line.first:.3f}",
        Text(f"{line.first - best:+.3f}", "green" if line.first > best else "dim"),
        f"{line.agreement:.3f}" if line.agreement is not None else "",
        f"{line.judgments_per_second:,.0f}" if line.judgments_per_second else "",
    ]


def _summary(outcomes: Sequence[Outcome], best: float, prompts: int) -> Text:
    judgments = sum(len(outcome.scores) for outcome in outcomes)
    calls = sum(outcome.calls for outcome in outcomes)
    seconds = sum(outcome.seconds for outcome in outcomes)
    abstained = sum(outcome.abstained for outcome in outcomes)
    failed = sum(outcome.failed for outcome in outcomes)
    error = math.sqrt(best * (1 - best) / prompts)
    summary = Text(
        f"{judgments:,} judgments and {calls:,} judge calls in {seconds:.1f} s:\n"
        f"{judgments / seconds:,.0f} judgments/s, {calls / seconds:,.0f} judge calls/s\n"
        f"{abstained:,} abstentions; ties split the credit; standard error of a share {error:.3f}",
        "dim",
    )
    if failed:
        summary.append(f"\n{failed:,} seats failed: these are not the record's figures", "red")
    return summary
