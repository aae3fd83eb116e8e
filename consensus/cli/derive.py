"""`consensus derive`: a rubric out of a task, derived here or at a server."""

from pathlib import Path

import anyio
import click
from google.protobuf import json_format
from rich.console import Console

from consensus.app import read_policies
from consensus.cli import HELP, Failure, Seconds
from consensus.cli.judge import judge_at, refusals_told
from consensus.cli.progress import JudgingProgress
from consensus.cli.reading import read_request
from consensus.cli.rendering import show_rubric
from consensus.once import derive_once
from consensus.v1 import consensus_pb2, submission_pb2
from consensus.wire.submission import rubric_to


@click.command(context_settings=HELP)
@click.argument("file", type=click.Path(path_type=Path, allow_dash=True))
@click.option("--target", help="A server, as HOST:PORT. Without it, derives in this process.")
@click.option("--policy", default="", help="Name of the policy. Without it, the default one.")
@click.option(
    "--policy-file",
    type=click.Path(path_type=Path),
    help="Policies whose judges derive in this process.",
)
@click.option("--judge", default="", help="The llm judge. Without it, the policy's first.")
@click.option("--max-criteria", default=8, show_default=True, type=click.IntRange(1, 32))
@click.option("--json", "as_json", is_flag=True, help="Print the rubric as JSON.")
@click.option("--timeout-seconds", default=30.0, show_default=True, type=Seconds(0.1, 120))
def command(
    file: Path,
    target: str | None,
    policy: str,
    policy_file: Path | None,
    judge: str,
    max_criteria: int,
    as_json: bool,
    timeout_seconds: float,
) -> None:
    """Derive a rubric from the task of the submission in FILE (JSON; `-` reads standard input),
    which has none.

    Send the rubric with every attempt, so that all are judged by the same list. At a server the
    submission is judged too, since the rubric comes with the decision; here it is not.

    Exits with 3 for bad input, 4 when no rubric can be derived.
    """
    if target and policy_file:
        raise click.UsageError("--policy-file derives in this process, --target at a server")
    request = read_request(file)
    request.derive_criteria.judge = judge
    request.derive_criteria.max_criteria = max_criteria
    if policy:
        request.policy = policy
    if target:
        rubric = _derived_at(target, request, timeout_seconds)
    else:
        policies = read_policies(policy_file)
        with refusals_told(file):
            rubric = rubric_to(anyio.run(derive_once, policies, request, timeout_seconds))
    if as_json:
        click.echo(json_format.MessageToJson(rubric, preserving_proto_field_name=True))
    else:
        show_rubric(rubric, Console())


def _derived_at(
    target: str, request: consensus_pb2.JudgeRequest, seconds: float
) -> submission_pb2.Rubric:
    with JudgingProgress() as progress:
        anyio.run(judge_at, target, request, seconds, progress)
    if progress.decision is None or not progress.decision.derived_rubric.criteria:
        raise Failure("the server derived no rubric")
    return progress.decision.derived_rubric
