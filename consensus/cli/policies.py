"""`consensus policies`: which policies are in force at a server, or would be by a policy file."""

from collections import Counter
from pathlib import Path

import anyio
import click
import grpc.aio
from google.protobuf import json_format
from rich.console import Console, Group
from rich.table import Table
from rich.text import Text

from consensus.app import read_policies
from consensus.cascade.admission import plain
from consensus.cli import HELP, Seconds
from consensus.cli.judge import MAX_REPLY_BYTES, answered
from consensus.cli.texts import MAX_NAME, WHOLE_FROM, Name, said, table_of, word_of
from consensus.v1 import consensus_pb2 as pb
from consensus.v1 import consensus_pb2_grpc, decision_pb2
from consensus.validators import describe
from consensus.wire.policy import policies_to


@click.command(context_settings=HELP)
@click.option("--target", help="A server, as HOST:PORT. Without it, those of a policy file.")
@click.option(
    "--policy-file",
    type=click.Path(path_type=Path),
    help="The policy file. Without it, the bundled one.",
)
@click.option("--json", "as_json", is_flag=True, help="Print a ListPoliciesResponse as JSON.")
@click.option("--timeout-seconds", default=30.0, show_default=True, type=Seconds(0.1, 120))
def command(
    target: str | None, policy_file: Path | None, as_json: bool, timeout_seconds: float
) -> None:
    """List policies: those that a server has in force, or those of a policy file.

    Shows the stages of each with their checks and kinds of judges, its revision, and whose rubric
    it judges by. `consensus check FILE` tells the conditions of a file, too.

    Exits with 3 for bad input, 4 when the server cannot be asked.
    """
    if target and policy_file:
        raise click.UsageError("--policy-file lists a file's policies, --target a server's")
    if target:
        reply = anyio.run(_listed_at, target, timeout_seconds)
    else:
        reply = policies_to(read_policies(policy_file), describe)
    if as_json:
        click.echo(json_format.MessageToJson(reply, preserving_proto_field_name=True))
    else:
        _show(reply, Console())


async def _listed_at(target: str, seconds: float) -> pb.ListPoliciesResponse:
    options = [("grpc.max_receive_message_length", MAX_REPLY_BYTES)]
    async with grpc.aio.insecure_channel(target, options) as channel:
        stub = consensus_pb2_grpc.ConsensusServiceStub(channel)
        try:
            reply: pb.ListPoliciesResponse = await stub.ListPolicies(
                pb.ListPoliciesRequest(), timeout=seconds
            )
        except grpc.aio.AioRpcError as error:
            raise answered(target, error) from None
    return reply


def _show(reply: pb.ListPoliciesResponse, console: Console) -> None:
    table = table_of("policy", "stages")
    for policy in reply.policies:
        table.add_row(_identity(policy), _stages(policy, console.width))
        table.add_section()
    console.print(table)


def _identity(policy: pb.PolicySummary) -> Group:
    """Return the policy's name, what it is, its revision and whose rubric it judges by."""
    marks = ["used by default"] if policy.default else []
    marks += [] if policy.enabled else ["disabled"]
    colour = "green" if policy.enabled else "yellow"
    return Group(
        Name(policy.name, "bold"),
        *([Text(", ".join(marks), colour)] if marks else []),
        said(policy.revision, "dim", MAX_NAME),
        Text(f"rubric: {_rubric(policy)}"),
    )


def _stages(policy: pb.PolicySummary, width: int) -> Table:
    grid = Table.grid(padding=(0, 2))
    grid.add_column()
    grid.add_column(
        overflow="fold", min_width=len("weighted_average,") if width >= WHOLE_FROM else None
    )
    for stage in policy.stages:
        grid.add_row(Name(stage.name), said(_asks(stage)))
    return grid


def _asks(stage: pb.StageSummary) -> str:
    """Return what a stage asks: so many checks, or so many judges of each kind."""
    if not stage.seats:
        return _count(len(stage.checks), "check", "checks")
    kinds = Counter(plain(seat.kind, MAX_NAME) for seat in stage.seats)
    judges = ", ".join(f"{count} {kind}" for kind, count in kinds.items())
    strategy = word_of(decision_pb2.Strategy, stage.strategy, "STRATEGY_").lower()
    return f"{judges}; {strategy}, quorum {stage.quorum}"


def _rubric(policy: pb.PolicySummary) -> str:
    if not policy.HasField("rubric"):
        return "the submission's"
    return f"own, {_count(len(policy.rubric.criteria), 'criterion', 'criteria')}"


def _count(number: int, one: str, several: str) -> str:
    return f"{number} {one if number == 1 else several}"
