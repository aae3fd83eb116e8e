"""What one judge answers: a gradient, an abstention, or a failure in its place."""

import math
from collections.abc import Mapping

from msgspec import Struct, field

from consensus.domain.words import Word

MOST_TOKENS = 1 << 40
MOST_USD = 1e9
"""What one answer can have taken at most: anything above is nonsense, and the sum over all seats
must still be a number that the contract can hold."""


class FindingStatus(Word):
    """A judge's answer for one criterion."""

    MET = "met"
    UNMET = "unmet"
    INCONCLUSIVE = "inconclusive"
    """The judge cannot tell: no vote."""


class FailureKind(Word):
    """Why a judge did not answer."""

    TIMEOUT = "timeout"
    ERROR = "error"
    UNREADABLE = "unreadable"
    """The answer breaks the contract, such as a score of 7."""
    OVERLOADED = "overloaded"
    RATE_LIMITED = "rate_limited"
    BREAKER_OPEN = "breaker_open"
    """Not asked: it kept failing."""
    REFUSED = "refused"
    """The model declined to judge."""
    TRUNCATED = "truncated"
    """The reply was cut off."""
    FILTERED = "filtered"
    """A content filter held the reply back."""
    SPEND_LIMIT = "spend_limit"
    """Not asked: it could cost more than is left."""


class Evidence(Struct, frozen=True):
    """A verbatim quotation that supports a finding."""

    quote: str
    message_index: int | None = None
    """Index into `Submission.messages`; None means the candidate or an output, or a span."""
    span_id: str = ""
    """The span that holds the quotation: the first 8 to 16 digits of its id; empty means none."""


class Finding(Struct, frozen=True, kw_only=True):
    """A judge's answer for one criterion."""

    criterion_id: str
    status: FindingStatus
    evidence: tuple[Evidence, ...] = ()
    notes: str = ""


class Signal(Struct, frozen=True):
    """One aspect of a judge's score."""

    category: str
    score: float
    """0 to 1, inclusive."""
    message: str = ""


class GradientResult(Struct, frozen=True, kw_only=True):
    """One judge's answer about one submission."""

    score: float
    """How good, 0 to 1, inclusive, finite."""
    confidence: float
    """How sure the judge is of its score, 0 to 1, inclusive, finite."""
    reasoning: str = ""
    signals: tuple[Signal, ...] = ()
    findings: tuple[Finding, ...] = ()
    metadata: Mapping[str, str] = field(default_factory=dict)


class Abstention(Struct, frozen=True):
    """A judge's answer that it cannot tell; neither a failure nor a zero."""

    reason: str


class Failure(Struct, frozen=True):
    """Why a judge did not answer."""

    kind: FailureKind
    reason: str
    """A short sentence without any judged content."""


Answer = GradientResult | Abstention


class Usage(Struct, frozen=True, kw_only=True):
    """What judging took: tokens by kind, and money."""

    input_tokens: int = 0
    """All of the prompt, cached or not."""
    cached_input_tokens: int = 0
    cache_write_tokens: int = 0
    output_tokens: int = 0
    """All of the reply, reasoning included."""
    reasoning_tokens: int = 0
    cost_usd: float | None = 0.0
    """None: unknown, because some price is."""

    def __add__(self, other: "Usage") -> "Usage":
        costs = (self.cost_usd, other.cost_usd)
        return Usage(
            input_tokens=self.input_tokens + other.input_tokens,
            cached_input_tokens=self.cached_input_tokens + other.cached_input_tokens,
            cache_write_tokens=self.cache_write_tokens + other.cache_write_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
            reasoning_tokens=self.reasoning_tokens + other.reasoning_tokens,
            cost_usd=None if costs[0] is None or costs[1] is None else costs[0] + costs[1],
        )


def unit(value: float) -> bool:
    """Tell whether `value` is a finite number in [0, 1]."""
    return math.isfinite(value) and 0.0 <= value <= 1.0
