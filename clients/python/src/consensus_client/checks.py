"""Deterministic checks that decide a criterion, one function for each kind.

Every check looks at the candidate, or at the output that `output` names. The server checks the
limits that are given here and refuses what breaks them with InvalidRequestError.
"""

from collections.abc import Mapping

from consensus.v1.submission_pb2 import (
    Check,
    CheckTarget,
    ExitCode,
    LengthLimit,
    NumericAnswer,
    TextList,
)
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


def exit_code(expected: int = 0, *, stderr_score: float = 1.0, min_score: float = 1.0) -> Check:
    """Check that the process ended with this exit code; fails where the submission has no process.

    `stderr_score`: the check's score where standard error is not empty, 0 to 1. `min_score`: the
    score from which it passes, inclusive, above 0, at most 1.
    """
    wanted = ExitCode(expected=expected, stderr_score=stderr_score, min_score=min_score)
    return Check(exit_code=wanted)


def of_stderr(check: Check) -> Check:
    """Return a check of a text that looks at the process's standard error."""
    made = Check()
    made.CopyFrom(check)
    made.target = CheckTarget.CHECK_TARGET_STDERR
    return made
