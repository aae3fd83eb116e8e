"""How far the documented patterns read replies in prose as the publishing project read them.

    python -m benchmarks.prose judge_replies.jsonl.gz

Rows are JSON Lines, gzipped: `raw` is the reply, `upstream` the verdict that was read from it (`a`,
`b`, or null where none was found), `finish` why the reply ended. Rows of other verdicts are left
out.
"""

import gzip
import json
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from consensus.domain.errors import JudgeFailed
from consensus.judges.llm.patterns import PAIRWISE, ProseReader

_VERDICTS = {1.0: "a", 0.0: "b"}


@dataclass(frozen=True, slots=True)
class Agreement:
    """Counts of replies by who found which verdict in them."""

    same: int
    other: int
    """Both found one, and not the same."""
    missed: int
    """Only the publisher found one."""
    false: int
    """Only we found one."""
    neither: int

    @property
    def share(self) -> float:
        """The share of the publisher's verdicts that are ours too."""
        return self.same / (self.same + self.other + self.missed)


def read_rows(file: Path) -> list[dict[str, object]]:
    """Return the rows of pairwise judges."""
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    return [row for row in rows if row["upstream"] in (None, "a", "b")]


def agreement(rows: Iterable[Mapping[str, object]]) -> Agreement:
    """Read every reply and compare. A reply that was cut off has no verdict, whatever it holds."""
    reader = ProseReader(PAIRWISE)
    counts = dict.fromkeys(Agreement.__dataclass_fields__, 0)
    for row in rows:
        ours = None if row.get("finish") == "length" else _verdict(reader, str(row["raw"]))
        theirs = row["upstream"]
        if theirs is None:
            counts["neither" if ours is None else "false"] += 1
        else:
            counts["same" if ours == theirs else "missed" if ours is None else "other"] += 1
    return Agreement(**counts)


def _verdict(reader: ProseReader, text: str) -> str | None:
    try:
        score = reader.read(text).score
    except JudgeFailed:
        return None
    return None if score is None else _VERDICTS[score]


def main() -> None:
    """Print the figures."""
    found = agreement(read_rows(Path(sys.argv[1])))
    print(f"verdicts of the publisher read alike  {found.same} ({found.share:.4f})")
    print(f"read otherwise                        {found.other}")
    print(f"missed                                {found.missed}")
    print(f"without a verdict, and none read      {found.neither}")
    print(f"without a verdict, and one read       {found.false}")


if __name__ == "__main__":
    if len(sys.argv) != 2 or not Path(sys.argv[1]).is_file():
        sys.exit("python -m benchmarks.prose FILE: a file of gzipped JSON Lines is needed")
    main()
