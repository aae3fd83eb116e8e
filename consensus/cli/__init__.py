"""THE COMMANDS: serve, check, judge, judge-tool, derive, trace, demo, health, policies. Thin."""

import difflib
import importlib
import io
import math
import os
import sys
import traceback
from typing import Any

import click

from consensus import __version__
from consensus.cli.glyphs import ERRORS
from consensus.domain.errors import ConsensusError

COMMANDS = {
    "serve": "Serve gRPC until SIGTERM.",
    "check": "Check a policy file; says every fault with its line.",
    "judge": "Judge a submission, here or at a server.",
    "judge-tool": "Judge a tool call before it runs, here or at a server.",
    "derive": "Derive a rubric from a task, here or at a server.",
    "trace": "Tell what an agent did, out of an OTLP file.",
    "demo": "Start a server, judge two drafts over gRPC, stop.",
    "health": "Ask a server for its health.",
    "policies": "List policies: of a server, or of a policy file.",
}
EXIT_USAGE = 3
"""Bad arguments, files or submissions. 0, 1 and 2 are verdicts."""
EXIT_FAILURE = 4
"""The work could not be done: no server, a taken port, an error status."""
EXIT_INTERRUPTED = 130
HELP = {"help_option_names": ["-h", "--help"]}
"""Settings of every command."""


class _Commands(click.Group):
    """Imports a command's module only when it is called: `serve` needs no tables."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command = importlib.import_module(f"consensus.cli.{cmd_name.replace('-', '_')}").command
        return command if isinstance(command, click.Command) else None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        close = difflib.get_close_matches(args[0], COMMANDS, 1)
        if close and args[0] not in COMMANDS:
            ctx.fail(f"No such command {args[0]!r}. Did you mean {close[0]!r}?")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(cls=_Commands, context_settings=HELP)
@click.version_option(__version__, prog_name="consensus")
def cli() -> None:
    """Ask several judges about a submission and fold their answers into one decision."""


def main(arguments: list[str] | None = None) -> None:
    """Run a command and exit: 0 to 2 as the command says, 3 bad input, 4 failure or a bug."""
    # gRPC's core writes lines of its own to stderr, which are no JSON and tell nothing new.
    os.environ.setdefault("GRPC_VERBOSITY", "NONE")
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a terminal may know neither bars nor ticks
            stream.reconfigure(errors=ERRORS)
    try:
        code = cli.main(
            arguments, "consensus", standalone_mode=False, auto_envvar_prefix="CONSENSUS"
        )
    except click.UsageError as error:
        error.show()
        code = EXIT_USAGE
    except click.ClickException as error:
        error.show()
        code = error.exit_code
    except ConsensusError as error:
        click.echo(f"Error: {error}", err=True)
        code = EXIT_USAGE
    except (click.Abort, KeyboardInterrupt):
        click.echo("Interrupted.", err=True)
        code = EXIT_INTERRUPTED
    except (BrokenPipeError, SystemExit):  # rich makes the second of the first
        sys.stderr.close()
        code = EXIT_FAILURE
    except OSError as error:
        click.echo(f"Error: {error.strerror or error}", err=True)
        code = EXIT_FAILURE
    except Exception:  # noqa: BLE001 - Python would exit with 1, which is a verdict
        traceback.print_exc()
        code = EXIT_FAILURE
    sys.exit(code if isinstance(code, int) else 0)


class Seconds(click.FloatRange):
    """A number of seconds in a range; unlike click's, no NaN, which no range keeps out."""

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """Return the number of seconds."""
        seconds: float = super().convert(value, param, ctx)
        if not math.isfinite(seconds):
            self.fail(f"{seconds} is no number of seconds.", param, ctx)
        return seconds


class Failure(click.ClickException):
    """The work could not be done."""

    exit_code = EXIT_FAILURE


class BadInput(click.ClickException):
    """A file or value that cannot be used."""

    exit_code = EXIT_USAGE
