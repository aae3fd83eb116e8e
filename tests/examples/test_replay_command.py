"""`python -m examples.replay` on a recording small enough to know the figures by heart."""

import gzip
import json
import signal
from pathlib import Path

import anyio
import pytest
from click.testing import CliRunner, Result

from examples.interruptible import EXIT_INTERRUPTED
from examples.replay import __main__ as command
from examples.replay.prompts import JUDGES, RESPONSES
from tests.examples.records import Row, alike, rows, write

MATH = rows("Math:1", 0, alike([9, 9], [8, 8], [8, 8], [2, 2]))
TIED = rows("Math:2", 0, alike([6, 6], [6, 6], [1, 1], [1, 1]))
MISSED = rows("Focus:1", 3, alike([7, 7], [6, 6], [6, 6], [2, 2]))
REFUSED = rows("Focus:2", 0, alike([None, 9], [1, 1], [None, 1], [None, 1]))
PARTIAL = rows("Focus:3", 0, {"gpt-5.4": [[10]] * RESPONSES})


def replayed(file: Path, *arguments: str) -> Result:
    return CliRunner().invoke(command.main, ["--data", str(file), *arguments])


@pytest.fixture(scope="module")
def figures(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Row]:
    folder = tmp_path_factory.mktemp("recording")
    file = write(folder / "data.gz", [*MATH, *TIED, *MISSED, *REFUSED, *PARTIAL])
    result = replayed(file, "--json")
    assert result.exit_code == 0, result.output
    return {line["name"]: line for line in json.loads(result.stdout)}


def test_every_judge_and_every_strategy_has_a_line(figures: dict[str, Row]) -> None:
    kinds = [line["kind"] for line in figures.values()]
    assert kinds == ["judge"] * len(JUDGES) + ["strategy"] * 6


def test_a_win_counts_one_a_tie_its_part_a_refusal_and_a_miss_nothing(
    figures: dict[str, Row],
) -> None:
    # Math: (1 + 1/2) / 2; Focus: (0 + 0) / 2; the prompt with one judge's record is left out
    for name in (*JUDGES, "weighted_average", "median", "trimmed_mean", "best_of_n", "unanimous"):
        assert figures[name]["groups"] == {"Focus": 0.0, "Math": 0.75}, name
        assert figures[name]["first"] == 0.375


def test_majority_only_sees_which_responses_pass(figures: dict[str, Row]) -> None:
    # three of four responses to Math:1 pass, so the credit is a third; two tie for Math:2
    assert figures["majority"]["groups"] == {
        "Focus": 0.0,
        "Math": pytest.approx((1 / 3 + 1 / 2) / 2),
    }


def test_judges_that_say_the_same_agree(figures: dict[str, Row]) -> None:
    assert figures["median"]["agreement"] == pytest.approx(1.0)


def test_the_table_shows_prompts_throughput_and_groups(tmp_path: Path) -> None:
    result = replayed(write(tmp_path / "data.gz", [*MATH, *MISSED]), "--groups")
    assert result.exit_code == 0, result.output
    for words in ("(2 prompts)", "48 judgments and 240 judge calls", "By group", "unanimous"):
        assert words in result.output


def test_a_missing_recording_is_named_with_the_remedy(tmp_path: Path) -> None:
    result = replayed(tmp_path / "none.gz")
    assert result.exit_code == 1
    assert "there is no recording at" in result.output
    assert "--data FILE" in result.output


@pytest.mark.parametrize("content", [b"# no gzip", gzip.compress(b"{}\n"), gzip.compress(b"[]")])
def test_a_file_that_is_no_recording_is_named(content: bytes, tmp_path: Path) -> None:
    file = tmp_path / "other.gz"
    file.write_bytes(content)
    result = replayed(file)
    assert (result.exit_code, type(result.exception)) == (1, SystemExit)
    assert f"Error: {file} is no recording (" in result.output.replace("\n", "")
    assert "must be gzipped JSON Lines" in result.output


def test_a_recording_without_a_complete_prompt_is_refused(tmp_path: Path) -> None:
    result = replayed(write(tmp_path / "data.gz", PARTIAL))
    assert result.exit_code == 1
    assert "holds no prompt that all of gpt-5.4" in result.output


def test_a_judge_that_cannot_start_ends_the_replay_with_its_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("examples.replay.replay.JUDGES", ("nobody",))
    result = replayed(write(tmp_path / "data.gz", MATH))
    assert result.exit_code == 1
    assert "the judge nobody did not start" in result.output


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_replay_says_so(
    number: signal.Signals, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def interrupted(*args: object, **kwargs: object) -> None:
        signal.raise_signal(number)
        await anyio.sleep_forever()

    monkeypatch.setattr(command, "replay", interrupted)
    result = replayed(write(tmp_path / "data.gz", MATH))
    assert result.exit_code == EXIT_INTERRUPTED
    assert "judges and server are stopped" in result.output
