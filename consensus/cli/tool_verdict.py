"""Shows a person whether a tool call may run: denial, rule, argument checks, what the decision
rests on, retry signal.
"""

from rich.console import Console, Group
from rich.panel import Panel
from rich.text import Text

from consensus.cli.rendering import checks_table, letter, show_grounds
from consensus.cli.texts import said, word_of
from consensus.v1 import tool_call_pb2 as pb


def show_tool_verdict(tool: str, reply: pb.JudgeToolCallResponse, console: Console) -> None:
    """Print what came of a proposed call of `tool`."""
    console.print(_banner(tool, reply))
    if reply.checks:
        console.print(Text(), checks_table(reply.checks, "argument checks"), sep="\n")
    if reply.HasField("decision"):
        show_grounds(reply.decision, console)
    if reply.retry_signal:
        console.print(letter("retry signal for the worker", reply.retry_signal))


def _banner(tool: str, reply: pb.JudgeToolCallResponse) -> Panel:
    colour = "green" if reply.allowed else "red"
    line = Text("allowed" if reply.allowed else "denied", f"bold {colour}")
    if not reply.allowed:
        line.append(f"  {word_of(pb.Denial, reply.denial, 'DENIAL_')}", "bold")
    line.append("  ").append_text(said(tool, "bold", most=128))
    rule = said(f"rule {reply.tool_rule or '(none)'} {reply.tools_revision}".rstrip(), "dim")
    lines = [line, rule]
    if reply.HasField("decision"):
        decision = reply.decision
        lines.append(said(f"policy {decision.policy} {decision.policy_revision}", "dim"))
        lines.append(said(f"id {decision.decision_id}", "dim"))
    elif reply.allowed:
        lines.append(Text("no judge was asked: the rule says so", "dim"))
    return Panel(Group(*lines), border_style=colour, expand=False)
