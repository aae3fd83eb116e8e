"""Prompts: which are taken, how a rank earns credit, and what of them is sent."""

from dataclasses import replace
from pathlib import Path

import pytest

from examples.replay.option import DATA
from examples.replay.prompts import Prompt, credit, read_recording
from examples.replay.replay import request
from tests.examples import expectation
from tests.examples.real_recording import needs_recording
from tests.examples.records import alike, rows, write

PROMPT = Prompt(prompt_id="Math:1", group="Math", items=("a", "b", "c", "d"), chosen="a")


@pytest.mark.parametrize(
    ("scores", "earned"),
    [
        ({"a": 0.9, "b": 0.8, "c": 0.8, "d": 0.1}, 1),
        ({"a": 0.9, "b": 0.9, "c": 0.8, "d": 0.1}, 1 / 2),
        ({"a": 0.3, "b": 0.1 + 0.2, "c": 0.3, "d": 0.3}, 1 / 4),
        ({"a": 0.8, "b": 0.9, "c": 0.8, "d": 0.1}, 0),
        ({"a": 0.0, "b": None, "c": None, "d": None}, 1),
        ({"a": None, "b": 0.0, "c": 0.0, "d": 0.0}, 0),
        ({}, 0),
    ],
)
def test_the_first_place_earns_one_a_shared_one_its_part(
    scores: dict[str, float | None], earned: float
) -> None:
    assert credit(PROMPT, scores) == pytest.approx(earned)


@needs_recording
def test_every_complete_prompt_is_taken() -> None:
    table, labels = expectation.read(DATA)
    prompts = read_recording(DATA).prompts
    assert [prompt.prompt_id for prompt in prompts] == expectation.complete(table)
    assert all(labels[prompt.chosen] == 1 for prompt in prompts)


@needs_recording
def test_a_request_is_the_same_whichever_response_was_chosen() -> None:
    for prompt in read_recording(DATA, 20).prompts:
        for item in prompt.items:
            sent = {
                request(
                    replace(prompt, chosen=chosen, group=group), item, "median"
                ).SerializeToString(deterministic=True)
                for chosen in prompt.items
                for group in (prompt.group, "another")
            }
            assert len(sent) == 1


def test_a_limit_takes_prompts_from_all_over_the_file(tmp_path: Path) -> None:
    groups = ("Math", "Focus", "Safety", "Factuality")
    records = [
        row
        for group in groups
        for number in range(3)
        for row in rows(f"{group}:{number}", 0, alike([9], [8], [7], [6]))
    ]
    file = write(tmp_path / "data.gz", records)
    assert [prompt.group for prompt in read_recording(file, 4).prompts] == list(groups)
    assert len(read_recording(file, 100).prompts) == len(read_recording(file).prompts) == 12
