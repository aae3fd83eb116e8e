"""Shows a decision to a person: verdict, seats, criteria, dissent, reasons, feedback.

Made for 80 columns, and readable in 60. Everything that judges, submissions and servers say is
printed as plain text: no markup, no control codes.
"""

from collections.abc import Iterable, Iterator

from rich.console import Console, Group, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from consensus.cascade.admission import plain
from consensus.cli.panels import panel_of
from consensus.cli.texts import said, table_of, time_of, word_of
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


def show(decision: decision_pb2.Decision, console: Console) -> None:
    """Print `decision`."""
    console.print(_banner(decision))
    show_grounds(decision, console)
    if decision.feedback:
        console.print(letter("feedback for the worker", decision.feedback))


def show_grounds(decision: decision_pb2.Decision, console: Console) -> None:
    """Print what a decision rests on: stages with their seats, criteria and reasons."""
    for stage in decision.stages:
        console.print(_stage(stage, console.width))
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


def _banner(decision: decision_pb2.Decision) -> Panel:
    name, colour = VERDICTS.get(decision.verdict, ("?", "red"))
    line = Text(name, f"bold {colour}")
    if decision.HasField("effective_score") and not _undecided(decision):
        line.append(f"  score {decision.effective_score:.3f}", "bold")
    if decision.goal_status:
        name = submission_pb2.GoalStatus.Name(decision.goal_status)
        line.append(f"  goal {name.removeprefix('GOAL_STATUS_')}", "bold")
    if decision.scenario_outcome:
        outcome = decision_pb2.ScenarioOutcome
        name = word_of(outcome, decision.scenario_outcome, "SCENARIO_OUTCOME_")
        line.append(f"  scenario {name}", "bold")
    line.append(f"  {time_of(decision.duration.ToNanoseconds())}", "dim")
    if decision.HasField("usage"):
        line.append(f"  {_usage(decision.usage)}", "dim")
    policy = said(f"policy {decision.policy} {decision.policy_revision}", "dim")
    identity = said(f"id {decision.decision_id}", "dim")
    return Panel(Group(line, policy, identity), border_style=colour, expand=False)


def _undecided(decision: decision_pb2.Decision) -> bool:
    """Tell whether the last panel came to no score: that of an earlier stage says little then."""
    last = decision.stages[-1] if decision.stages else decision_pb2.StageResult()
    return last.HasField("consensus") and not last.consensus.HasField("final_score")


def _stage(stage: decision_pb2.StageResult, width: int) -> RenderableType:
    answer = word_of(decision_pb2.GateAnswer, stage.gate.answer, "GATE_ANSWER_")
    title = f"stage {stage.stage}: {answer}" + (", settled early" if stage.settled else "")
    if not stage.HasField("consensus"):
        return Group(Text(), checks_table(stage.checks, title))
    return Group(Text(), panel_of(stage.consensus, title, width))


def checks_table(checks: Iterable[decision_pb2.CheckResult], title: str) -> Table:
    """Return checks, each with a tick or a cross and what was seen."""
    table = table_of("", "check", "seen", title=title)
    for check in checks:
        mark = Text("✓", "bold green") if check.passed else Text("✗", "bold red")
        table.add_row(mark, said(check.check), said(check.message))
    return table


def _usage(usage: gradient_pb2.Usage) -> str:
    cost = f"${usage.cost_usd:.4f}" if usage.HasField("cost_usd") else "cost unknown"
    return f"{usage.input_tokens + usage.output_tokens:,} tokens, {cost}"


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
