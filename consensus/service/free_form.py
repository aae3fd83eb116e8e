"""Checks the JSON of any shape in a submission: outputs, context, and the schemas of checks."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice

from google.protobuf import struct_pb2
from msgspec import Struct

from consensus.domain.errors import Violation
from consensus.domain.submission import MAX_CRITERIA
from consensus.v1 import submission_pb2 as pb

MAX_OUTPUTS = 256
MAX_CHECKS = 16
MAX_CONTEXT_DEPTH = 16
MAX_SCHEMA_DEPTH = 32
MAX_VALUES = 100_000
"""JSON values in outputs, context and schemas; each takes about 4 us from everybody else."""

_Found = Iterator[Violation]


class FreeForm(Struct, frozen=True, kw_only=True):
    """The parts of a request that may hold JSON of any shape, as they came, and their fields."""

    context: struct_pb2.Struct
    context_at: str
    criteria: Sequence[pb.Criterion]
    criteria_at: str
    outputs: Mapping[str, struct_pb2.Value] = {}
    outputs_at: str = ""


def free_form(given: FreeForm) -> _Found:
    """Yield what is not finite or nested too deep in outputs and context."""
    for key, value in islice(given.outputs.items(), MAX_OUTPUTS):
        yield from _json(f"{given.outputs_at}[{key[:64]!r}]", value, MAX_CONTEXT_DEPTH)
    for key, value in given.context.fields.items():
        yield from _json(f"{given.context_at}.{key[:64]}", value, MAX_CONTEXT_DEPTH - 1)


def too_much(given: FreeForm) -> Violation | None:
    """Return where the values become too many; None where they do not."""
    left = MAX_VALUES
    for at, values in _parts(given):
        for value in values:
            left = _counted_off(value, left)
            if left < 0:
                words = f"goes beyond {MAX_VALUES} values in outputs, context and schemas together"
                return Violation(at, words)
    return None


def too_deep(schema: struct_pb2.Struct, path: str) -> Violation | None:
    """Return the first fault of the values of a JSON Schema; None where there is none."""
    return next(_json(path, struct_pb2.Value(struct_value=schema), MAX_SCHEMA_DEPTH), None)


def _parts(given: FreeForm) -> Iterator[tuple[str, Iterable[struct_pb2.Value]]]:
    """Yield where there are JSON values, and the values."""
    for key, value in islice(given.outputs.items(), MAX_OUTPUTS):
        yield f"{given.outputs_at}[{key[:64]!r}]", (value,)
    yield given.context_at, given.context.fields.values()
    for index, criterion in enumerate(islice(given.criteria, MAX_CRITERIA)):
        for number, check in enumerate(islice(criterion.checks, MAX_CHECKS)):
            at = f"{given.criteria_at}[{index}].checks[{number}].json_schema"
            yield at, check.json_schema.fields.values()


def _counted_off(value: struct_pb2.Value, left: int) -> int:
    """Return `left` less the number of values in `value`; once negative, it stops counting."""
    left -= 1
    match value.WhichOneof("kind"):
        case "struct_value":
            items = iter(value.struct_value.fields.values())
        case "list_value":
            items = iter(value.list_value.values)
        case _:
            return left
    while left >= 0 and (item := next(items, None)) is not None:
        left = _counted_off(item, left)
    return left


def _json(path: str, value: struct_pb2.Value, depth: int) -> _Found:
    """Yield what is not finite or nested too deep."""
    if depth < 0:
        yield Violation(path, "is nested too deep")
        return
    match value.WhichOneof("kind"):
        case "number_value" if not math.isfinite(value.number_value):
            yield Violation(path, f"is {value.number_value}; must be finite")
        case "struct_value":
            for key, item in value.struct_value.fields.items():
                yield from _json(f"{path}.{key[:64]}", item, depth - 1)
        case "list_value":
            for index, item in enumerate(value.list_value.values):
                yield from _json(f"{path}[{index}]", item, depth - 1)
