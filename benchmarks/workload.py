"""What is judged, and the five judges that both services run in their own process.

Like the remote ones they cost next to nothing: what is measured is the service around them.
"""

from collections.abc import Callable

from consensus.v1 import consensus_pb2, submission_pb2

TASK = "Explain to a new colleague how our cache invalidates entries, in under 200 words."
CANDIDATE = (
    "The cache keeps each entry for ten minutes. A write to the database publishes the row's key"
    " on the invalidation channel, and every node that listens drops its copy at once. If a node"
    " misses the message, the entry still expires after ten minutes, so a stale read is bounded. "
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


def _judge(base: float) -> Heuristic:
    def judge(task: str, candidate: str) -> tuple[float, float, str]:
        return base + 0.1 * (len(candidate) > len(task)), 0.8, "The candidate is long enough."

    return judge


HEURISTICS: dict[str, Heuristic] = {
    name: _judge(0.65 + 0.05 * number) for number, name in enumerate(JUDGES)
}
