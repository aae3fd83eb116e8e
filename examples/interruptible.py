"""Commands that Ctrl-C may end at any time, even before they have anything to stop."""

from typing import Any

import click

EXIT_INTERRUPTED = 130


class Interruptible(click.Command):
    """Says so and exits with 130, as `consensus` does; click would say "Aborted!" and exit with 1,
    which is a result.
    """

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command."""
        try:
            return super().invoke(ctx)
        except (click.Abort, KeyboardInterrupt):
            click.echo("Interrupted.", err=True)
            ctx.exit(EXIT_INTERRUPTED)
