"""`consensus check`: the policy file, by the same code as at start-up."""

from pathlib import Path

import click
from rich.console import Console
from rich.text import Text

from consensus.app import read_policies
from consensus.cli import EXIT_USAGE, HELP
from consensus.cli.texts import WHOLE_FROM, said, table_of
from consensus.domain.errors import PolicyFileError
from consensus.domain.policy import Policy, PolicySet, Stage
from consensus.validators import describe


@click.command(context_settings=HELP)
@click.argument("file", required=False, type=click.Path(path_type=Path))
@click.option("--quiet", is_flag=True, help="Print faults only.")
@click.option(
    "--live",
    is_flag=True,
    help="Ask every model what it accepts, by real, tiny calls, and every remote judge what it is.",
)
@click.pass_context
def command(ctx: click.Context, file: Path | None, quiet: bool, live: bool) -> None:
    """Check a policy FILE, or the bundled policy without one.

    Prints one line for each fault, as FILE:LINE: KEY: what is wrong, and exits with 3; or the
    policies as they would be loaded, and exits with 0. With --live the models that judges ask are
    tried too, and the backends of remote judges are asked to describe them; none is sent anything
    to judge. Exits with 3 when a backend lacks what the file claims of it, such as a judge of that
    name, and with 4 when one cannot be asked.
    """
    try:
        policies = read_policies(file)
    except PolicyFileError as error:
        for line in error.lines():
            click.echo(line, err=True)
        count = len(error.faults)
        click.secho(f"{count} fault{'s' if count > 1 else ''}", fg="red", err=True)
        ctx.exit(EXIT_USAGE)
    if not quiet:
        console = Console()
        for policy in policies.policies.values():
            _show(policy, policy.name == policies.default, console)
        if policies.tools:
            _show_tools(policies, console)
        click.secho(f"{file or 'The bundled policy'} is sound.", fg="green")
    if live:
        from consensus.cli.live import check_live  # with an HTTP client, which others do without

        ctx.exit(check_live(policies, quiet))


def _show(policy: Policy, default: bool, console: Console) -> None:
    marks = [mark for mark, on in (("default", default), ("disabled", not policy.enabled)) if on]
    title = f"{policy.name} {policy.revision}" + (f" ({', '.join(marks)})" if marks else "")
    console.print(said(title, "bold"))
    if policy.description:
        console.print(said(policy.description, "italic"))
    table = table_of("stage", "asks", "passes when", "then")
    if console.width >= WHOLE_FROM:
        table.columns[2].min_width = len("weighted_average")
    for stage in policy.stages:
        table.add_row(
            said(stage.name), said(_asks(stage)), said(_condition(stage)), said(_then(stage))
        )
        table.add_section()
    console.print(table, Text(), sep="\n")


def _show_tools(policies: PolicySet, console: Console) -> None:
    console.print(said(f"tools {policies.tools_revision}", "bold"))
    table = table_of("match", "arguments", "then")
    for rule in policies.tools:
        checks = ["by schema"] if rule.json_schema is not None else []
        checks += [f"never /{pattern}/" for pattern in rule.deny]
        then = "allowed" if rule.skip_judge else f"judged by {rule.policy}"
        table.add_row(said(rule.match), said("\n".join(checks)), said(then))
        table.add_section()
    console.print(table, Text(), sep="\n")


def _asks(stage: Stage) -> str:
    if stage.panel is None:
        return "\n".join(describe(check) for check in stage.checks)
    return "\n".join(
        f"{seat.judge} as a shadow" if seat.shadow else f"{seat.judge} x {seat.weight:g}"
        for seat in stage.panel.seats
    )


def _condition(stage: Stage) -> str:
    panel, gate = stage.panel, stage.gate
    if panel is None:
        return "all hold"
    lines = [panel.strategy.value, f"quorum {panel.quorum}", f"score >= {gate.min_score:g}"]
    if gate.min_confidence:
        lines.append(f"confidence >= {gate.min_confidence:g}")
    if gate.min_agreement:
        lines.append(f"agreement >= {gate.min_agreement:g}")
    return "\n".join(lines)


def _then(stage: Stage) -> str:
    """Return what follows from each answer of the gate; checks are never unsure."""
    lines = [f"pass: {stage.on_pass.value}", f"fail: {stage.on_fail.value}"]
    if stage.panel is not None:
        lines.append(f"unsure: {stage.on_unsure.value}")
    if stage.on_no_quorum is not None:
        lines.append(f"no quorum: {stage.on_no_quorum.value}")
    return "\n".join(lines)
