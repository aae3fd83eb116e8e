"""Checks what a submission says of its process and its platform, as validation.py does the rest."""

from collections.abc import Iterator, Sequence
from itertools import islice

from consensus.domain.errors import Violation
from consensus.v1 import submission_pb2 as pb

MAX_STDERR = 200_000
MAX_POLICY_VIOLATIONS = 1_000
MAX_NAME = 200

_Found = Iterator[Violation]


def process(message: pb.Submission, path: str) -> _Found:
    """Yield what is wrong with a submission's process and its blocked tools."""
    stderr = message.process.stderr
    if len(stderr) > MAX_STDERR:
        words = f"has {len(stderr)} characters; at most {MAX_STDERR}"
        yield Violation(f"{path}.process.stderr", words)
    yield from _blocked(message.policy_violations, f"{path}.policy_violations")


def _blocked(names: Sequence[str], path: str) -> _Found:
    if len(names) > MAX_POLICY_VIOLATIONS:
        words = f"has {len(names)} entries; at most {MAX_POLICY_VIOLATIONS}"
        yield Violation(path, words)
    for index, name in enumerate(islice(names, MAX_POLICY_VIOLATIONS)):
        if not 1 <= len(name) <= MAX_NAME:
            words = f"has {len(name)} characters; must have 1 to {MAX_NAME}"
            yield Violation(f"{path}[{index}]", words)
