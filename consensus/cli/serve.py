"""`consensus serve`: the server process."""

import sys
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import click
from msgspec.structs import fields

from consensus.app import App, read_policies
from consensus.cli import HELP, BadInput, Failure, Seconds
from consensus.config import Settings
from consensus.config.settings import loopback
from consensus.domain.policy import PolicySet
from consensus.telemetry.exposition import process_registry
from consensus.telemetry.logs import structured_logs
from consensus.telemetry.recorder import Recorder

DEFAULTS = {field.name: field.default for field in fields(Settings)}


@click.command(context_settings=HELP)
@click.option(
    "--listen", metavar="HOST:PORT", help="Where gRPC is served; port 0 takes a free one."
)
@click.option(
    "--expose",
    is_flag=True,
    help="Allow addresses other than loopback. There is no"
    " authentication: only behind a network that you trust.",
)
@click.option("--metrics", metavar="HOST:PORT", help="Where Prometheus scrapes; empty: nowhere.")
@click.option(
    "--policy-file",
    type=click.Path(path_type=Path),
    help="The policy file; without it the bundled policy of embedded judges serves.",
)
@click.option(
    "--reload-seconds",
    type=Seconds(min=0),
    help="How often the policy file is looked at; 0: on SIGHUP only.",
)
@click.option("--max-inflight", type=click.IntRange(1), help="Most judging calls under way.")
@click.option(
    "--default-deadline-seconds",
    type=Seconds(0.1, 120),
    help="Deadline of calls that set none.",
)
@click.option(
    "--max-deadline-seconds",
    type=Seconds(0.1, 600),
    help="Longest deadline that is honoured.",
)
@click.option(
    "--max-message-bytes",
    type=click.IntRange(1 << 16, 64 << 20),
    help="Largest request and response.",
)
@click.option(
    "--reflection/--no-reflection",
    default=None,
    help="Serve gRPC reflection.  [default: on loopback only]",
)
@click.option(
    "--drain-delay-seconds",
    type=Seconds(0, 60),
    help="After SIGTERM, how long to keep serving while load balancers notice.",
)
@click.option(
    "--drain-grace-seconds",
    type=Seconds(0, 600),
    help="After that, how long calls under way may take.",
)
@click.option("--log-level", type=click.Choice(["debug", "info", "warning", "error"]))
@click.option(
    "--audit",
    is_flag=True,
    help="Log each call of a judge and what each panel came to, at any log level; ids and numbers,"
    " never content.",
)
def command(**given: Any) -> None:
    """Serve gRPC until SIGTERM or Ctrl-C.

    Every option can be set as CONSENSUS_SERVE_<OPTION>, such as CONSENSUS_SERVE_LISTEN. SIGHUP
    reloads the policy file; a file that is at fault is refused and the last good one stays.
    """
    settings = Settings(**given)
    for name in ("listen", "metrics"):
        _check_address(name, getattr(settings, name), settings.expose)
    policies = read_policies(settings.policy_file)
    recorder = Recorder(process_registry())

    async def serve() -> None:
        app = App(settings, policies, recorder)
        await app.run(partial(_greet, policies) if sys.stderr.isatty() else None)

    with structured_logs(settings.log_level, recorder.log_dropped):
        try:
            anyio.run(serve)
        except OSError as error:
            raise Failure(str(error)) from None


for _option in command.params:
    if _option.name in DEFAULTS and _option.name != "reflection":
        _option.default = DEFAULTS[_option.name]
        _option.show_default = bool(DEFAULTS[_option.name])  # type: ignore[attr-defined]


def _check_address(name: str, address: str, expose: bool) -> None:
    if name == "metrics" and not address:
        return
    host, _, port = address.rpartition(":")
    local = name == "listen" and address.startswith("unix:")
    numbered = port.isascii() and port.isdigit() and int(port) < 65536
    if not local and not (host and numbered):
        raise BadInput(f"--{name} is {address!r}; must be HOST:PORT, such as {DEFAULTS[name]}")
    if not expose and not loopback(address):
        raise BadInput(
            f"--{name} is {address}, which other hosts can reach, and there is no authentication."
            " Add --expose if the network keeps strangers out."
        )


def _greet(policies: PolicySet, address: str, metrics: str) -> None:
    names = ", ".join(policies.policies)
    click.secho(f"Serving on {address}", fg="green", bold=True, err=True)
    click.echo(f"  policies  {names} (default: {policies.default})", err=True)
    if metrics:
        click.echo(f"  metrics   http://{metrics}/metrics", err=True)
    click.echo("  stop      Ctrl-C, a second one stops at once", err=True)
