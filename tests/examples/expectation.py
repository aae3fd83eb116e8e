"""What a replay must find, computed from the file alone: numpy, and nothing of the project."""

import gzip
import json
from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

MODELS = ("gpt-5.4", "gpt-5.4-mini", "gpt-5.4-nano", "claude-sonnet-4.6", "claude-haiku-4.5")

Seats = list[tuple[float, float]]
"""(score, confidence) of the seats that scored."""
Table = dict[str, dict[str, dict[str, list[int | None]]]]
"""Samples by prompt, item and model."""


def read(file: Path) -> tuple[Table, dict[str, int]]:
    """Return the samples of the five models, and the label of each item."""
    table: Table = defaultdict(lambda: defaultdict(dict))
    labels = {}
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            if row["judge_id"] in MODELS:
                table[row["prompt_id"]][row["item_id"]][row["judge_id"]] = row["samples"]
                labels[row["item_id"]] = row["label"]
    return table, labels


def complete(table: Table) -> list[str]:
    """Return the prompts with four responses that all five models have a record of."""
    return [
        prompt
        for prompt, items in table.items()
        if len(items) == 4 and all(len(models) == 5 for models in items.values())
    ]


def seats(models: dict[str, list[int | None]]) -> Seats:
    """Return the seats of one response."""
    found = []
    for model in MODELS:
        samples = models[model]
        if samples and samples[0] is not None:
            given = np.array([sample for sample in samples if sample is not None], float)
            spread = 1 - 2 * given.std() / 9 if len(given) > 1 else 0.5
            found.append(((samples[0] - 1) / 9, float(np.clip(spread, 0, 1))))
    return found


def _trimmed(scores: list[float]) -> float:
    """Integrate the sorted scores, each one wide, from 20 % to 80 % of the width."""
    edges = np.arange(len(scores) + 1)
    area = np.concatenate([[0.0], np.cumsum(np.sort(scores))])
    low, high = 0.2 * len(scores), 0.8 * len(scores)
    return float((np.interp(high, edges, area) - np.interp(low, edges, area)) / (high - low))


def _best_three(found: Seats) -> float:
    def rank(seat: tuple[float, float]) -> tuple[float, float]:
        product = round(seat[0] * seat[1], 12)
        return -product, seat[0]

    ranked = sorted(found, key=rank)
    return float(np.mean([score for score, _ in ranked[:3]]))


def _majority(scores: list[float]) -> float:
    lead = sum(1 if score >= 0.5 else -1 for score in scores)
    return float(np.sign(lead) / 2 + 0.5)


FOLDS: dict[str, Callable[[Seats], float]] = {
    "weighted_average": lambda found: float(np.mean([score for score, _ in found])),
    "median": lambda found: float(np.median([score for score, _ in found])),
    "trimmed_mean": lambda found: _trimmed([score for score, _ in found]),
    "best_of_n": _best_three,
    "majority": lambda found: _majority([score for score, _ in found]),
    "unanimous": lambda found: min(score for score, _ in found),
}


def score(name: str, models: dict[str, list[int | None]]) -> float | None:
    """Return what one model or one strategy makes of a response; None where it cannot tell."""
    if name in MODELS:
        sample = models[name][0]
        return None if sample is None else sample / 10
    found = seats(models)
    return FOLDS[name](found) if found else None


def agreement(found: Seats) -> float | None:
    """Return 1 - var / 0.25, for every strategy but majority."""
    if len(found) < 2:
        return None
    return 1 - min(float(np.var([score for score, _ in found])) / 0.25, 1.0)


def first(scores: Sequence[float | None], labels: Sequence[int]) -> float:
    """Return the credit of one prompt."""
    known = np.array([-1.0 if score is None else score for score in scores])
    top = np.isclose(known, known.max()) & (known >= 0)
    return float((np.array(labels)[top]).sum() / top.sum()) if top.any() else 0.0
