"""Deterministic checks that decide a criterion, one function for each kind.

Every check looks at the candidate, or at the output that `output` names. The server checks the
limits that are given here and refuses what breaks them with InvalidRequestError.
"""

from collections.abc import Mapping

from consensus.v1.submission_pb2 import Check, LengthLimit, NumericAnswer, TextList
from consensus_client.plain import struct


def contains(text: str, *, output: str = "") -> Check:
    """Check that the text holds this string, case included. 1 to 4,000 characters."""
    return Check(output=output, contains=text)


def contains_all(*texts: str, output: str = "") -> Check:
    """Check that the text holds every one of 1 to 64 strings, each of 1 to 4,000 characters."""
    return Check(output=output, contains_all=TextList(values=texts))


def not_contains(text: str, *, output: str = "") -> Check:
    """Check that the text holds this string nowhere. 1 to 4,000 characters."""
    return Check(output=output, not_contains=text)


def regex(pattern: str, *, output: str = "") -> Check:
    """Check that the text holds a match of this RE2 expression, unanchored.

    1 to 1,000 characters; RE2 has no look-around and no back-references.
    """
    return Check(output=output, regex=pattern)


def json_schema(schema: Mapping[str, object], *, output: str = "") -> Check:
    """Check that the text, less a code fence around it, is JSON that this schema accepts.

    JSON Schema draft 2020-12; references must stay inside the schema. Raises TypeError where the
    schema holds something that is not JSON.
    """
    return Check(output=output, json_schema=struct(schema, "schema"))


def numeric(value: float, *, tolerance: float = 0.0, output: str = "") -> Check:
    """Check that the last number in the text is `value`, give or take `tolerance` (inclusive)."""
    return Check(output=output, numeric=NumericAnswer(value=value, tolerance=tolerance))


def length(
    *,
    min_words: int | None = None,
    max_words: int | None = None,
    min_chars: int | None = None,
    max_chars: int | None = None,
    output: str = "",
) -> Check:
    """Check the text's length; the limits are inclusive and at least one must be given.

    Words are counted between white space, characters are Unicode code points.
    """
    limit = LengthLimit(
        min_words=min_words, max_words=max_words, min_chars=min_chars, max_chars=max_chars
    )
    return Check(output=output, length=limit)


def code_block(language: str = "*", *, output: str = "") -> Check:
    """Check that the text holds a non-empty fenced code block tagged with this language.

    1 to 40 characters, compared without case; `*` means any or no tag.
    """
    return Check(output=output, code_block=language)
