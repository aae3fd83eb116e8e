"""Shows a decision to a person: verdict, seats, criteria, dissent, reasons, feedback.

Made for 80 columns. Everything that judges, submissions and servers say is printed as plain text:
no markup, no control codes.
"""

from collections.abc import Iterable, Iterator
from typing import Protocol

from rich import box
from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from consensus.cascade.admission import plain
from consensus.v1 import decision_pb2, gradient_pb2, submission_pb2

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
BAR = 8


class EnumNames(Protocol):
    """An enum of the contract, which may hold numbers newer than this program."""

    def values(self) -> list[int]:
        """Return the numbers that are known."""
        ...

    def Name(self, number: int) -> str:  # noqa: N802 - protobuf's name
        """Return a known number's name."""
        ...


def show(decision: decision_pb2.Decision, console: Console) -> None:
    """Print `decision`."""
    console.print(_banner(decision))
    show_grounds(decision, console)
    if decision.feedback:
        console.print(letter("feedback for the worker", decision.feedback))


def show_grounds(decision: decision_pb2.Decision, console: Console) -> None:
    """Print what a decision rests on: stages with their seats, criteria and reasons."""
    for stage in decision.stages:
        console.print(_stage(stage))
    if decision.criteria:
        console.print(Text(), _criteria(decision), sep="\n")
    console.print(Text(), *_reasons(decision), sep="\n")


def letter(title: str, text: str) -> Panel:
    """Return what the worker is told, in a frame."""
    return Panel(said(text), title=title, title_align="left")


def show_rubric(rubric: submission_pb2.Rubric, console: Console) -> None:
    """Print a rubric."""
    table = table_of("id", "requirement", title="rubric")
    for criterion in rubric.criteria:
        required = Text(" (required)", "dim") if criterion.required else Text()
        table.add_row(said(criterion.id), said(criterion.text) + required)
    console.print(table)


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


def _banner(decision: decision_pb2.Decision) -> Panel:
    name, colour = VERDICTS.get(decision.verdict, ("?", "red"))
    line = Text(name, f"bold {colour}")
    if decision.HasField("effective_score"):
        line.append(f"  score {decision.effective_score:.3f}", "bold")
    if decision.goal_status:
        name = submission_pb2.GoalStatus.Name(decision.goal_status)
        line.append(f"  goal {name.removeprefix('GOAL_STATUS_')}", "bold")
    if decision.scenario_outcome:
        outcome = decision_pb2.ScenarioOutcome
        name = _name(outcome, decision.scenario_outcome, "SCENARIO_OUTCOME_")
        line.append(f"  scenario {name}", "bold")
    line.append(f"  {_time(decision.duration.ToNanoseconds())}", "dim")
    if decision.HasField("usage"):
        line.append(f"  {_usage(decision.usage)}", "dim")
    policy = said(f"policy {decision.policy} {decision.policy_revision}", "dim")
    identity = said(f"id {decision.decision_id}", "dim")
    return Panel(Group(line, policy, identity), border_style=colour, expand=False)


def _stage(stage: decision_pb2.StageResult) -> RenderableType:
    answer = _name(decision_pb2.GateAnswer, stage.gate.answer, "GATE_ANSWER_")
    title = f"stage {stage.stage}: {answer}" + (", settled early" if stage.settled else "")
    if not stage.HasField("consensus"):
        return Group(Text(), checks_table(stage.checks, title))
    consensus = stage.consensus
    numbers = Text(_numbers(consensus), "italic")
    dissents = [_dissent(dissent) for dissent in consensus.dissents]
    return Group(Text(), _seats(consensus, title), numbers, _words(consensus), *dissents)


def checks_table(checks: Iterable[decision_pb2.CheckResult], title: str) -> Table:
    """Return checks, each with a tick or a cross and what was seen."""
    table = table_of("", "check", "seen", title=title)
    for check in checks:
        mark = Text("✓", "bold green") if check.passed else Text("✗", "bold red")
        table.add_row(mark, said(check.check), said(check.message))
    return table


def _seats(consensus: decision_pb2.Consensus, title: str) -> Table:
    table = table_of("judge", title=title)
    for column in ("weight", "status", "score", "confidence", "time"):
        number = column in ("weight", "time")
        table.add_column(column, justify="right" if number else "left", no_wrap=True)
    for seat in consensus.individual_results:
        table.add_row(*_seat(seat, consensus.threshold))
    return table


def _usage(usage: gradient_pb2.Usage) -> str:
    cost = f"${usage.cost_usd:.4f}" if usage.HasField("cost_usd") else "cost unknown"
    return f"{usage.input_tokens + usage.output_tokens:,} tokens, {cost}"


def _seat(seat: decision_pb2.SeatResult, threshold: float) -> Iterator[Text]:
    word, colour = _SEATS.get(seat.status, ("?", "red"))
    yield said(seat.judge)
    yield Text("shadow" if seat.shadow else f"{seat.weight:g}", "dim" if seat.shadow else "")
    yield Text(word, colour)
    if seat.WhichOneof("answer") == "gradient":
        passed = seat.gradient.score >= threshold - 1e-9
        yield _bar(seat.gradient.score, "green" if passed else "red")
        yield _bar(seat.gradient.confidence, "blue")
    else:
        yield Text()
        yield Text()
    yield Text(_time(seat.duration.ToNanoseconds()) if seat.attempts else "")


def _words(consensus: decision_pb2.Consensus) -> RenderableType:
    """Return one entry for each judge: what it says."""
    grid = Table.grid(padding=(0, 2))
    grid.add_column(max_width=20, overflow="fold")
    grid.add_column(overflow="fold")
    for seat in consensus.individual_results:
        grid.add_row(said(seat.judge, "bold"), said(" ".join(_says(seat).split()), most=300))
    return Padding(grid, (1, 0))


def _says(seat: decision_pb2.SeatResult) -> str:
    match seat.WhichOneof("answer"):
        case "gradient":
            struck = f"({seat.struck_count} struck) " if seat.struck_count else ""
            return struck + plain(seat.gradient.reasoning, 300)
        case "abstention":
            return plain(seat.abstention.reason, 300)
        case "failure":
            kind = _name(decision_pb2.FailureKind, seat.failure.kind, "FAILURE_KIND_")
            return f"{kind.lower()}: {seat.failure.reason}"
        case _:
            return "not needed any more"


def _bar(value: float, colour: str) -> Text:
    full = round(max(0.0, min(value, 1.0)) * BAR)
    return Text.assemble(("━" * full, colour), ("╌" * (BAR - full), "dim"), f" {value:.2f}")


def _time(nanoseconds: int) -> str:
    milliseconds = nanoseconds / 1e6
    return f"{milliseconds:.1f} ms" if milliseconds < 1000 else f"{milliseconds / 1000:.1f} s"


def _name(names: EnumNames, number: int, prefix: str) -> str:
    return names.Name(number).removeprefix(prefix) if number in names.values() else f"#{number}"


def _numbers(consensus: decision_pb2.Consensus) -> str:
    strategy = _name(decision_pb2.Strategy, consensus.strategy, "STRATEGY_").lower()
    if not consensus.HasField("final_score"):
        return f"{strategy}: no quorum, coverage {consensus.coverage:.2f}"
    agreement = f"{consensus.agreement:.2f}" if consensus.HasField("agreement") else "-"
    return (
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
    table = table_of("", "id", "requirement", "met", "unmet", "seen", title="criteria")
    for criterion in decision.criteria:
        required = Text(" (required)", "dim") if criterion.required else Text()
        quotes = "\n".join(map(_quoted, criterion.evidence[:2]))
        table.add_row(
            _MARKS.get(criterion.status, Text("?")),
            said(criterion.criterion_id),
            said(criterion.text) + required,
            str(criterion.met_count),
            str(criterion.unmet_count),
            said(quotes, "italic"),
        )
    return table


def _quoted(evidence: gradient_pb2.Evidence) -> str:
    span = f" [{plain(evidence.span_id, 16)}]" if evidence.span_id else ""
    return f"“{plain(evidence.quote, 120)}”{span}"


def _reasons(decision: decision_pb2.Decision) -> Iterator[Text]:
    for reason in decision.reasons:
        line = Text.assemble(("• ", "dim"), (plain(reason.code, 64), "bold"), " ")
        yield line + said(reason.message, most=600)
