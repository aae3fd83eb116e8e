"""`consensus judge-tool`: one tool call, judged before it runs, here or at a server."""

from pathlib import Path

import anyio
import click
import grpc.aio
from google.protobuf import json_format
from rich.console import Console

from consensus.app import read_policies
from consensus.cli import HELP, Seconds
from consensus.cli.judge import MAX_REPLY_BYTES, answered, refusals_told
from consensus.cli.progress import JudgingProgress
from consensus.cli.reading import read_tool_call
from consensus.cli.tool_verdict import show_tool_verdict
from consensus.once import judge_tool_once
from consensus.v1 import consensus_pb2_grpc
from consensus.v1 import tool_call_pb2 as pb

EXIT_DENIED = 1
"""For a fault of the worker's: it should propose another call."""
EXIT_UNJUDGED = 2
"""Denied and perhaps sound: for a person, or a later attempt."""
WORKERS_FAULTS = {
    pb.DENIAL_NO_RULE,
    pb.DENIAL_UNKNOWN_TOOL,
    pb.DENIAL_ARGUMENTS,
    pb.DENIAL_REJECTED,
}


@click.command(name="judge-tool", context_settings=HELP)
@click.argument("file", type=click.Path(path_type=Path, allow_dash=True))
@click.option("--target", help="A server, as HOST:PORT. Without it, judges in this process.")
@click.option("--policy", default="", help="Name of the policy. Without it, the one of the rule.")
@click.option(
    "--policy-file",
    type=click.Path(path_type=Path),
    help="Rules and policies to judge by in this process. The bundled file has no rules.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the answer as JSON.")
@click.option("--timeout-seconds", default=30.0, show_default=True, type=Seconds(0.1, 120))
@click.pass_context
def command(
    ctx: click.Context,
    file: Path,
    target: str | None,
    policy: str,
    policy_file: Path | None,
    as_json: bool,
    timeout_seconds: float,
) -> None:
    """Judge the tool call in FILE (a JudgeToolCallRequest as JSON; `-` reads standard input).

    Exits with 0 where it is allowed, 1 where it is denied for a fault of the worker's, 2 where it
    is denied because too few judges answered or judging failed; 3 for bad input, 4 when the server
    cannot be asked.
    """
    if target and policy_file:
        raise click.UsageError("--policy-file judges in this process, --target at a server")
    request = read_tool_call(file)
    if policy:
        request.policy = policy
    if target:
        reply = anyio.run(_judged_at, target, request, timeout_seconds)
    else:
        policies = read_policies(policy_file)
        with JudgingProgress() as progress, refusals_told(file):
            reply = anyio.run(judge_tool_once, policies, request, timeout_seconds, progress)
    if as_json:
        click.echo(json_format.MessageToJson(reply, preserving_proto_field_name=True))
    else:
        show_tool_verdict(request.call.name, reply, Console())
    ctx.exit(_exit_code(reply))


def _exit_code(reply: pb.JudgeToolCallResponse) -> int:
    if reply.allowed:
        return 0
    return EXIT_DENIED if reply.denial in WORKERS_FAULTS else EXIT_UNJUDGED


async def _judged_at(
    target: str, request: pb.JudgeToolCallRequest, seconds: float
) -> pb.JudgeToolCallResponse:
    options = [("grpc.max_receive_message_length", MAX_REPLY_BYTES)]
    async with grpc.aio.insecure_channel(target, options) as channel:
        stub = consensus_pb2_grpc.ConsensusServiceStub(channel)
        try:
            reply: pb.JudgeToolCallResponse = await stub.JudgeToolCall(request, timeout=seconds)
        except grpc.aio.AioRpcError as error:
            raise answered(target, error) from None
    return reply
