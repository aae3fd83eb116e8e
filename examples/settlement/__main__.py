"""`python -m examples.settlement`: six strategies, waiting for all and settling early."""

import dataclasses
import json
import sys
from collections.abc import Sequence
from pathlib import Path

import click
from rich.console import Console
from rich.progress import track
from rich.table import Table
from rich.text import Text

from consensus.domain.policy import Gate
from examples.interruptible import Interruptible
from examples.replay.option import complete_prompts, data_option
from examples.replay.panels import STRATEGIES
from examples.replay.prompts import JUDGES
from examples.settlement.comparison import QUORUM, Comparison, compare, policy
from examples.settlement.judges import Latency, late_judges

EXIT_DIFFERS = 1
_UNIT = click.FloatRange(0, 1)


@click.command(cls=Interruptible)
@data_option
@click.option("--prompts", type=click.IntRange(1), help="So many prompts, for a quick run.")
@click.option("--median", type=click.FloatRange(0, min_open=True), default=Latency().median,
              show_default=True, help="Median seconds of a judge.")  # fmt: skip
@click.option("--sigma", type=click.FloatRange(0, 3), default=Latency().sigma, show_default=True,
              help="Standard deviation of the logarithm of its seconds.")  # fmt: skip
@click.option("--seed", type=int, default=1, show_default=True, help="Of the latencies.")
@click.option("--min-score", type=_UNIT, default=Gate().min_score, show_default=True)
@click.option("--min-confidence", type=_UNIT, default=Gate().min_confidence, show_default=True)
@click.option("--quorum", type=click.IntRange(1, len(JUDGES)), default=QUORUM, show_default=True)
@click.option("--json", "as_json", is_flag=True, help="Print the figures as JSON.")
def main(
    data: Path,
    prompts: int | None,
    median: float,
    sigma: float,
    seed: int,
    min_score: float,
    min_confidence: float,
    quorum: int,
    as_json: bool,
) -> None:
    """Measure what early settlement saves, and that it changes no verdict."""
    recording = complete_prompts(data, prompts)
    items = [item for prompt in recording.prompts for item in prompt.items]
    judges = late_judges(data, items, Latency(median=median, sigma=sigma), seed)
    gate = Gate(min_score=min_score, min_confidence=min_confidence)
    progress = track(
        STRATEGIES, "judging in virtual time", console=Console(stderr=True), transient=True
    )
    found = [compare(policy(strategy, gate, quorum), judges, items) for strategy in progress]
    if as_json:
        lines = [dataclasses.asdict(each) | {"saved": each.saved} for each in found]
        click.echo(json.dumps(lines, indent=2))
    else:
        show(found, Console())
    if any(each.differing for each in found):
        sys.exit(EXIT_DIFFERS)


def show(found: Sequence[Comparison], console: Console) -> None:
    """Print the table."""
    title = f"Settling early against waiting for all ({found[0].decisions:,} responses)"
    table = Table(title=title, title_justify="left")
    table.add_column("strategy", no_wrap=True)
    for column in ("accepted", "saved", "p50 s", "p95 s", "differ"):
        table.add_column(column, justify="right", no_wrap=True)
    for each in found:
        spans = zip(each.patient_seconds, each.early_seconds, strict=True)
        table.add_row(
            each.strategy,
            f"{each.accepted / each.decisions:.3f}",
            f"{each.saved:.3f}",
            *(f"{patient:.2f} > {early:.2f}" for patient, early in spans),
            Text(str(each.differing), "bold red" if each.differing else "green"),
        )
    console.print(table)
    decisions = sum(each.decisions for each in found)
    differing = sum(each.differing for each in found)
    words = (
        "saved: share of judge calls that were cancelled unheard\n"
        "p50, p95: seconds of a decision, waiting for all > settling early\n"
        f"{decisions:,} pairs of decisions, {differing:,} with different verdicts"
    )
    console.print(Text(words, "bold red" if differing else "dim"))


if __name__ == "__main__":
    main()
