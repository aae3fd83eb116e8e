"""Builds checks out of their sections."""

from collections.abc import Iterator

from consensus.config.faults import Faults
from consensus.config.model import CheckSection
from consensus.config.positions import Path
from consensus.domain.ports import CheckFaults
from consensus.domain.sandbox import SANDBOX_SWITCH, SandboxRules
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
    SqlQuery,
    UrlAnswer,
)

_PLACES = ("output", "target")
"""The keys that say where to look."""


def build_check(
    section: CheckSection,
    path: Path,
    check_faults: CheckFaults,
    faults: Faults,
    sandbox: SandboxRules,
) -> Check:
    """Build one check and add what is wrong with it."""
    kinds = list(_kinds(section))
    if len(kinds) != 1:
        names = ", ".join(name for name in CheckSection.model_fields if name not in _PLACES)
        faults.add(path, f"has {len(kinds)} kinds of check; must have exactly one of {names}")
        return Check(Contains(""))
    check = Check(kinds[0], section.output, CheckTarget(section.target))
    faults.add_fields(path, _place_faults(check))
    faults.add_fields(path, check_faults(check))
    for key in SANDBOX_SWITCH:
        if getattr(section, key) is not None and not sandbox.allows(key):
            faults.add((*path, key), f"is off; `{SANDBOX_SWITCH[key]}` allows it")
    return check


def _place_faults(check: Check) -> Iterator[tuple[str, str]]:
    stderr = check.target is not CheckTarget.CANDIDATE
    if check.output and stderr:
        yield "target", "has no meaning beside `output`"
    if isinstance(check.kind, ExitCode):
        for key, given in (("output", check.output), ("target", stderr)):
            if given:
                yield key, "has no meaning beside `exit_code`, which looks at no text"


def _kinds(section: CheckSection) -> Iterator[CheckKind]:
    if section.contains is not None:
        yield Contains(section.contains)
    if section.contains_all is not None:
        yield ContainsAll(tuple(section.contains_all))
    if section.not_contains is not None:
        yield NotContains(section.not_contains)
    if section.regex is not None:
        yield Regex(section.regex)
    if section.json_schema is not None:
        yield JsonSchema(section.json_schema)
    if section.numeric is not None:
        yield NumericAnswer(**section.numeric.model_dump())
    if section.length is not None:
        yield LengthLimit(**section.length.model_dump())
    if section.code_block is not None:
        yield CodeBlock(section.code_block)
    if section.exit_code is not None:
        yield ExitCode(**section.exit_code.model_dump())
    yield from _sandboxed(section)


def _sandboxed(section: CheckSection) -> Iterator[CheckKind]:
    if section.sql is not None:
        query = section.sql
        yield SqlQuery(query.setup, tuple(query.columns), query.min_rows)
    if section.url is not None:
        yield UrlAnswer(section.url.contains)
    if section.code_run is not None:
        yield CodeRun(**section.code_run.model_dump())
