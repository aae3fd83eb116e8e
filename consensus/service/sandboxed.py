"""Refuses checks that need what this server's sandbox may not do."""

from collections.abc import Iterator, Sequence

from consensus.domain.errors import InvalidRequest, Violation
from consensus.domain.sandbox import SANDBOX_SWITCH, SandboxRules
from consensus.domain.submission import MAX_SANDBOXED, SANDBOX_KEYS, Check, Criterion


def require_sandbox(rubric: Sequence[Criterion], rules: SandboxRules, path: str) -> None:
    """Raise InvalidRequest for checks that `rules` do not allow, or for too many of them.

    `path` is the field of the rubric's criteria. What carries no checks costs next to nothing.
    """
    for criterion in rubric:
        if criterion.checks:
            found = list(_violations(rubric, rules, path))
            if found:
                raise InvalidRequest(found)
            return


def _violations(rubric: Sequence[Criterion], rules: SandboxRules, path: str) -> Iterator[Violation]:
    count = 0
    for index, criterion in enumerate(rubric):
        for number, check in enumerate(criterion.checks):
            key = sandbox_key(check)
            count += bool(key)
            if not rules.allows(key):
                words = f"is not allowed here; `{SANDBOX_SWITCH[key]}` in the policy file allows it"
                yield Violation(f"{path}[{index}].checks[{number}].{key}", words)
    if count > MAX_SANDBOXED:
        words = f"have {count} checks that need the sandbox; at most {MAX_SANDBOXED}"
        yield Violation(path, words)


def sandbox_key(check: Check) -> str:
    """Return the key of a check that needs the sandbox; empty where it needs none."""
    return next((key for kind, key in SANDBOX_KEYS.items() if isinstance(check.kind, kind)), "")
