"""`consensus judge`: one submission, judged here or at a server."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import cast

import anyio
import click
import grpc
import grpc.aio
from google.protobuf import json_format
from google.protobuf.message import DecodeError
from google.rpc import error_details_pb2
from grpc_status import rpc_status
from rich.console import Console

from consensus.app import read_policies
from consensus.cascade.admission import plain
from consensus.cli import EXIT_FAILURE, HELP, BadInput, Failure, Seconds
from consensus.cli.progress import JudgingProgress
from consensus.cli.reading import name_of, read_request
from consensus.cli.rendering import show
from consensus.domain.errors import InvalidRequest, RequestError
from consensus.once import judge_once
from consensus.v1 import consensus_pb2, consensus_pb2_grpc, decision_pb2
from consensus.wire.execution import STATE_FROM

EXIT_CODES = {
    decision_pb2.VERDICT_ACCEPT: 0,
    decision_pb2.VERDICT_RETRY: 1,
    decision_pb2.VERDICT_ESCALATE: 2,
}
MAX_REPLY_BYTES = 8 << 20


@click.command(context_settings=HELP)
@click.argument("file", type=click.Path(path_type=Path, allow_dash=True))
@click.option("--target", help="A server, as HOST:PORT. Without it, judges in this process.")
@click.option("--policy", default="", help="Name of the policy. Without it, the default one.")
@click.option(
    "--policy-file",
    type=click.Path(path_type=Path),
    help="Policies to judge by in this process. Without it, the bundled one.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the decision as JSON.")
@click.option(
    "--validation-results",
    is_flag=True,
    help="With --json: also the decision by kind of validator.",
)
@click.option("--timeout-seconds", default=30.0, show_default=True, type=Seconds(0.1, 120))
@click.pass_context
def command(
    ctx: click.Context,
    file: Path,
    target: str | None,
    policy: str,
    policy_file: Path | None,
    as_json: bool,
    validation_results: bool,
    timeout_seconds: float,
) -> None:
    """Judge the submission in FILE (JSON; `-` reads standard input).

    FILE is an object with `task`, `candidate` or `outputs`, and `rubric`, as a Submission of the
    contract; or a JudgeRequest, which has one in `submission`.

    Exits with the verdict: 0 ACCEPT, 1 RETRY, 2 ESCALATE; 3 for bad input, 4 when it cannot be
    judged.
    """
    if target and policy_file:
        raise click.UsageError("--policy-file judges in this process, --target at a server")
    if validation_results and not as_json:
        raise click.UsageError("--validation-results goes with --json; the table has them by stage")
    request = read_request(file)
    if policy:
        request.policy = policy
    if validation_results:
        request.include_validation_results = True
    with JudgingProgress(request) as progress:
        if target:
            anyio.run(judge_at, target, request, timeout_seconds, progress)
        else:
            _judge_here(request, file, policy_file, timeout_seconds, progress)
    if progress.decision is None:
        raise Failure("the stream ended without a decision")
    if as_json:
        click.echo(json_format.MessageToJson(progress.decision, preserving_proto_field_name=True))
    else:
        show(progress.decision, Console())
    ctx.exit(EXIT_CODES.get(progress.decision.verdict, EXIT_FAILURE))


def _judge_here(
    request: consensus_pb2.JudgeRequest,
    file: Path,
    policy_file: Path | None,
    seconds: float,
    progress: JudgingProgress,
) -> None:
    policies = read_policies(policy_file)
    with refusals_told(file):
        anyio.run(judge_once, policies, request, seconds, progress)


@contextmanager
def refusals_told(file: Path) -> Iterator[None]:
    """Tell why a request that `file` held was refused. Raises BadInput and Failure."""
    name = name_of(file)
    try:
        yield
    except InvalidRequest as error:
        found = [(v.field.removeprefix("request."), v.description) for v in error.violations]
        raise BadInput("\n".join(f"{name}: {field}: {words}" for field, words in found)) from None
    except RequestError as error:
        raise Failure(f"{error.REASON}: {error}") from None


async def judge_at(
    target: str, request: consensus_pb2.JudgeRequest, seconds: float, progress: JudgingProgress
) -> None:
    """Judge at a server and draw its progress. Raises BadInput and Failure."""
    options = [("grpc.max_receive_message_length", MAX_REPLY_BYTES)]
    async with grpc.aio.insecure_channel(target, options) as channel:
        stub = consensus_pb2_grpc.ConsensusServiceStub(channel)
        try:
            stream = stub.StreamJudge(
                consensus_pb2.StreamJudgeRequest(request=request), timeout=seconds
            )
            async for event in stream:
                _draw(event, progress)
        except grpc.aio.AioRpcError as error:
            raise answered(target, error) from None


def answered(target: str, error: grpc.aio.AioRpcError) -> click.ClickException:
    """Return what a server's error status is for the caller: BadInput or Failure."""
    words = f"{target} answered {error.code().name}: {plain(error.details() or '', 500)}"
    if len(faults := _violations(error)) > 1:  # of several, the status itself tells the first
        words = f"{target} answered {error.code().name}:\n" + "\n".join(faults)
    invalid = error.code() is grpc.StatusCode.INVALID_ARGUMENT
    return BadInput(words) if invalid else Failure(words)


def _violations(error: grpc.aio.AioRpcError) -> list[str]:
    """Return each field at fault that the details of a status name, with what is wrong."""
    found: list[str] = []
    try:
        status = rpc_status.from_call(cast("grpc.Call", error))  # reads what both have
        for detail in status.details if status else ():
            bad = error_details_pb2.BadRequest()
            if detail.Unpack(bad):
                found += [f"{v.field}: {v.description}" for v in bad.field_violations]
    except (ValueError, DecodeError):  # details that contradict the status, or are none
        return []
    return [plain(line, 500) for line in found]


def _draw(event: consensus_pb2.StreamJudgeResponse, progress: JudgingProgress) -> None:
    match event.WhichOneof("event"):
        case "state_changed" if event.state_changed.state in STATE_FROM:
            progress.enter(STATE_FROM[event.state_changed.state])
        case "seat_started":
            progress.seat_started(event.seat_started.stage, event.seat_started.judge)
        case "seat_finished":
            progress.finish_seat(event.seat_finished.stage, event.seat_finished.seat)
        case "decision":
            progress.decision = event.decision
