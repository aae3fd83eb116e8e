"""Shows a decision to a person: verdict, seats, criteria, dissent, reasons, feedback.

Everything that judges or submissions say is printed as plain text: no markup, no control codes.
"""

from collections.abc import Iterator

from rich.console import Console, Group, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from consensus.cascade.admission import plain
from consensus.v1 import decision_pb2, gradient_pb2

VERDICTS = {
    decision_pb2.VERDICT_ACCEPT: ("ACCEPT", "green"),
    decision_pb2.VERDICT_RETRY: ("RETRY", "yellow"),
    decision_pb2.VERDICT_ESCALATE: ("ESCALATE", "magenta"),
}
_MARKS = {
    gradient_pb2.FINDING_STATUS_MET: Text("✓", "bold green"),
    gradient_pb2.FINDING_STATUS_UNMET: Text("✗", "bold red"),
    gradient_pb2.FINDING_STATUS_INCONCLUSIVE: Text("?", "bold yellow"),
}
_SEATS = {
    decision_pb2.SEAT_STATUS_SCORED: ("scored", "green"),
    decision_pb2.SEAT_STATUS_ABSTAINED: ("abstained", "yellow"),
    decision_pb2.SEAT_STATUS_FAILED: ("failed", "red"),
    decision_pb2.SEAT_STATUS_SKIPPED: ("skipped", "dim"),
}
BAR = 10


def show(decision: decision_pb2.Decision, console: Console) -> None:
    """Print `decision`."""
    console.print(_banner(decision))
    for stage in decision.stages:
        console.print(_stage(stage))
    if decision.criteria:
        console.print(_criteria(decision))
    console.print(_reasons(decision))
    if decision.feedback:
        title = "feedback for the worker"
        console.print(Panel(_text(decision.feedback), title=title, title_align="left"))


def _banner(decision: decision_pb2.Decision) -> Panel:
    name, colour = VERDICTS.get(decision.verdict, ("?", "red"))
    line = Text(name, f"bold {colour}")
    if decision.HasField("effective_score"):
        line.append(f"  score {decision.effective_score:.3f}", "bold")
    milliseconds = decision.duration.ToNanoseconds() / 1e6
    line.append(f"  {milliseconds:.1f} ms", "dim")
    origin = f"policy {decision.policy} {decision.policy_revision}  id {decision.decision_id}"
    return Panel(Group(line, _text(origin, "dim")), border_style=colour, expand=False)


def _stage(stage: decision_pb2.StageResult) -> RenderableType:
    answer = decision_pb2.GateAnswer.Name(stage.gate.answer).removeprefix("GATE_ANSWER_")
    title = f"stage {stage.stage}: {answer}" + (", settled early" if stage.settled else "")
    if not stage.HasField("consensus"):
        return _checks(stage, title)
    consensus = stage.consensus
    table = Table(
        title=Text(title, "bold"),
        title_justify="left",
        caption=_numbers(consensus),
        caption_justify="left",
    )
    for column in ("judge", "weight", "status", "score", "confidence", "time", "says"):
        table.add_column(column, justify="right" if column in ("weight", "time") else "left")
    for seat in consensus.individual_results:
        table.add_row(*_seat(seat, consensus.threshold))
    dissents = [_dissent(dissent) for dissent in consensus.dissents]
    return Group(table, *dissents)


def _checks(stage: decision_pb2.StageResult, title: str) -> Table:
    table = Table(title=Text(title, "bold"), title_justify="left")
    for column in ("", "check", "seen"):
        table.add_column(column)
    for check in stage.checks:
        mark = Text("✓", "bold green") if check.passed else Text("✗", "bold red")
        table.add_row(mark, _text(check.check), _text(check.message))
    return table


def _seat(seat: decision_pb2.SeatResult, threshold: float) -> Iterator[RenderableType]:
    word, colour = _SEATS.get(seat.status, ("?", "red"))
    yield _text(seat.judge)
    yield f"{seat.weight:g}"
    yield Text(word, colour)
    scored = seat.WhichOneof("answer") == "gradient"
    if scored:
        passed = seat.gradient.score >= threshold - 1e-9
        yield _bar(seat.gradient.score, "green" if passed else "red")
        yield _bar(seat.gradient.confidence, "blue")
    else:
        yield ""
        yield ""
    yield f"{seat.duration.ToNanoseconds() / 1e6:.1f} ms" if seat.attempts else ""
    yield _text(_says(seat))


def _says(seat: decision_pb2.SeatResult) -> str:
    match seat.WhichOneof("answer"):
        case "gradient":
            struck = f" ({seat.struck_count} struck)" if seat.struck_count else ""
            return plain(seat.gradient.reasoning, 300) + struck
        case "abstention":
            return plain(seat.abstention.reason, 300)
        case "failure":
            kind = decision_pb2.FailureKind.Name(seat.failure.kind).removeprefix("FAILURE_KIND_")
            return f"{kind.lower()}: {seat.failure.reason}"
        case _:
            return "not needed any more"


def _bar(value: float, colour: str) -> Text:
    full = round(max(0.0, min(value, 1.0)) * BAR)
    return Text.assemble(("━" * full, colour), ("━" * (BAR - full), "dim"), f" {value:.2f}")


def _numbers(consensus: decision_pb2.Consensus) -> Text:
    strategy = decision_pb2.Strategy.Name(consensus.strategy).removeprefix("STRATEGY_").lower()
    if not consensus.HasField("final_score"):
        return Text(f"{strategy}: no quorum, coverage {consensus.coverage:.2f}")
    agreement = f"{consensus.agreement:.2f}" if consensus.HasField("agreement") else "-"
    return Text(
        f"{strategy}: score {consensus.final_score:.3f}"
        f"  confidence {consensus.consensus_confidence:.3f}"
        f"  agreement {agreement}  coverage {consensus.coverage:.2f}"
        + ("  tie" if consensus.tie else "")
    )


def _dissent(dissent: decision_pb2.Dissent) -> Text:
    line = Text.assemble(("dissent ", "bold"), plain(dissent.judge, 64), f" ({dissent.score:.2f})")
    if dissent.HasField("flip"):
        flip = dissent.flip
        side = ">=" if flip.upward else "<="
        line.append(f": flips if {plain(flip.judge, 64)} scores {side} {flip.score:.2f}")
    else:
        line.append(": no single seat can flip it")
    return line


def _criteria(decision: decision_pb2.Decision) -> Table:
    table = Table(title=Text("criteria", "bold"), title_justify="left")
    for column in ("", "id", "requirement", "met : unmet", "seen"):
        table.add_column(column)
    for criterion in decision.criteria:
        required = Text(" required", "dim") if criterion.required else ""
        quotes = "\n".join(f"“{plain(e.quote, 120)}”" for e in criterion.evidence[:2])
        table.add_row(
            _MARKS.get(criterion.status, Text("?")),
            _text(criterion.criterion_id),
            Text.assemble(_text(criterion.text), required),
            f"{criterion.met_count} : {criterion.unmet_count}",
            _text(quotes, "italic"),
        )
    return table


def _reasons(decision: decision_pb2.Decision) -> Group:
    lines = [
        Text.assemble(("• ", "dim"), (plain(r.code, 64), "bold"), " ", plain(r.message, 600))
        for r in decision.reasons
    ]
    return Group(*lines)


def _text(text: str, style: str = "") -> Text:
    return Text(plain(text, 8_000), style)
