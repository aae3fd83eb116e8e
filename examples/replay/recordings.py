"""What a recorded model answers about an item: its samples, read as a gradient.

- score = (first sample - 1) / 9: the samples run from 1 to 10;
- confidence = 1 - 2 stdev / 9 over all samples: 1 when they agree, 0 when half of them say 1 and
  half say 10, the widest there is; UNKNOWN where fewer than two samples are left;
- a refused or unread first sample is an abstention.

Of a row it reads `item_id`, `judge_id` and `samples`. Which response was chosen (`label`) stays
with whoever measures: prompts.py.
"""

import gzip
import json
import statistics
from collections.abc import Sequence
from pathlib import Path

from consensus.v1 import gradient_pb2, judge_pb2

LOWEST, HIGHEST = 1, 10
UNKNOWN = 0.5
"""Confidence where the spread of the samples cannot be seen."""


def score(sample: int) -> float:
    """Return a sample of 1 to 10 as a score of 0 to 1."""
    return (sample - LOWEST) / (HIGHEST - LOWEST)


def confidence(samples: Sequence[int]) -> float:
    """Return how sure a judge is that gave these samples, 0 to 1."""
    if len(samples) < 2:
        return UNKNOWN
    spread = 2 * statistics.pstdev(samples) / (HIGHEST - LOWEST)
    return min(max(1.0 - spread, 0.0), 1.0)


def answer(samples: Sequence[int | None]) -> judge_pb2.EvaluateResponse:
    """Return what a judge with these samples answers; the first one is the answer it gave."""
    first = samples[0] if samples else None
    if first is None:
        refused = gradient_pb2.Abstention(reason="The model refused, or its reply held no score.")
        return judge_pb2.EvaluateResponse(abstention=refused)
    given = [sample for sample in samples if sample is not None]
    gradient = gradient_pb2.GradientResult(
        score=score(first),
        confidence=confidence(given),
        reasoning=f"Recorded: {first} of {HIGHEST}, the first of {len(given)} samples.",
    )
    return judge_pb2.EvaluateResponse(gradient=gradient)


def read_answers(file: Path, judge: str) -> dict[str, judge_pb2.EvaluateResponse]:
    """Return the judge's answer for each item that it has a record of."""
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        rows = (json.loads(line) for line in lines if judge in line)
        return {row["item_id"]: answer(row["samples"]) for row in rows if row["judge_id"] == judge}
