"""Prints the measurements as a table with ratios, and the bars they are held to."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass

from rich import box
from rich.console import Console
from rich.table import Table

Bar = tuple[str, float, float, bool]
"""Words, value, bar, and whether the bar is a least."""
BATCH_ROW = "consensus.remote5.batch32"
"""Callers send 32 requests in one BatchJudge."""
LEAST_WIDTH = 92
"""Below it numbers would be cut."""


@dataclass(frozen=True, slots=True)
class Row:
    """One server at one number of callers."""

    name: str
    callers: int
    rps: float
    """Judgments answered in a second; a batch counts as many."""
    p50_ms: float
    p99_ms: float
    cpu_ms: float
    """The server's processor time for one judgment."""
    rss_mib: float
    errors: int = 0
    """Calls that failed, where the measurement goes on after one."""

    def as_json(self) -> dict[str, object]:
        """Return the row for the results file."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Startup:
    """How `consensus serve` starts on the bundled policy."""

    ready_s: float
    idle_rss_mib: float

    def as_json(self) -> dict[str, object]:
        """Return the row for the results file."""
        return {"name": "startup", **asdict(self)}


def report(rows: list[Row], startup: Startup, more: Sequence[Bar] = ()) -> None:
    """Print the table and the bars, `more` of them last."""
    console = Console(width=max(Console().width, LEAST_WIDTH))
    found = {(row.name, row.callers): row for row in rows}
    table = Table(title="one server process on one core", box=box.SIMPLE, padding=(0, 1, 0, 0))
    names = ("server", "callers", "req/s", "x echo", "p50 ms", "p99 ms", "CPU ms", "RSS MiB")
    for name in names:
        table.add_column(name, justify="left" if name == "server" else "right", no_wrap=True)
    for row in sorted(rows, key=lambda row: row.callers):
        echo = found.get(("echo", row.callers))
        table.add_row(
            row.name,
            str(row.callers),
            f"{row.rps:,.0f}",
            f"{row.rps / echo.rps:.2f}" if echo and row.name != "judge.direct" else "",
            f"{row.p50_ms:.2f}",
            f"{row.p99_ms:.2f}",
            f"{row.cpu_ms:.3f}",
            f"{row.rss_mib:.0f}",
        )
    console.print(table)
    for words, value, bar, least in [*_bars(found, startup), *more]:
        met = value >= bar if least else value <= bar
        sign = ">=" if least else "<="
        mark = "[green]met[/]" if met else "[red]missed[/]"
        console.print(f"{mark:>16} {words}: {value:.2f} {sign} {bar:g}", highlight=False)


def _bars(found: dict[tuple[str, int], Row], startup: Startup) -> list[Bar]:
    """Return each bar that was measured."""
    bars = [
        ("ready to serve, s", startup.ready_s, 1.0, False),
        ("idle RSS, MiB", startup.idle_rss_mib, 90.0, False),
    ]
    for callers in (1, 64):
        ours, echo = found.get(("consensus.inprocess5", callers)), found.get(("echo", callers))
        if ours and echo:
            words = f"consensus.inprocess5 / echo, requests/s, {callers} callers"
            bars.append((words, ours.rps / echo.rps, 0.5, True))
    remote, direct = found.get(("consensus.remote5", 1)), found.get(("judge.direct", 1))
    if remote and direct:
        added = remote.p50_ms - direct.p50_ms
        bars.append(("added latency over a judge, p50 ms, 1 caller", added, 3.0, False))
    gather = found.get(("gather.remote5", 64))
    ours, batched = found.get(("consensus.remote5", 64)), found.get((BATCH_ROW, 4))
    if gather and ours:
        words = "consensus.remote5 / gather.remote5, 64 callers"
        bars.append((f"{words}, requests/s", ours.rps / gather.rps, 2.5, True))
        bars.append((f"{words}, CPU", ours.cpu_ms / gather.cpu_ms, 0.4, False))
    if gather and batched:
        words = f"{BATCH_ROW} / gather.remote5 at 64 callers"
        bars.append((f"{words}, judgments/s", batched.rps / gather.rps, 8.0, True))
    return bars
