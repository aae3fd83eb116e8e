"""Says in words what a check asks for."""

from consensus.domain.submission import (
    Check,
    CheckTarget,
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

_LONGEST = 60


def describe(check: Check) -> str:
    """Return the check in words, such as `contains "Paris"`; long values are cut."""
    where = ""
    if isinstance(check.kind, ExitCode):
        pass  # looks at no text
    elif check.output:
        where = f" in output {check.output!r}"
    elif check.target is CheckTarget.STDERR:
        where = " in stderr"
    return _kind(check) + where


def _kind(check: Check) -> str:
    match check.kind:
        case Contains(value):
            return f"contains {_quoted(value)}"
        case ContainsAll(values):
            return f"contains all of {', '.join(_quoted(value) for value in values[:4])}" + (
                f" and {len(values) - 4} more" if len(values) > 4 else ""
            )
        case NotContains(value):
            return f"does not contain {_quoted(value)}"
        case Regex(pattern):
            return f"matches /{_cut(pattern)}/"
        case JsonSchema():
            return "is JSON by its schema"
        case NumericAnswer(value, tolerance):
            return f"ends on the number {value:.15g}" + (
                f" +- {tolerance:.15g}" if tolerance else ""
            )
        case LengthLimit() as limit:
            return _length(limit)
        case ExitCode() as wanted:
            return _exit_code(wanted)
        case SqlQuery() | UrlAnswer() | CodeRun() as kind:
            return _sandboxed(kind)
        case block:
            return f"holds a {block.language} code block".replace("a * code", "a code")


def _exit_code(wanted: ExitCode) -> str:
    words = f"exits with {wanted.expected}"
    if wanted.stderr_score < wanted.min_score:
        words += " and an empty stderr"
    return words


def _sandboxed(kind: SandboxKind) -> str:
    match kind:
        case SqlQuery():
            return _query(kind)
        case UrlAnswer(contains):
            return "names URLs that answer" + (f" with {_quoted(contains)}" if contains else "")
        case run:
            tested = " and passes its test" if run.test else ""
            return f"holds {run.language} code that runs{tested}"


def _query(query: SqlQuery) -> str:
    columns = ", ".join(_cut(column) for column in query.columns[:8])
    more = f" and {len(query.columns) - 8} more" if len(query.columns) > 8 else ""
    parts = [f" columns {columns}{more}"] if columns else []
    parts += [f" at least {query.min_rows} rows"] if query.min_rows else []
    return "is a query that runs" + (" and gives" + " and".join(parts) if parts else "")


def _length(limit: LengthLimit) -> str:
    parts = []
    for unit, least, most in (
        ("words", limit.min_words, limit.max_words),
        ("characters", limit.min_chars, limit.max_chars),
    ):
        if least is not None and most is not None:
            parts.append(f"{least} to {most} {unit}")
        elif least is not None:
            parts.append(f"at least {least} {unit}")
        elif most is not None:
            parts.append(f"at most {most} {unit}")
    return "has " + " and ".join(parts)


def _quoted(value: str) -> str:
    return f'"{_cut(value)}"'


def _cut(value: str) -> str:
    return value if len(value) <= _LONGEST else value[: _LONGEST - 1] + "…"
