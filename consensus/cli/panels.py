"""Shows a panel to a person: a row for each seat, the consensus, what each judge says, dissent."""

from collections.abc import Iterator
from itertools import islice

from rich.columns import Columns
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from consensus.cascade.admission import plain
from consensus.cli.texts import Name, said, table_of, time_of, word_of
from consensus.v1 import decision_pb2

BAR = 8
BARS_FROM = 80
"""Columns of a terminal from which numbers have bars; in others names need the room."""
TIMES_FROM = 56
"""Columns of a terminal that has room for times, too."""
_SEATS = {
    decision_pb2.SEAT_STATUS_SCORED: ("scored", "green"),
    decision_pb2.SEAT_STATUS_ABSTAINED: ("abstained", "yellow"),
    decision_pb2.SEAT_STATUS_FAILED: ("failed", "red"),
    decision_pb2.SEAT_STATUS_SKIPPED: ("skipped", "dim"),
}


def panel_of(consensus: decision_pb2.Consensus, title: str, width: int) -> Group:
    """Return a panel for a terminal of `width` columns."""
    dissents = [_dissent(dissent) for dissent in consensus.dissents]
    seats, words = _seats(consensus, title, width), _words(consensus, width)
    return Group(seats, _numbers(consensus), words, *dissents)


def _seats(consensus: decision_pb2.Consensus, title: str, width: int) -> Table:
    bars = width >= BARS_FROM
    table = table_of("judge", title=title)
    table.columns[0].header = Name("judge")
    if not bars:
        table.padding = (0, 1, 0, 0)
    columns = ["weight", "status", "score", "confidence" if bars else "conf."]
    columns += ["time"] if width >= TIMES_FROM else []
    for column in columns:
        number = column in ("weight", "time")
        table.add_column(column, justify="right" if number else "left", no_wrap=True)
    for seat in consensus.individual_results:
        row = _seat(seat, consensus.threshold, bars=bars)
        table.add_row(*islice(row, 1 + len(columns)))
    return table


def _seat(
    seat: decision_pb2.SeatResult, threshold: float, *, bars: bool
) -> Iterator[RenderableType]:
    word, colour = _SEATS.get(seat.status, ("?", "red"))
    yield Name(seat.judge)
    yield Text("shadow" if seat.shadow else f"{seat.weight:g}", "dim" if seat.shadow else "")
    yield Text(word, colour)
    if seat.WhichOneof("answer") == "gradient":
        passed = seat.gradient.score >= threshold - 1e-9
        yield _share(seat.gradient.score, "green" if passed else "red", bar=bars)
        yield _share(seat.gradient.confidence, "blue", bar=bars)
    else:
        yield Text()
        yield Text()
    yield Text(time_of(seat.duration.ToNanoseconds()) if seat.attempts else "")


def _share(value: float, colour: str, *, bar: bool) -> Text:
    if not bar:
        return Text(f"{value:.2f}", colour)
    full = round(max(0.0, min(value, 1.0)) * BAR)
    return Text.assemble(("━" * full, colour), ("╌" * (BAR - full), "dim"), f" {value:.2f}")


def _numbers(consensus: decision_pb2.Consensus) -> RenderableType:
    """Return the consensus, each number beside its word however narrow the terminal is."""
    strategy = word_of(decision_pb2.Strategy, consensus.strategy, "STRATEGY_").lower()
    coverage = f"coverage {consensus.coverage:.2f}"
    if not consensus.HasField("final_score"):
        return Text(f"{strategy}: no quorum, {coverage}", "italic")
    agreement = f"{consensus.agreement:.2f}" if consensus.HasField("agreement") else "-"
    parts = [
        f"{strategy}: score {consensus.final_score:.3f}",
        f"confidence {consensus.consensus_confidence:.3f}",
        f"agreement {agreement}",
        coverage,
        *(["tie"] if consensus.tie else []),
    ]
    return Columns([Text(part, "italic") for part in parts], padding=(0, 2))


def _words(consensus: decision_pb2.Consensus, width: int) -> RenderableType:
    """Return one entry for each judge: what it says."""
    grid = Table.grid(padding=(0, 2))
    grid.add_column(max_width=max(width * 3 // 8, 1))
    grid.add_column(overflow="fold")
    for seat in consensus.individual_results:
        grid.add_row(Name(seat.judge, "bold"), said(" ".join(_says(seat).split()), most=300))
    return Padding(grid, (1, 0))


def _says(seat: decision_pb2.SeatResult) -> str:
    match seat.WhichOneof("answer"):
        case "gradient":
            struck = f"({seat.struck_count} struck) " if seat.struck_count else ""
            return struck + plain(seat.gradient.reasoning, 300)
        case "abstention":
            return plain(seat.abstention.reason, 300)
        case "failure":
            kind = word_of(decision_pb2.FailureKind, seat.failure.kind, "FAILURE_KIND_")
            return f"{kind.lower()}: {seat.failure.reason}"
        case _:
            return "not needed any more"


def _dissent(dissent: decision_pb2.Dissent) -> Text:
    line = Text.assemble(("dissent ", "bold"), plain(dissent.judge, 64), f" ({dissent.score:.2f})")
    if dissent.HasField("flip"):
        flip = dissent.flip
        side = ">=" if flip.upward else "<="
        line.append(f": flips if {plain(flip.judge, 64)} scores {side} {flip.score:.2f}")
    else:
        line.append(": no single seat can flip it")
    return line
