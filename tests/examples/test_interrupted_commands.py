"""Ctrl-C ends every example's command in one way, from its first line on."""

from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from examples.replay import __main__ as replay
from examples.replay import recorded_judge
from examples.settlement import __main__ as settlement
from tests.examples.records import alike, rows, write


@pytest.mark.parametrize(
    ("command", "reading", "arguments"),
    [
        (replay.main, "examples.replay.option.read_recording", ()),
        (settlement.main, "examples.replay.option.read_recording", ()),
        (recorded_judge.main, "examples.replay.recorded_judge.read_answers", ("--judge", "x")),
    ],
    ids=["replay", "settlement", "recorded_judge"],
)
def test_an_interrupt_while_the_recording_is_read_is_told_and_is_no_result(
    command: click.Command,
    reading: str,
    arguments: tuple[str, ...],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def interrupted(*arguments: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(reading, interrupted)
    data = write(tmp_path / "data.gz", rows("Math:1", 0, alike([9], [8], [3], [1])))
    result = CliRunner().invoke(command, ["--data", str(data), *arguments])
    assert (result.exit_code, result.output) == (130, "Interrupted.\n")
