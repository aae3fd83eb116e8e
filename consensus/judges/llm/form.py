"""The form of an answer: the JSON Schema that a backend enforces, and the same in words."""

import json
from collections.abc import Mapping

DIGIT_TOP = 9
"""The best score where one token tells it: one digit, 0 to 9, is one token for every model."""


def schema(*, digit: bool, criteria: bool = True, traced: bool = False) -> Mapping[str, object]:
    """Return the schema of a reply; `digit`: the score is a whole number from 0 to DIGIT_TOP.
    Without `criteria` there is nothing to find; `traced`: quotations may be from spans.

    Ranges stand in words: not every provider takes bounds of numbers, and the reply is checked
    anyway. Order matters: evidence before status, reasoning before score.
    """
    scale = f"0 to {DIGIT_TOP}, whole" if digit else "0 to 1"
    evidence = _object(
        message_index=_typed(["integer", "null"], "null: from no message"),
        **({"span_id": _typed(["string", "null"], "8 digits; null: no span")} if traced else {}),
        quote=_typed("string", "verbatim"),
    )
    finding = _object(
        criterion_id=_typed("string"),
        requirement=_typed("string", "what it requires, restated"),
        evidence={"type": "array", "items": evidence},
        reasoning=_typed("string"),
        status={"type": "string", "enum": ["MET", "UNMET", "INCONCLUSIVE"]},
    )
    findings: Mapping[str, object] = {"type": "array", "items": finding}
    return _object(
        **({"findings": findings} if criteria else {}),
        reasoning=_typed("string", "the sum of it, or why you abstain"),
        abstain=_typed("boolean", "true: you cannot tell"),
        score=_typed(
            ["integer" if digit else "number", "null"],
            f"how good the whole is, {scale}; null where you abstain",
        ),
        confidence=_typed("number", "how sure you are of the score, 0 to 1"),
    )


def words(*, digit: bool, criteria: bool = True, traced: bool = False) -> str:
    """Return what the prompt says of the form."""
    scale = (
        f"`score` is one whole number from 0 (worst) to {DIGIT_TOP} (best)"
        if digit
        else "`score` is a number from 0 (worst) to 1 (best)"
    )
    spans = (
        "Where a quotation is from a span of the trace, `span_id` is the first 8 digits of the"
        " span's id and `message_index` is null. "
    )
    return (
        "Answer with one JSON object and nothing else, with the keys in this order. "
        f"{scale}, or null where you abstain; `confidence` is a number from 0 (a guess) to 1"
        " (certain); `abstain` is true only where you cannot tell. "
        f"{spans if traced and criteria else ''}Its JSON Schema:\n"
        + json.dumps(schema(digit=digit, criteria=criteria, traced=traced))
    )


def _object(**properties: Mapping[str, object]) -> dict[str, object]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _typed(kind: str | list[str], description: str = "") -> dict[str, object]:
    typed: dict[str, object] = {"type": kind}
    return typed | {"description": description} if description else typed
