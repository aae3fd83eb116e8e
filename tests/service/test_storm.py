"""A storm against processes: half of the calls cancelled, and afterwards nothing is held.

The whole one, 20,000 judgments, is `python -m benchmarks.storm`.
"""

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.storm.outcome import GRACE_SECONDS, MAX_GROWTH_MIB, Outcome, Size
from tests.service.process import ROOT, environment

SIZE = Size(rss_mib=80.0, threads=12, open_files=16)
CALM = Outcome(
    judgments=10,
    seconds=1.0,
    ends={"answered": 5, "cancelled": 5},
    upstream_asked=40,
    upstream_cancelled=3,
    before=SIZE,
    after=SIZE,
    held={"judging calls": 0.0, "upstream calls": 0.0},
    exit_code=0,
    drain_seconds=0.5,
    errors=0,
)
FAULTS = {
    "judging calls still held: 1": replace(CALM, held={"judging calls": 1.0}),
    "2 calls ended with INTERNAL": replace(CALM, ends={**CALM.ends, "INTERNAL": 2}),
    "no storm": replace(CALM, upstream_cancelled=0),
    "grew by 10.5 MiB": replace(CALM, after=replace(SIZE, rss_mib=80.5 + MAX_GROWTH_MIB)),
    "threads went from 12 to 21": replace(CALM, after=replace(SIZE, threads=21)),
    "open files went from 16 to 25": replace(CALM, after=replace(SIZE, open_files=25)),
    "exit code 1": replace(CALM, exit_code=1),
    "exit code None": replace(CALM, exit_code=None),
    "the drain took 5.5 s": replace(CALM, drain_seconds=GRACE_SECONDS + 0.5),
    "logged 1 errors": replace(CALM, errors=1),
}


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="reads what Linux tells in /proc")
def test_a_thousand_judgments_half_of_them_cancelled_leave_nothing_behind() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.storm", "--judgments", "1000", "--json"],
        cwd=ROOT,
        env=environment(),
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert done.stdout, done.stderr
    found = json.loads(done.stdout)
    assert found["faults"] == []
    assert done.returncode == 0
    assert sum(found["ends"].values()) == 1000
    assert set(found["held"].values()) == {0.0}


@pytest.mark.parametrize("words", FAULTS)
def test_whatever_is_left_behind_is_said(words: str) -> None:
    (fault,) = FAULTS[words].faults()
    assert words in fault


def test_nothing_left_behind_is_no_fault() -> None:
    assert list(CALM.faults()) == []
