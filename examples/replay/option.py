"""The recording on the command line: where it is, and what is said where it is not."""

from pathlib import Path

import click

from examples.replay.processes import ROOT
from examples.replay.prompts import JUDGES, Recording, read_recording

DATA = ROOT.parent / "shared" / "data" / "rb2_pointwise.jsonl.gz"

FORM = (
    "gzipped JSON Lines of item_id, group, prompt_id, label, judge_id and samples"
    " (examples/README.md)"
)

data_option = click.option(
    "--data",
    type=click.Path(path_type=Path),
    default=DATA,
    help="The recording.  [default: ../shared/data/rb2_pointwise.jsonl.gz]",
)


def complete_prompts(data: Path, limit: int | None) -> Recording:
    """Return what `read_recording` does. Raises ClickException where there is nothing to read."""
    if not data.is_file():
        raise click.ClickException(
            f"there is no recording at {data}. Pass one with --data FILE: {FORM}."
        )
    try:
        recording = read_recording(data, limit)
    except (OSError, EOFError, ValueError, KeyError, TypeError) as error:
        kind = type(error).__name__
        raise click.ClickException(f"{data} is no recording ({kind}); must be {FORM}") from None
    if not recording.prompts:
        judges = ", ".join(JUDGES)
        raise click.ClickException(f"{data} holds no prompt that all of {judges} have judged")
    return recording
