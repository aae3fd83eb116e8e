"""Deterministic checks that decide a criterion, one function for each kind.

Checks of a text look at the candidate, at the output that `output` names, or with
`target="stderr"` at what the candidate's process wrote to standard error. The server checks the
limits that are given here and refuses what breaks them with InvalidRequestError; arguments of other
types raise TypeError at once.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Literal, TypeAlias

from consensus.v1 import submission_pb2
from consensus.v1.submission_pb2 import (
    Check,
    CodeRun,
    ExitCode,
    LengthLimit,
    NumericAnswer,
    SqlQuery,
    TextList,
    UrlAnswer,
)
from consensus_client import expect
from consensus_client.plain import struct

Target: TypeAlias = Literal["candidate", "stderr"]
_TARGETS = {
    "candidate": submission_pb2.CHECK_TARGET_UNSPECIFIED,
    "stderr": submission_pb2.CHECK_TARGET_STDERR,
}


def contains(text: str, *, output: str = "", target: Target = "candidate") -> Check:
    """Check that the text holds this string, case included. 1 to 4,000 characters."""
    expect.text("text", text)
    return _check(output, target, contains=text)


def contains_all(*texts: str, output: str = "", target: Target = "candidate") -> Check:
    """Check that the text holds every one of 1 to 64 strings, each of 1 to 4,000 characters."""
    expect.each("texts", texts, str, "a str")
    return _check(output, target, contains_all=TextList(values=texts))


def not_contains(text: str, *, output: str = "", target: Target = "candidate") -> Check:
    """Check that the text holds this string nowhere. 1 to 4,000 characters."""
    expect.text("text", text)
    return _check(output, target, not_contains=text)


def regex(pattern: str, *, output: str = "", target: Target = "candidate") -> Check:
    """Check that the text holds a match of this RE2 expression, unanchored.

    1 to 1,000 characters; RE2 has no look-around and no back-references.
    """
    expect.text("pattern", pattern)
    return _check(output, target, regex=pattern)


def json_schema(
    schema: Mapping[str, object], *, output: str = "", target: Target = "candidate"
) -> Check:
    """Check that the text, less a code fence around it, is JSON that this schema accepts.

    JSON Schema draft 2020-12; references must stay inside the schema. Raises TypeError where the
    schema holds something that is not JSON.
    """
    expect.mapping("schema", schema, '{"type": "object"}')
    return _check(output, target, json_schema=struct(schema, "schema"))


def numeric(
    value: float, *, tolerance: float = 0.0, output: str = "", target: Target = "candidate"
) -> Check:
    """Check that the last number in the text is `value`, give or take `tolerance` (inclusive)."""
    expect.real("value", value)
    expect.real("tolerance", tolerance)
    return _check(output, target, numeric=NumericAnswer(value=value, tolerance=tolerance))


def length(
    *,
    min_words: int | None = None,
    max_words: int | None = None,
    min_chars: int | None = None,
    max_chars: int | None = None,
    output: str = "",
    target: Target = "candidate",
) -> Check:
    """Check the text's length; the limits are inclusive and at least one must be given.

    Words are counted between white space, characters are Unicode code points.
    """
    limits = {
        "min_words": min_words,
        "max_words": max_words,
        "min_chars": min_chars,
        "max_chars": max_chars,
    }
    for name, limit in limits.items():
        if limit is not None:
            expect.integer(name, limit)
    return _check(output, target, length=LengthLimit(**limits))


def code_block(language: str = "*", *, output: str = "", target: Target = "candidate") -> Check:
    """Check that the text holds a non-empty fenced code block tagged with this language.

    1 to 40 characters, compared without case; `*` means any or no tag.
    """
    expect.text("language", language)
    return _check(output, target, code_block=language)


def exit_code(expected: int = 0, *, stderr_score: float = 1.0, min_score: float = 1.0) -> Check:
    """Check that the candidate's process (`submission(process=...)`) ended with this exit code.

    `stderr_score`: the check's score where standard error is not empty, 0 to 1. `min_score`: the
    score from which it passes, inclusive, above 0, at most 1.
    """
    expect.integer("expected", expected)
    expect.real("stderr_score", stderr_score)
    expect.real("min_score", min_score)
    wanted = ExitCode(expected=expected, stderr_score=stderr_score, min_score=min_score)
    return Check(exit_code=wanted)


def sql(
    *,
    setup: str = "",
    columns: Iterable[str] = (),
    min_rows: int = 0,
    output: str = "",
    target: Target = "candidate",
) -> Check:
    """Check that the last SQL in the text is one query that runs, read-only, in a sandbox.

    `setup`: SQL that makes tables and rows first, at most 100,000 characters. `columns`: the names
    of the result's columns, in order; none means any. `min_rows`: fewest rows of the result.
    """
    expect.text("setup", setup)
    expect.integer("min_rows", min_rows)
    query = SqlQuery(setup=setup, columns=expect.texts("columns", columns), min_rows=min_rows)
    return _check(output, target, sql=query)


def url(*, contains: str = "", output: str = "", target: Target = "candidate") -> Check:
    """Check that every URL in the text answers with status 200, and its text holds `contains`.

    Refused unless the server allows it.
    """
    expect.text("contains", contains)
    return _check(output, target, url=UrlAnswer(contains=contains))


def code_run(
    language: str = "python", *, test: str = "", output: str = "", target: Target = "candidate"
) -> Check:
    """Check that the last code block of the language runs and ends with exit code 0.

    `test`: code that is run after it, such as assertions, at most 100,000 characters. It runs in a
    sandbox without network; refused unless the server allows it.
    """
    expect.text("language", language)
    expect.text("test", test)
    return _check(output, target, code_run=CodeRun(language=language, test=test))


def _check(output: str, target: Target, **kind: Any) -> Check:
    """Return a check of a text. Raises ValueError on a target that is none."""
    expect.text("output", output)
    expect.text("target", target)
    if target not in _TARGETS:
        raise ValueError(f"target is {target!r}; must be one of {', '.join(_TARGETS)}")
    return Check(output=output, target=_TARGETS[target], **kind)
