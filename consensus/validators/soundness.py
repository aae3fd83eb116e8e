"""Tells what makes a check unsound, for the policy file and for requests alike."""

import math
from collections.abc import Iterator, Mapping

from consensus.domain import gradient
from consensus.domain.submission import (
    Check,
    CodeRun,
    Contains,
    ContainsAll,
    ExitCode,
    JsonSchema,
    LengthLimit,
    NotContains,
    NumericAnswer,
    Regex,
    SandboxKind,
    SqlQuery,
    UrlAnswer,
)
from consensus.validators.effort import Effort, EffortSpentError
from consensus.validators.expressions import MAX_PATTERN, ExpressionError, require_sound

MAX_TEXT = 4_000
MAX_VALUES = 64
MAX_LANGUAGE = 40
MAX_CODE = 100_000
"""Characters of a query's set-up and of code's test."""
MAX_COLUMNS = 256
MAX_COLUMN = 200
MAX_ROWS = 10_000
LANGUAGES = ("python",)
"""What the sandbox can run."""
_TOO_MUCH = "takes more work to look over than is left for all checks"


def check_faults(check: Check, effort: Effort | None = None) -> Iterator[tuple[str, str]]:
    """Yield (field, what is wrong) for everything that makes a check unsound.

    Whoever looks at many checks at once passes one `effort` for all of them.
    """
    effort = effort or Effort()
    match check.kind:
        case Contains(value):
            yield from _text_faults("contains", value, MAX_TEXT)
        case NotContains(value):
            yield from _text_faults("not_contains", value, MAX_TEXT)
        case ContainsAll(values):
            yield from _values_faults(values)
        case Regex(pattern):
            yield from _regex_faults(pattern, effort)
        case JsonSchema(schema):
            yield from _schema_faults(schema, effort)
        case NumericAnswer(value, tolerance):
            yield from _numeric_faults(value, tolerance)
        case LengthLimit() as limit:
            yield from _length_faults(limit)
        case ExitCode() as wanted:
            yield from _exit_code_faults(wanted)
        case SqlQuery() | UrlAnswer() | CodeRun() as kind:
            yield from _sandboxed_faults(kind)
        case block:
            yield from _text_faults("code_block", block.language, MAX_LANGUAGE)


def _text_faults(field: str, value: str, most: int) -> Iterator[tuple[str, str]]:
    if not 1 <= len(value) <= most:
        yield field, f"has {len(value)} characters; must have 1 to {most}"


def _at_most(field: str, value: str, most: int) -> Iterator[tuple[str, str]]:
    if len(value) > most:
        yield field, f"has {len(value)} characters; at most {most}"


def _sandboxed_faults(kind: SandboxKind) -> Iterator[tuple[str, str]]:
    match kind:
        case SqlQuery():
            yield from _query_faults(kind)
        case UrlAnswer(contains):
            yield from _at_most("url.contains", contains, MAX_TEXT)
        case run:
            if run.language not in LANGUAGES:
                known = ", ".join(LANGUAGES)
                words = f"is {run.language[:MAX_LANGUAGE]!r}; must be one of {known}"
                yield "code_run.language", words
            yield from _at_most("code_run.test", run.test, MAX_CODE)


def _query_faults(query: SqlQuery) -> Iterator[tuple[str, str]]:
    yield from _at_most("sql.setup", query.setup, MAX_CODE)
    if len(query.columns) > MAX_COLUMNS:
        yield "sql.columns", f"has {len(query.columns)} entries; at most {MAX_COLUMNS}"
    for index, column in enumerate(query.columns[:MAX_COLUMNS]):
        yield from _text_faults(f"sql.columns[{index}]", column, MAX_COLUMN)
    if not 0 <= query.min_rows <= MAX_ROWS:
        yield "sql.min_rows", f"is {query.min_rows}; must be 0 to {MAX_ROWS}"


def _values_faults(values: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    if not 1 <= len(values) <= MAX_VALUES:
        yield "contains_all", f"has {len(values)} values; must have 1 to {MAX_VALUES}"
        return
    for index, value in enumerate(values):
        yield from _text_faults(f"contains_all[{index}]", value, MAX_TEXT)


def _regex_faults(pattern: str, effort: Effort) -> Iterator[tuple[str, str]]:
    if not 1 <= len(pattern) <= MAX_PATTERN:
        yield from _text_faults("regex", pattern, MAX_PATTERN)
        return
    try:
        require_sound(pattern, effort)
    except ExpressionError as error:
        yield "regex", f"is not an RE2 expression: {error}"
    except EffortSpentError:
        yield "regex", _TOO_MUCH


def _schema_faults(schema: Mapping[str, object], effort: Effort) -> Iterator[tuple[str, str]]:
    from consensus.validators.schema import schema_fault  # 75 ms: not at every start

    try:
        fault = schema_fault(schema, effort)
    except EffortSpentError:
        fault = _TOO_MUCH
    if fault:
        yield "json_schema", fault


def _numeric_faults(value: float, tolerance: float) -> Iterator[tuple[str, str]]:
    if not math.isfinite(value):
        yield "numeric.value", f"is {value}; must be finite"
    if not (math.isfinite(tolerance) and tolerance >= 0):
        yield "numeric.tolerance", f"is {tolerance}; must be finite and at least 0"


def _exit_code_faults(wanted: ExitCode) -> Iterator[tuple[str, str]]:
    if not gradient.unit(wanted.stderr_score):
        yield "exit_code.stderr_score", f"is {wanted.stderr_score:g}; must be in [0, 1]"
    if not (gradient.unit(wanted.min_score) and wanted.min_score > 0):
        yield "exit_code.min_score", f"is {wanted.min_score:g}; must be in (0, 1]"


def _length_faults(limit: LengthLimit) -> Iterator[tuple[str, str]]:
    named = {name: getattr(limit, name) for name in LengthLimit.__struct_fields__}
    if all(value is None for value in named.values()):
        yield "length", f"is empty; set at least one of {', '.join(named)}"
    for name, value in named.items():
        if value is not None and value < 0:
            yield f"length.{name}", f"is {value}; must be at least 0"
    for unit in ("words", "chars"):
        least, most = named[f"min_{unit}"], named[f"max_{unit}"]
        if least is not None and most is not None and least > most:
            yield f"length.min_{unit}", f"is {least}, above max_{unit}, {most}"
