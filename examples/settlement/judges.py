"""Judges that answer in virtual time: each with its recorded answer, after a drawn latency."""

import math
import random
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import anyio

from consensus.domain.evaluation import Evaluation
from consensus.domain.gradient import Answer
from consensus.wire.gradient import answer_from
from examples.replay.prompts import JUDGES
from examples.replay.recordings import read_answers


@dataclass(frozen=True, slots=True, kw_only=True)
class Latency:
    """A log-normal latency: half of the draws are below the median.

    The recording tells no latencies. These are of the size that large models have, and the same
    for every judge, so that nothing in the figures comes from who is fast.
    """

    median: float = 2.0
    """Seconds, > 0."""
    sigma: float = 0.8
    """Standard deviation of the logarithm, >= 0; with 0.8 one of twenty takes 3.7 medians."""


class LateJudge:
    """One recorded judge behind the port."""

    kind = "recorded"
    waits: Literal[True] = True

    def __init__(
        self, name: str, answers: Mapping[str, Answer], seconds: Mapping[str, float]
    ) -> None:
        self.name = name
        self.description = f"What {name} once answered, after a drawn latency."
        self._answers = answers
        self._seconds = seconds

    async def evaluate(self, evaluation: Evaluation, timeout_seconds: float) -> Answer:
        """Answer about the item named in the context. KeyError where it was not recorded."""
        item = str(evaluation.submission.context["item_id"])
        await anyio.sleep(self._seconds[item])
        return self._answers[item]

    async def close(self, grace_seconds: float) -> None:
        """Let go of nothing."""


def late_judges(
    data: Path, items: Iterable[str], latency: Latency, seed: int
) -> dict[str, LateJudge]:
    """Return the five recorded judges by name.

    A judge takes the same time for an item whenever it is asked, so runs can be compared.
    """
    judges = {}
    names = sorted(items)
    for judge in JUDGES:
        dice = random.Random(f"{seed} {judge}")  # noqa: S311 - repeatable, not secret
        seconds = {
            item: dice.lognormvariate(math.log(latency.median), latency.sigma) for item in names
        }
        recorded = read_answers(data, judge)
        answers = {
            item: answer for item in names if (answer := answer_from(recorded[item])) is not None
        }
        judges[judge] = LateJudge(judge, answers, seconds)
    return judges
