"""Checks the facts of a turn against the contract, as validation.py does the rest."""

from collections.abc import Iterator, Sequence
from itertools import islice

from consensus.domain.errors import Violation
from consensus.domain.gradient import unit
from consensus.domain.submission import MAX_CRITERIA
from consensus.v1 import submission_pb2 as pb
from consensus.wire.turn import GOAL_STATUS_FROM

MAX_TURNS = 10_000
MAX_EARLIER = 64
MAX_TOOL_CALLS = 128
MAX_OUTPUT_KEYS = 256
MAX_NAME = 200
MAX_TEXT = 200_000
MAX_PROSE = 20_000

_Found = Iterator[Violation]


def turn(message: pb.Turn, path: str) -> _Found:
    """Yield what is wrong with a turn; `path` is its field."""
    if message.iteration < 0:
        yield Violation(f"{path}.iteration", f"is {message.iteration}; must be at least 0")
    for field in ("max_iterations", "judge_every_n_turns"):
        number = getattr(message, field)
        if message.HasField(field) and not 1 <= number <= MAX_TURNS:
            yield Violation(f"{path}.{field}", f"is {number}; must be 1 to {MAX_TURNS}")
    for field in ("success_criteria", "node_description"):
        yield from _text(f"{path}.{field}", getattr(message, field), MAX_PROSE)
    yield from _calls(message.tool_calls, f"{path}.tool_calls")
    yield from _keys(message.output_keys, f"{path}.output_keys")
    yield from _count(f"{path}.earlier", len(message.earlier), MAX_EARLIER)
    for index, earlier in enumerate(islice(message.earlier, MAX_EARLIER)):
        yield from _earlier(earlier, f"{path}.earlier[{index}]")


def _earlier(message: pb.EarlierTurn, path: str) -> _Found:
    yield from _text(f"{path}.text", message.text, MAX_TEXT)
    yield from _calls(message.tool_calls, f"{path}.tool_calls")
    if not 0 <= message.criteria_met <= MAX_CRITERIA:
        words = f"is {message.criteria_met}; must be 0 to {MAX_CRITERIA}"
        yield Violation(f"{path}.criteria_met", words)
    if message.goal_status and message.goal_status not in GOAL_STATUS_FROM:
        yield Violation(f"{path}.goal_status", f"is {message.goal_status}, which is no status")
    if not unit(message.goal_confidence):
        words = f"is {message.goal_confidence:g}; must be in [0, 1]"
        yield Violation(f"{path}.goal_confidence", words)


def _calls(calls: Sequence[pb.ToolCall], path: str) -> _Found:
    yield from _count(path, len(calls), MAX_TOOL_CALLS)
    for index, call in enumerate(islice(calls, MAX_TOOL_CALLS)):
        yield from _name(f"{path}[{index}].name", call.name)
        yield from _text(f"{path}[{index}].arguments", call.arguments, MAX_TEXT)


def _keys(keys: Sequence[pb.OutputKey], path: str) -> _Found:
    yield from _count(path, len(keys), MAX_OUTPUT_KEYS)
    first: dict[str, int] = {}
    for index, key in enumerate(islice(keys, MAX_OUTPUT_KEYS)):
        yield from _name(f"{path}[{index}].name", key.name)
        if key.name in first:
            words = f"is {key.name[:64]!r}, which output_keys[{first[key.name]}] has"
            yield Violation(f"{path}[{index}].name", words)
        first.setdefault(key.name, index)


def _name(path: str, name: str) -> _Found:
    if not 1 <= len(name) <= MAX_NAME:
        yield Violation(path, f"has {len(name)} characters; must have 1 to {MAX_NAME}")


def _text(path: str, text: str, most: int) -> _Found:
    if len(text) > most:
        yield Violation(path, f"has {len(text)} characters; at most {most}")


def _count(path: str, count: int, most: int) -> _Found:
    if count > most:
        yield Violation(path, f"has {count} entries; at most {most}")
