"""Evaluates deterministic checks. Bounded in work; never raises on any input."""

import json
from collections.abc import Mapping, Sequence

from consensus.domain.decision import CheckResult
from consensus.domain.gradient import Evidence
from consensus.domain.submission import (
    Check,
    CodeBlock,
    Contains,
    ContainsAll,
    JsonSchema,
    LengthLimit,
    NotContains,
    NumericAnswer,
    Regex,
    Submission,
)
from consensus.validators.describe import describe
from consensus.validators.effort import Effort, EffortSpentError
from consensus.validators.expressions import compiled
from consensus.validators.schema import schema_errors
from consensus.validators.text import as_number, code_blocks, last_number, target, unfenced

MAX_MESSAGE = 1_000
MAX_QUOTE = 200

_Outcome = tuple[bool, str, tuple[str, ...]]
"""Whether it holds, what was seen, and what to quote."""


def run_checks(checks: Sequence[Check], submission: Submission) -> list[CheckResult]:
    """Return one result for each check, in order.

    The checks share one effort; a check that it does not cover does not hold, and says so.
    """
    effort = Effort()
    return [_run(check, submission, effort) for check in checks]


def _run(check: Check, submission: Submission, effort: Effort) -> CheckResult:
    text = target(submission, check.output)
    if text is None:
        return CheckResult(describe(check), False, f"there is no output {check.output!r}")
    try:
        effort.spend(len(text) // 4)
        passed, message, quotes = _evaluate(check, text, effort)
    except EffortSpentError:
        message = "not checked: the checks of this submission take more work than one may"
        return CheckResult(describe(check), False, message)
    evidence = tuple(Evidence(quote[:MAX_QUOTE]) for quote in quotes if quote)
    return CheckResult(describe(check), passed, message[:MAX_MESSAGE], evidence)


def _evaluate(check: Check, text: str, effort: Effort) -> _Outcome:
    match check.kind:
        case Contains(value):
            return _contains_all((value,), text)
        case ContainsAll(values):
            effort.spend(len(text) * len(values) // 16)
            return _contains_all(values, text)
        case NotContains(value):
            found = value in text
            return not found, "found" if found else "not found", (value,) if found else ()
        case Regex(pattern):
            return _matches(pattern, text, effort)
        case JsonSchema(schema):
            return _json(schema, text, effort)
        case NumericAnswer(value, tolerance):
            return _numeric(value, tolerance, text)
        case LengthLimit() as limit:
            return _length(limit, text)
        case CodeBlock(language):
            return _code_block(language, text)


def _contains_all(values: tuple[str, ...], text: str) -> _Outcome:
    missing = [value for value in values if value not in text]
    if missing:
        return False, f"not found: {', '.join(repr(value) for value in missing)}", ()
    return True, "found", values[:4]


def _matches(pattern: str, text: str, effort: Effort) -> _Outcome:
    expression = compiled(pattern)
    effort.spend(expression.programsize * len(text))
    match = expression.search(text)
    return (True, "matched", (match[0],)) if match else (False, "no match", ())


def _json(schema: Mapping[str, object], text: str, effort: Effort) -> _Outcome:
    try:
        document = json.loads(unfenced(text), parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        return False, f"not JSON: {error}", ()
    errors = schema_errors(schema, document, effort)
    return not errors, errors or "accepted by the schema", ()


def _refuse_constant(name: str) -> float:
    raise ValueError(f"{name} is not a JSON number")


def _numeric(value: float, tolerance: float, text: str) -> _Outcome:
    found = last_number(text)
    if not found:
        return False, "there is no number", ()
    passed = abs(as_number(found) - value) <= tolerance
    return passed, f"the last number is {found[:40]}", (found,)


def _length(limit: LengthLimit, text: str) -> _Outcome:
    words, chars = len(text.split()), len(text)
    passed = all(
        (least is None or count >= least) and (most is None or count <= most)
        for count, least, most in (
            (words, limit.min_words, limit.max_words),
            (chars, limit.min_chars, limit.max_chars),
        )
    )
    return passed, f"{words} words, {chars} characters", ()


def _code_block(language: str, text: str) -> _Outcome:
    tags = []
    for tag, content in code_blocks(text):
        if content.strip() and language.lower() in ("*", tag):
            return True, "found", (content.strip().splitlines()[0],)
        tags.append(tag or "untagged")
    seen = f"the code blocks are {', '.join(tags[:8])}" if tags else "there is no closed code block"
    return False, seen, ()
