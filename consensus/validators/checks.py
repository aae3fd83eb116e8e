"""Evaluates deterministic checks. Bounded in work; never raises on any input."""

from collections.abc import Mapping, Sequence

from consensus.domain.decision import CheckResult
from consensus.domain.evaluation import Proofs
from consensus.domain.gradient import Evidence
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
    Submission,
    UrlAnswer,
)
from consensus.validators.describe import describe
from consensus.validators.effort import Effort, EffortSpentError
from consensus.validators.expressions import ExpressionError, search
from consensus.validators.process import exit_code
from consensus.validators.reading import Reading
from consensus.validators.text import near, target

MAX_MESSAGE = 1_000
MAX_QUOTE = 200
_SHOWN = 80
_CHECK_STEPS = 500

_Readings = dict[tuple[str, CheckTarget], Reading | None]
_Outcome = tuple[bool, str, tuple[str, ...]]
"""Whether it holds, what was seen, and what to quote."""


def run_checks(
    checks: Sequence[Check], submission: Submission, proofs: Proofs | None = None
) -> list[CheckResult]:
    """Return one result for each check, in order.

    The checks share one effort; a check that it does not cover does not hold, and says so. What
    needs the sandbox holds only where `proofs` says so.
    """
    if proofs:
        proven = [_proven(check, proofs) for check in checks]
        rest = [check for check, result in zip(checks, proven, strict=True) if result is None]
        pure = iter(run_checks(rest, submission))
        return [next(pure) if result is None else result for result in proven]
    effort = Effort()
    readings: _Readings = {}
    return [
        _of_process(check, check.kind, submission)
        if isinstance(check.kind, ExitCode)
        else _run(check, _reading(check, submission, readings, effort), effort)
        for check in checks
    ]


def _of_process(check: Check, wanted: ExitCode, submission: Submission) -> CheckResult:
    score, message = exit_code(wanted, submission.process)
    return CheckResult(
        describe(check),
        score >= wanted.min_score,
        message,
        score=score if 0 < score < 1 else None,
        of_process=True,
    )


def _proven(check: Check, proofs: Proofs) -> CheckResult | None:
    return proofs.get(check) if isinstance(check.kind, SandboxKind) else None


def _reading(
    check: Check, submission: Submission, readings: _Readings, effort: Effort
) -> Reading | None:
    looked_at = check.output, check.target
    if looked_at not in readings:
        text = target(submission, *looked_at)
        readings[looked_at] = None if text is None else Reading(text, effort)
    return readings[looked_at]


def _run(check: Check, reading: Reading | None, effort: Effort) -> CheckResult:
    if reading is None:
        missing = f"readable output {check.output!r}" if check.output else "process with a stderr"
        return CheckResult(describe(check), False, f"there is no {missing}")
    try:
        effort.spend(_CHECK_STEPS)
        passed, message, quotes = _evaluate(check, reading, effort)
    except EffortSpentError:
        message = "not checked: the checks of this submission take more work than one may"
        return CheckResult(describe(check), False, message)
    kept = (quote[:MAX_QUOTE] for quote in quotes)
    evidence = tuple(Evidence(quote) for quote in kept if quote.strip())
    return CheckResult(describe(check), passed, message[:MAX_MESSAGE], evidence)


def _evaluate(check: Check, reading: Reading, effort: Effort) -> _Outcome:
    match check.kind:
        case Contains(value):
            return _contains_all((value,), reading)
        case ContainsAll(values):
            return _contains_all(values, reading)
        case NotContains(value):
            found = reading.holds(value)
            return not found, "found" if found else "not found", (value,) if found else ()
        case Regex(pattern):
            return _matches(pattern, reading, effort)
        case JsonSchema(schema):
            return _json(schema, reading, effort)
        case NumericAnswer(value, tolerance):
            return _numeric(value, tolerance, reading)
        case LengthLimit() as limit:
            return _length(limit, reading)
        case SqlQuery() | UrlAnswer() | CodeRun() | ExitCode():  # proven or looked at elsewhere
            return False, "it was not verified", ()
        case block:
            return _code_block(block.language, reading)


def _contains_all(values: tuple[str, ...], reading: Reading) -> _Outcome:
    missing = [value for value in values if not reading.holds(value)]
    if missing:
        return False, f"not found: {', '.join(repr(value[:_SHOWN]) for value in missing[:8])}", ()
    return True, "found", values[:4]


def _matches(pattern: str, reading: Reading, effort: Effort) -> _Outcome:
    try:
        found = search(pattern, reading.encoded, effort)
    except ExpressionError as error:
        return False, f"not an RE2 expression: {error}", ()
    return (False, "no match", ()) if found is None else (True, "matched", (found,))


def _json(schema: Mapping[str, object], reading: Reading, effort: Effort) -> _Outcome:
    from consensus.validators.schema import document_fault  # 75 ms: not at every start

    document, problem = reading.document
    if problem:
        return False, f"not JSON: {problem}", ()
    fault = document_fault(schema, document, len(reading.text), effort)
    plain = fault.encode("utf-8", "replace").decode()  # "\\ud800" in JSON is no character
    return not fault, plain or "accepted by the schema", ()


def _numeric(value: float, tolerance: float, reading: Reading) -> _Outcome:
    found = reading.last_number
    if not found:
        return False, "there is no number", ()
    return near(found, value, tolerance), f"the last number is {found[:_SHOWN]}", (found,)


def _length(limit: LengthLimit, reading: Reading) -> _Outcome:
    words, chars = reading.word_count, len(reading.text)
    passed = _within(words, limit.min_words, limit.max_words) and _within(
        chars, limit.min_chars, limit.max_chars
    )
    return passed, f"{words} words, {chars} characters", ()


def _within(count: int, least: int | None, most: int | None) -> bool:
    return (least is None or count >= least) and (most is None or count <= most)


def _code_block(language: str, reading: Reading) -> _Outcome:
    code = reading.code
    lines = code.values() if language == "*" else (code.get(language.lower(), ""),)
    for line in lines:
        if line:
            return True, "found", (line,)
    seen = ", ".join(tag[:40] or "untagged" for tag in list(code)[:8])
    return False, f"the code blocks are {seen}" if seen else "there is no closed code block", ()
