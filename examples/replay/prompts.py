"""The side that knows the answers: prompts, their four responses, and which one was chosen.

No judge imports this module.
"""

import gzip
import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

JUDGES = ("gpt-5.4", "gpt-5.4-mini", "gpt-5.4-nano", "claude-sonnet-4.6", "claude-haiku-4.5")
RESPONSES = 4

FirstSamples = Mapping[str, Mapping[str, int | None]]
"""By judge and item: the first sample, None where the model refused."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """One prompt with its responses."""

    prompt_id: str
    group: str
    """What the prompt tries, such as `Math`."""
    items: tuple[str, ...]
    """Ids of the responses."""
    chosen: str
    """Id of the response that people preferred."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recording:
    """What was recorded about the complete prompts."""

    prompts: tuple[Prompt, ...]
    first: FirstSamples


def read_recording(file: Path, limit: int | None = None) -> Recording:
    """Return the complete prompts: those of which every judge has a record of every response.

    `limit` takes so many of them, evenly spread over the file, which is sorted by group.
    """
    rows: dict[str, dict[str, dict[str, object]]] = defaultdict(dict)
    first: dict[str, dict[str, int | None]] = {judge: {} for judge in JUDGES}
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        for row in map(json.loads, lines):
            if row["judge_id"] in first:
                samples = row["samples"]
                first[row["judge_id"]][row["item_id"]] = samples[0] if samples else None
                rows[row["prompt_id"]][row["item_id"]] = row
    complete = [
        prompt
        for prompt_id, items in rows.items()
        if (prompt := _prompt(prompt_id, items)) is not None
        and all(item in of_judge for of_judge in first.values() for item in prompt.items)
    ]
    count = len(complete) if limit is None else min(limit, len(complete))
    spread = (complete[number * len(complete) // count] for number in range(count))
    return Recording(prompts=tuple(spread), first=first)


def _prompt(prompt_id: str, items: Mapping[str, Mapping[str, object]]) -> Prompt | None:
    chosen = [item for item, row in items.items() if row["label"] == 1]
    if len(items) != RESPONSES or len(chosen) != 1:
        return None
    group = str(items[chosen[0]]["group"])
    return Prompt(prompt_id=prompt_id, group=group, items=tuple(sorted(items)), chosen=chosen[0])


TIED = 1e-9
"""Scores closer than this are equal: sums of the same ninths in another order."""


def credit(prompt: Prompt, scores: Mapping[str, float | None]) -> float:
    """Return 1 when the chosen response alone has the highest score, 1/k when k share it, else 0.

    A response without a score is never the highest; with no score at all there is no credit.
    """
    known = {item: score for item in prompt.items if (score := scores.get(item)) is not None}
    if prompt.chosen not in known:
        return 0.0
    best = max(known.values())
    top = [item for item, score in known.items() if score >= best - TIED]
    return 1 / len(top) if prompt.chosen in top else 0.0


def shares(
    prompts: Sequence[Prompt], scores: Mapping[str, float | None]
) -> tuple[float, dict[str, float]]:
    """Return the mean credit over all prompts, and over those of each group."""
    by_group: dict[str, list[float]] = defaultdict(list)
    for prompt in prompts:
        by_group[prompt.group].append(credit(prompt, scores))
    every = [value for values in by_group.values() for value in values]
    groups = {group: sum(values) / len(values) for group, values in sorted(by_group.items())}
    return sum(every) / len(every), groups
