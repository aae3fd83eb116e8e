"""Checks the facts around a candidate (turn, process, platform, test); validation does the rest."""

from collections.abc import Iterator, Sequence
from itertools import islice

from consensus.domain.errors import Violation
from consensus.service import turns
from consensus.v1 import submission_pb2 as pb

MAX_STDERR = 200_000
MAX_POLICY_VIOLATIONS = 1_000
MAX_NAME = 200
MAX_SITUATION = 20_000

_Found = Iterator[Violation]


def facts(message: pb.Submission, path: str) -> _Found:
    """Yield what is wrong with the facts of a submission."""
    if message.HasField("turn"):
        yield from turns.turn(message.turn, f"{path}.turn")
    told = (
        ("process.stderr", message.process.stderr, MAX_STDERR),
        ("scenario.description", message.scenario.description, MAX_SITUATION),
    )
    for field, text, most in told:
        if len(text) > most:
            yield Violation(f"{path}.{field}", f"has {len(text)} characters; at most {most}")
    yield from _blocked(message.policy_violations, f"{path}.policy_violations")


def _blocked(names: Sequence[str], path: str) -> _Found:
    if len(names) > MAX_POLICY_VIOLATIONS:
        words = f"has {len(names)} entries; at most {MAX_POLICY_VIOLATIONS}"
        yield Violation(path, words)
    for index, name in enumerate(islice(names, MAX_POLICY_VIOLATIONS)):
        if not 1 <= len(name) <= MAX_NAME:
            words = f"has {len(name)} characters; must have 1 to {MAX_NAME}"
            yield Violation(f"{path}[{index}]", words)
