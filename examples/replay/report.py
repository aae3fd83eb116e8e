"""What a replay found: how often each judge and each strategy ranks the chosen response first."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from rich.console import Console, Group
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
    """Print the table."""
    found = lines(recording, outcomes)
    best = max(line.first for line in found if line.kind == "judge")
    names = list(found[0].groups) if groups else []
    table = Table(
        title=f"How often the chosen one of four responses comes first ({_count(recording)})",
        title_justify="left",
        caption=_caption(outcomes, best, len(recording.prompts)),
        caption_justify="left",
    )
    table.add_column("judge or strategy")
    for column in ("first", "against best judge", *names, "agreement", "judgments/s"):
        table.add_column(column, justify="right")
    for number, line in enumerate(found):
        last_judge = line.kind == "judge" and found[number + 1 :][:1] != []
        table.add_row(
            Text(line.name, "bold" if line.kind == "strategy" else ""),
            f"{line.first:.3f}",
            Text(f"{line.first - best:+.3f}", "green" if line.first > best else "dim"),
            *(f"{line.groups[name]:.3f}" for name in names),
            f"{line.agreement:.3f}" if line.agreement is not None else "",
            f"{line.judgments_per_second:,.0f}" if line.judgments_per_second else "",
            end_section=last_judge and found[number + 1].kind == "strategy",
        )
    console.print(Group(table))


def _count(recording: Recording) -> str:
    return f"{len(recording.prompts)} prompts"


def _caption(outcomes: Sequence[Outcome], best: float, prompts: int) -> Text:
    judgments = sum(len(outcome.scores) for outcome in outcomes)
    calls = sum(outcome.calls for outcome in outcomes)
    seconds = sum(outcome.seconds for outcome in outcomes)
    abstained = sum(outcome.abstained for outcome in outcomes)
    failed = sum(outcome.failed for outcome in outcomes)
    error = math.sqrt(best * (1 - best) / prompts)
    caption = Text(
        f"{judgments:,} judgments, {calls:,} judge calls in {seconds:.1f} s:"
        f" {judgments / seconds:,.0f} judgments/s, {calls / seconds:,.0f} judge calls/s.\n"
        f"{abstained:,} abstentions. Ties split the credit; standard error of a share: {error:.3f}."
    )
    if failed:
        caption.append(f"\n{failed:,} seats failed: these are not the record's figures.", "red")
    return caption
