"""Checks: proto <-> domain."""

from consensus.domain.submission import (
    Check,
    CheckKind,
    CheckTarget,
    CodeBlock,
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
from consensus.v1 import submission_pb2 as pb
from consensus.wire.json_values import plain_struct, struct_to

_LIMITS = ("min_words", "max_words", "min_chars", "max_chars")
TARGET_FROM = {
    pb.CHECK_TARGET_UNSPECIFIED: CheckTarget.CANDIDATE,
    pb.CHECK_TARGET_CANDIDATE: CheckTarget.CANDIDATE,
    pb.CHECK_TARGET_STDERR: CheckTarget.STDERR,
}


def check_from(message: pb.Check) -> Check:
    """Return the domain's check. Its kind must be set and its target be known."""
    return Check(_kind_from(message), message.output, TARGET_FROM[message.target])


def _kind_from(message: pb.Check) -> CheckKind:
    match message.WhichOneof("kind"):
        case "contains":
            return Contains(message.contains)
        case "contains_all":
            return ContainsAll(tuple(message.contains_all.values))
        case "not_contains":
            return NotContains(message.not_contains)
        case "regex":
            return Regex(message.regex)
        case "json_schema":
            return JsonSchema(plain_struct(message.json_schema))
        case "numeric":
            return NumericAnswer(message.numeric.value, message.numeric.tolerance)
        case "length":
            limit = message.length
            return LengthLimit(
                **{name: getattr(limit, name) for name in _LIMITS if limit.HasField(name)}
            )
        case "code_block":
            return CodeBlock(message.code_block)
        case "exit_code":
            return _exit_code_from(message.exit_code)
        case key:
            return _sandboxed_from(key, message)


def _sandboxed_from(key: str | None, message: pb.Check) -> SandboxKind:
    match key:
        case "sql":
            query = message.sql
            return SqlQuery(query.setup, tuple(query.columns), query.min_rows)
        case "url":
            return UrlAnswer(message.url.contains)
        case "code_run":
            return CodeRun(message.code_run.language, message.code_run.test)
        case unset:
            raise ValueError(f"a check of kind {unset}")


def _exit_code_from(message: pb.ExitCode) -> ExitCode:
    return ExitCode(
        message.expected,
        message.stderr_score if message.HasField("stderr_score") else 1.0,
        message.min_score if message.HasField("min_score") else 1.0,
    )


def check_to(check: Check) -> pb.Check:
    """Return the contract's check."""
    message = _kind_to(check)
    if check.target is not CheckTarget.CANDIDATE:
        message.target = pb.CHECK_TARGET_STDERR
    return message


def _kind_to(check: Check) -> pb.Check:
    match check.kind:
        case Contains(value):
            return pb.Check(output=check.output, contains=value)
        case ContainsAll(values):
            return pb.Check(output=check.output, contains_all=pb.TextList(values=values))
        case NotContains(value):
            return pb.Check(output=check.output, not_contains=value)
        case Regex(pattern):
            return pb.Check(output=check.output, regex=pattern)
        case JsonSchema(schema):
            return pb.Check(output=check.output, json_schema=struct_to(schema))
        case NumericAnswer(value, tolerance):
            numeric = pb.NumericAnswer(value=value, tolerance=tolerance)
            return pb.Check(output=check.output, numeric=numeric)
        case LengthLimit() as limit:
            limits = {name: getattr(limit, name) for name in _LIMITS}
            return pb.Check(output=check.output, length=pb.LengthLimit(**limits))
        case CodeBlock(language):
            return pb.Check(output=check.output, code_block=language)
        case kind:
            return _run_to(kind, pb.Check(output=check.output))


def _run_to(kind: SandboxKind | ExitCode, message: pb.Check) -> pb.Check:
    match kind:
        case ExitCode(expected, stderr, least):
            message.exit_code.CopyFrom(
                pb.ExitCode(expected=expected, stderr_score=stderr, min_score=least)
            )
        case SqlQuery(setup, columns, min_rows):
            message.sql.CopyFrom(pb.SqlQuery(setup=setup, columns=columns, min_rows=min_rows))
        case UrlAnswer(contains):
            message.url.CopyFrom(pb.UrlAnswer(contains=contains))
        case CodeRun(language, test):
            message.code_run.CopyFrom(pb.CodeRun(language=language, test=test))
    return message
