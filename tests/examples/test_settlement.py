"""Early settlement on recorded judges: what it saves, and that no verdict changes."""

from pathlib import Path

import pytest

from consensus.domain.policy import Gate
from examples.replay.option import DATA
from examples.replay.panels import STRATEGIES
from examples.replay.prompts import read_recording
from examples.settlement.comparison import Comparison, compare, policy
from examples.settlement.judges import LateJudge, Latency, late_judges
from tests.examples.real_recording import needs_recording
from tests.examples.records import alike, rows, write

QUICK, STEADY = Latency(), Latency(median=3, sigma=0)
GATES = [
    Gate(),
    Gate(min_score=0.4, min_confidence=0.6),
    Gate(min_agreement=0.9),
    Gate(min_score=0),
]
PROMPTS = 6

Bench = tuple[dict[str, LateJudge], list[str]]
"""Judges by name, and the items that they know."""


def bench(file: Path, latency: Latency = QUICK, seed: int = 1) -> Bench:
    """Return the judges of a recording, and its items."""
    items = [item for prompt in read_recording(file).prompts for item in prompt.items]
    return late_judges(file, items, latency, seed), items


def everyone_says(folder: Path, *samples: int | None) -> Path:
    """Write a recording in which every judge gives every response these samples."""
    return write(folder / "data.gz", rows("Math:1", 0, alike(*[samples] * 4)))


def compared(file: Path, strategy: str, gate: Gate = GATES[0], quorum: int = 1) -> Comparison:
    """Return what settling early makes of a recording."""
    judges, items = bench(file)
    return compare(policy(strategy, gate, quorum), judges, items)


def test_one_no_settles_a_unanimous_panel_and_four_calls_are_saved(tmp_path: Path) -> None:
    file = everyone_says(tmp_path, 1, 1)
    found = compared(file, "unanimous")
    assert (found.seats, found.skipped, found.saved) == (20, 16, pytest.approx(0.8))
    assert (found.accepted, found.differing) == (0, 0)
    assert found.early_seconds < found.patient_seconds


def test_a_unanimous_yes_needs_every_seat(tmp_path: Path) -> None:
    found = compared(everyone_says(tmp_path, 10, 10), "unanimous")
    assert (found.accepted, found.skipped, found.differing) == (4, 0, 0)
    assert found.early_seconds == found.patient_seconds


def test_three_votes_of_five_settle_a_majority(tmp_path: Path) -> None:
    found = compared(everyone_says(tmp_path, 9, 9), "majority")
    assert (found.accepted, found.saved) == (4, pytest.approx(0.4))


def test_nothing_settles_below_the_quorum(tmp_path: Path) -> None:
    assert compared(everyone_says(tmp_path, 1, 1), "unanimous", quorum=4).skipped == 4


def test_judges_that_refuse_are_waited_for(tmp_path: Path) -> None:
    found = compared(everyone_says(tmp_path, None, 9), "median")
    assert (found.accepted, found.differing) == (0, 0)


def test_a_decision_takes_as_long_as_its_slowest_judge(tmp_path: Path) -> None:
    judges, items = bench(everyone_says(tmp_path, 9, 9), STEADY)
    found = compare(policy("weighted_average", Gate(), 1), judges, items)
    assert found.patient_seconds == (pytest.approx(3), pytest.approx(3))


def test_latencies_are_those_of_the_seed(tmp_path: Path) -> None:
    file = everyone_says(tmp_path, 9, 7)

    def seconds(seed: int) -> tuple[float, float]:
        judges, items = bench(file, seed=seed)
        return compare(policy("median", Gate(), 1), judges, items).patient_seconds

    assert seconds(1) == seconds(1) != seconds(2)


@pytest.fixture(scope="module")
def real() -> Bench:
    """Return the real judges of a few prompts all over the file."""
    items = [item for prompt in read_recording(DATA, PROMPTS).prompts for item in prompt.items]
    return late_judges(DATA, items, QUICK, 7), items


@needs_recording
@pytest.mark.parametrize("gate", GATES)
def test_no_verdict_on_the_real_recording_changes(gate: Gate, real: Bench) -> None:
    judges, items = real
    found = [compare(policy(strategy, gate, 3), judges, items) for strategy in STRATEGIES]
    assert [each.differing for each in found] == [0] * len(STRATEGIES)
    assert sum(each.skipped for each in found) > 0
