"""The shape of a policy's own rubric, and what it builds."""

from collections.abc import Iterator
from typing import Literal

from pydantic import Field, TypeAdapter, ValidatorFunctionWrapHandler

from consensus.config.checks import build_check
from consensus.config.faults import Faults
from consensus.config.model import CheckSection
from consensus.config.positions import Path
from consensus.config.section import Name, Section
from consensus.domain.ports import CheckFaults
from consensus.domain.sandbox import SandboxRules
from consensus.domain.submission import (
    MAX_CRITERIA,
    MAX_CRITERION_TEXT,
    MAX_SANDBOXED,
    Criterion,
    SandboxKind,
)

_WORDS: TypeAdapter[str] = TypeAdapter(Literal["required", "optional"])


class CriterionSection(Section):
    """One requirement."""

    id: Name = Field(description="Stable and unique in the rubric.")
    text: str = Field(
        min_length=1, max_length=MAX_CRITERION_TEXT, description="What must hold, in words."
    )
    required: bool = Field(False, description="Whether no gate passes unless it is MET.")
    weight: float = Field(
        1.0, gt=0, le=1e9, description="Weight where a judge scores by criterion."
    )
    checks: list[CheckSection] = Field(
        [], max_length=16, description="MET iff all of them hold, for judges that can check."
    )


class RubricSection(Section):
    """The rubric of requests that leave theirs unset. One that a request sets takes its place, and
    an empty one means none.
    """

    criteria: list[CriterionSection] = Field(
        min_length=1, max_length=MAX_CRITERIA, description="The requirements, in order."
    )


def word_or_mapping(given: object, _either: ValidatorFunctionWrapHandler) -> str | RubricSection:
    """Return `required`, `optional` or a rubric; a fault is told of the one that was meant."""
    if isinstance(given, dict):
        return RubricSection.model_validate(given)
    return _WORDS.validate_python(given)


def build_rubric(
    section: str | RubricSection,
    path: Path,
    check_faults: CheckFaults,
    faults: Faults,
    sandbox: SandboxRules,
) -> tuple[Criterion, ...]:
    """Build a policy's own rubric, if it has one, and add what is wrong with it."""
    if isinstance(section, str):
        return ()
    rubric = tuple(_criteria(section, (*path, "criteria"), check_faults, faults, sandbox))
    kinds = [check.kind for criterion in rubric for check in criterion.checks]
    count = sum(isinstance(kind, SandboxKind) for kind in kinds)
    if count > MAX_SANDBOXED:
        words = f"have {count} checks that need the sandbox; at most {MAX_SANDBOXED}"
        faults.add((*path, "criteria"), words)
    return rubric


def _criteria(
    section: RubricSection,
    path: Path,
    check_faults: CheckFaults,
    faults: Faults,
    sandbox: SandboxRules,
) -> Iterator[Criterion]:
    seen: set[str] = set()
    for index, entry in enumerate(section.criteria):
        if entry.id in seen:
            faults.add((*path, index, "id"), f"is {entry.id!r}, which an earlier criterion has")
        seen.add(entry.id)
        yield Criterion(
            id=entry.id,
            text=entry.text,
            required=entry.required,
            weight=entry.weight,
            checks=tuple(
                build_check(check, (*path, index, "checks", number), check_faults, faults, sandbox)
                for number, check in enumerate(entry.checks)
            ),
        )
