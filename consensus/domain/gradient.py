"""What one judge answers: a gradient, an abstention, or a failure in its place."""

import math
from collections.abc import Mapping
from dataclasses import field
from enum import Enum

from consensus.domain.values import value


class FindingStatus(Enum):
    """A judge's answer for one criterion."""

    MET = "met"
    UNMET = "unmet"
    INCONCLUSIVE = "inconclusive"
    """The judge cannot tell: no vote."""


class FailureKind(Enum):
    """Why a judge did not answer."""

    TIMEOUT = "timeout"
    ERROR = "error"
    UNREADABLE = "unreadable"
    """The answer breaks the contract, such as a score of 7."""
    OVERLOADED = "overloaded"


@value(frozen=True, slots=True)
class Evidence:
    """A verbatim quotation that supports a finding."""

    quote: str
    message_index: int | None = None
    """Index into `Submission.messages`; None means the candidate or an output."""


@value(frozen=True, slots=True, kw_only=True)
class Finding:
    """A judge's answer for one criterion."""

    criterion_id: str
    status: FindingStatus
    evidence: tuple[Evidence, ...] = ()
    notes: str = ""


@value(frozen=True, slots=True)
class Signal:
    """One aspect of a judge's score."""

    category: str
    score: float
    """0 to 1, inclusive."""
    message: str = ""


@value(frozen=True, slots=True, kw_only=True)
class GradientResult:
    """One judge's answer about one submission."""

    score: float
    """How good, 0 to 1, inclusive, finite."""
    confidence: float
    """How sure the judge is of its score, 0 to 1, inclusive, finite."""
    reasoning: str = ""
    signals: tuple[Signal, ...] = ()
    findings: tuple[Finding, ...] = ()
    metadata: Mapping[str, str] = field(default_factory=dict)


@value(frozen=True, slots=True)
class Abstention:
    """A judge's answer that it cannot tell; neither a failure nor a zero."""

    reason: str


@value(frozen=True, slots=True)
class Failure:
    """Why a judge did not answer."""

    kind: FailureKind
    reason: str
    """A short sentence without any judged content."""


Answer = GradientResult | Abstention


def unit(value: float) -> bool:
    """Tell whether `value` is a finite number in [0, 1]."""
    return math.isfinite(value) and 0.0 <= value <= 1.0
