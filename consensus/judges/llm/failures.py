"""What an answer other than a reply means: status, inner code and headers to a JudgeFailed.

Every sentence is one of ours. What the server wrote may hold the prompt, or the key.
"""

from collections.abc import Iterator, Mapping

from consensus.domain.errors import JudgeFailed
from consensus.domain.gradient import FailureKind
from consensus.judges.llm.json_values import mapping, parsed
from consensus.judges.llm.retry_after import retry_after

_STATUS_OF = {
    "authentication_error": 401,
    "invalid_api_key": 401,
    "permission_error": 403,
    "not_found_error": 404,
    "model_not_found": 404,
    "invalid_request_error": 400,
    "rate_limit_error": 429,
    "rate_limit_exceeded": 429,
    "too_many_requests": 429,
    "resource_exhausted": 429,
    "overloaded_error": 529,
    "insufficient_system_resource": 503,
    "unavailable": 503,
    "timeout": 504,
    "timeout_error": 504,
    "deadline_exceeded": 504,
}
"""Codes that stand where a status is missing: in an answer with 200."""
_SPENT = (
    *("insufficient_quota", "quota_exceeded", "insufficient_balance"),
    *("billing", "credit", "spend_limit", "spending"),
)
_FILTERED = ("content_filter", "content_policy", "responsibleaipolicy", "moderation")
_TOO_LONG = ("context_length", "context_size", "above_max_length", "too_large")
_MOST_RAW = 64 << 10


class BackendFailed(JudgeFailed):
    """A model server that did not answer with a reply."""

    def __init__(
        self,
        kind: FailureKind,
        reason: str,
        *,
        passing: bool = False,
        retry_after_seconds: float | None = None,
        about_submission: bool = False,
        status: int = 0,
        cut_off: bool = False,
    ) -> None:
        super().__init__(
            kind,
            reason,
            passing=passing,
            retry_after_seconds=retry_after_seconds,
            about_submission=about_submission,
        )
        self.status = status
        """Of HTTP, or the one that an error in a 200 stands for; 0 where the server is silent."""
        self.cut_off = cut_off
        """Whether the server had the request, and broke off before it told what that cost."""


def failure(status: int, headers: Mapping[str, str], body: bytes) -> BackendFailed:
    """Return what an answer with a status other than 200 means."""
    error = mapping(parsed(body)).get("error")
    return _failure(status, tuple(_codes(error)), headers)


def inner_failure(error: object, headers: Mapping[str, str]) -> BackendFailed:
    """Return what an error inside an answer with status 200 means, by its innermost code."""
    codes = tuple(_codes(error))
    for code in codes:
        status = int(code) if code.isdecimal() and len(code) == 3 else _STATUS_OF.get(code, 0)
        if 400 <= status <= 599:
            return _failure(status, codes, headers)
    return _failure(500, codes, headers)


def _failure(status: int, codes: tuple[str, ...], headers: Mapping[str, str]) -> BackendFailed:
    def made(
        kind: FailureKind, words: str, passing: bool = False, about_submission: bool = False
    ) -> BackendFailed:
        return BackendFailed(
            kind,
            f"the backend answered {status}: {words}",
            passing=passing,
            retry_after_seconds=retry_after(headers) if passing else None,
            about_submission=about_submission,
            status=status,
        )

    if _holds(codes, _FILTERED):
        return made(FailureKind.FILTERED, "a content filter held the request back")
    if status == 402 or (status in (403, 429) and _holds(codes, _SPENT)):
        return made(FailureKind.RATE_LIMITED, "the quota is spent")
    if status == 429:
        return made(FailureKind.RATE_LIMITED, "too many requests", passing=True)
    if status in (503, 529):
        return made(FailureKind.OVERLOADED, "overloaded", passing=True)
    if status in (408, 504):
        return made(FailureKind.TIMEOUT, "it took too long upstream", passing=True)
    if status >= 500:
        return made(FailureKind.ERROR, "a fault of the backend", passing=True)
    if status == 413 or _holds(codes, _TOO_LONG):
        words = "the request is longer than it takes"
        return made(FailureKind.ERROR, words, about_submission=True)
    return made(FailureKind.ERROR, _own_fault(status))


def _own_fault(status: int) -> str:
    """Return words for what no second attempt mends."""
    if status in (401, 403):
        return "the key is not accepted"
    if status == 404:
        return "it knows no such model or address"
    if 300 <= status <= 399:
        return "it points elsewhere, which is not followed"
    return "it does not accept the request"


def _holds(codes: tuple[str, ...], parts: tuple[str, ...]) -> bool:
    return any(part in code for code in codes for part in parts)


def _codes(error: object, depth: int = 0) -> Iterator[str]:
    """Yield the codes of an error in lower case, those of its cause first."""
    if isinstance(error, str):
        yield error[:64].lower()
    told = mapping(error)
    raw = mapping(told.get("metadata")).get("raw")
    if depth < 2:
        cause = parsed(raw) if isinstance(raw, str) and len(raw) <= _MOST_RAW else raw
        inner = mapping(cause)
        yield from _codes(inner.get("error", inner), depth + 1) if inner else ()
        yield from _codes(told.get("innererror"), depth + 1)
    for key in ("code", "type", "status"):
        code = told.get(key)
        if isinstance(code, int) and not isinstance(code, bool) and 0 < code < 1000:
            yield str(code)
        elif isinstance(code, str):
            yield code[:64].lower()
