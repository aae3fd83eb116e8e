"""Runs one check in few words."""

from collections.abc import Mapping

from consensus.domain.decision import CheckResult
from consensus.domain.submission import Check, CheckKind, JsonSchema, Submission
from consensus.validators import run_checks


def checked(
    kind: CheckKind, candidate: str, output: str = "", outputs: Mapping[str, object] | None = None
) -> CheckResult:
    """Return what one check says of a candidate."""
    submission = Submission(task="t", candidate=candidate, outputs=outputs or {})
    (result,) = run_checks([Check(kind, output)], submission)
    return result


def holds(kind: CheckKind, candidate: str) -> bool:
    """Tell whether a check holds."""
    return checked(kind, candidate).passed


def fault(schema: Mapping[str, object], candidate: str) -> str:
    """Return what is wrong with a JSON candidate by a schema; empty where it is accepted."""
    result = checked(JsonSchema(schema), candidate)
    return "" if result.passed else result.message
