"""A recorded judge answers with its model's samples, and never with the label."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from examples.replay.option import DATA
from examples.replay.prompts import JUDGES
from examples.replay.recorded_judge import main
from examples.replay.recordings import UNKNOWN, answer, confidence, read_answers, score
from tests.examples.real_recording import needs_recording
from tests.examples.records import Row, alike, read, rows, write


def test_samples_of_one_to_ten_become_scores_of_zero_to_one() -> None:
    assert [score(1), score(10)] == [0.0, 1.0]
    assert score(4) == pytest.approx(1 / 3)


def test_confidence_is_one_when_samples_agree_and_zero_at_the_widest_spread() -> None:
    assert confidence([7, 7, 7, 7]) == 1.0
    assert confidence([1, 10, 1, 10]) == 0.0
    # stdev of 5, 7 is 1: 1 - 2 / 9
    assert confidence([5, 7]) == pytest.approx(7 / 9)


def test_confidence_is_unknown_without_a_spread_to_see() -> None:
    assert confidence([8]) == UNKNOWN


def test_the_first_sample_is_the_answer() -> None:
    gradient = answer([10, 1, 1]).gradient
    assert gradient.score == 1.0


def test_a_refused_first_sample_is_an_abstention_whatever_followed() -> None:
    assert answer([None, 7, 7]).WhichOneof("answer") == "abstention"
    assert answer([]).WhichOneof("answer") == "abstention"


def test_a_refused_later_sample_only_leaves_the_spread() -> None:
    assert answer([6, None, 6]).gradient.confidence == 1.0


def test_a_judge_reads_its_own_rows_only(tmp_path: Path) -> None:
    records = rows("Math:1", 0, {"gpt-5.4": [[9], [8]], "gpt-5.4-mini": [[2], [3], [4]]})
    file = write(tmp_path / "data.gz", records)
    assert list(read_answers(file, "gpt-5.4")) == ["Math:1/0", "Math:1/1"]
    assert read_answers(file, "gpt-5.4")["Math:1/0"].gradient.score == score(9)


def test_answers_do_not_change_with_the_label_nor_without_it(tmp_path: Path) -> None:
    records = rows("Math:1", 2, alike([4], [5], [6], [7]))
    plain = read_answers(write(tmp_path / "plain.gz", records), "gpt-5.4")
    turned = [{**row, "label": 1 - int(str(row["label"]))} for row in records]
    bare = [{key: row[key] for key in ("item_id", "judge_id", "samples")} for row in records]
    for changed in (turned, bare):
        assert read_answers(write(tmp_path / "changed.gz", changed), "gpt-5.4") == plain


@pytest.fixture(scope="module")
def recorded() -> list[Row]:
    return read(DATA)


@needs_recording
@pytest.mark.parametrize("judge", JUDGES)
def test_real_answers_need_neither_label_nor_the_name_of_an_item(
    judge: str, recorded: list[Row], tmp_path: Path
) -> None:
    own = [row for row in recorded if row["judge_id"] == judge]
    keys = ("judge_id", "samples")
    renamed = [
        {"item_id": f"item-{number}", **{key: row[key] for key in keys}}
        for number, row in enumerate(own)
    ]
    answers = read_answers(write(tmp_path / "renamed.gz", renamed), judge)
    assert list(answers.values()) == list(read_answers(DATA, judge).values())


def test_a_judge_without_a_record_does_not_start(tmp_path: Path) -> None:
    file = write(tmp_path / "data.gz", rows("Math:1", 0, {"gpt-5.4": [[9]]}))
    result = CliRunner().invoke(main, ["--judge", "gpt-9", "--data", str(file)])
    assert result.exit_code == 2
    assert "holds no record of 'gpt-9'" in result.output
