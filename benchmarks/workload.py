"""What is judged, and the five small judges that both services run in their own process."""

import re
from collections.abc import Callable

from consensus.v1 import consensus_pb2, submission_pb2

TASK = "Explain to a new colleague how our cache invalidates entries, in under 200 words."
CANDIDATE = (
    "The cache keeps each entry for ten minutes. A write to the database publishes the row's key on"
    " the invalidation channel, and every node that listens drops its copy at once. If a node misses"
    " the message, the entry still expires after ten minutes, so a stale read is bounded. "
) * 4
CRITERIA = ("Says how long an entry lives", "Says what happens on a write", "Bounds stale reads")
JUDGES = tuple(f"judge{number}" for number in range(1, 6))

Heuristic = Callable[[str, str], tuple[float, float, str]]
"""Takes task and candidate, returns score, confidence and reasoning."""


def request() -> consensus_pb2.JudgeRequest:
    """Return the request that every caller sends, about 1.5 kB."""
    criteria = [
        submission_pb2.Criterion(id=f"C{i}", text=text) for i, text in enumerate(CRITERIA, 1)
    ]
    submission = submission_pb2.Submission(
        task=TASK, candidate=CANDIDATE, rubric=submission_pb2.Rubric(criteria=criteria)
    )
    return consensus_pb2.JudgeRequest(submission=submission)


def _length(task: str, candidate: str) -> tuple[float, float, str]:
    words = len(candidate.split())
    return (0.9 if words <= 200 else 0.6), 0.9, f"{words} words"


def _keywords(task: str, candidate: str) -> tuple[float, float, str]:
    found = [word for word in ("cache", "entry", "write", "stale") if word in candidate]
    return len(found) / 4, 0.7, f"mentions {', '.join(found)}"


def _refusal(task: str, candidate: str) -> tuple[float, float, str]:
    refused = re.search(r"(?i)\bI (?:can't|cannot|won't)\b", candidate)
    return (0.1 if refused else 1.0), 0.6, "a refusal" if refused else "no refusal"


def _placeholders(task: str, candidate: str) -> tuple[float, float, str]:
    left = re.findall(r"\bTODO\b|\bTBD\b|\[insert", candidate)
    return (0.2 if left else 0.95), 0.8, f"{len(left)} placeholders"


def _overlap(task: str, candidate: str) -> tuple[float, float, str]:
    asked = set(task.lower().split())
    shared = asked & set(candidate.lower().split())
    return min(1.0, 0.5 + len(shared) / len(asked)), 0.5, f"shares {len(shared)} words"


HEURISTICS: dict[str, Heuristic] = dict(
    zip(JUDGES, (_length, _keywords, _refusal, _placeholders, _overlap), strict=True)
)
