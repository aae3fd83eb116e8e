"""Builds small recordings in the form of the real one."""

import gzip
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from examples.replay.prompts import JUDGES

Row = dict[str, object]


def rows(
    prompt: str, chosen: int, samples: Mapping[str, Sequence[Sequence[int | None]]]
) -> list[Row]:
    """Return the rows of one prompt; `samples` holds, by judge, the samples of each response."""
    return [
        {
            "item_id": f"{prompt}/{response}",
            "group": prompt.split(":")[0],
            "prompt_id": prompt,
            "label": int(response == chosen),
            "judge_id": judge,
            "samples": list(given),
        }
        for judge, responses in samples.items()
        for response, given in enumerate(responses)
    ]


def alike(*responses: Sequence[int | None]) -> dict[str, Sequence[Sequence[int | None]]]:
    """Return five judges that all gave these samples to the responses."""
    return dict.fromkeys(JUDGES, responses)


def write(file: Path, records: Iterable[Row]) -> Path:
    """Write rows as gzipped JSON Lines."""
    with gzip.open(file, "wt", encoding="utf-8") as lines:
        lines.writelines(json.dumps(row) + "\n" for row in records)
    return file


def read(file: Path) -> list[Row]:
    """Read rows back."""
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]
