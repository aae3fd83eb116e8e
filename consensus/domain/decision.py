"""What is answered: seats, consensus, gate, stage and the decision made of them."""

import datetime
from collections.abc import Sequence

from msgspec import Struct

from consensus.domain.gradient import (
    Abstention,
    Answer,
    Evidence,
    Failure,
    FindingStatus,
    GradientResult,
    Usage,
)
from consensus.domain.policy import StrategyName
from consensus.domain.reason import Reason, ReasonCode
from consensus.domain.submission import Criterion
from consensus.domain.turn import GoalStatus
from consensus.domain.words import Word

MAX_DEPTH = 3
"""The last depth of nested decisions (AEGIS: MAX_RECURSIVE_DEPTH)."""


class Verdict(Word):
    """What the caller should do."""

    ACCEPT = "accept"
    RETRY = "retry"
    ESCALATE = "escalate"


class SeatStatus(Word):
    """What became of a seat."""

    SCORED = "scored"
    ABSTAINED = "abstained"
    FAILED = "failed"
    SKIPPED = "skipped"


class GateAnswer(Word):
    """What a gate says."""

    PASS = "pass"
    FAIL = "fail"
    UNSURE = "unsure"
    NO_QUORUM = "no_quorum"


class ScenarioOutcome(Word):
    """What became of a test."""

    CONTINUE = "continue"
    """Nothing is settled yet: the conversation goes on (RETRY)."""
    SUCCESS = "success"
    """Every criterion is MET (ACCEPT)."""
    FAILURE = "failure"
    """A criterion is UNMET, or a verdict was required and there are no criteria (ESCALATE)."""
    INCONCLUSIVE = "inconclusive"
    """A verdict was required and nobody can tell (ESCALATE)."""


class Hierarchy(Struct, frozen=True):
    """The chain of decisions that one decision is part of."""

    parent_decision_id: str = ""
    depth: int = 0
    """Decisions above this one: 0 (the root) to MAX_DEPTH."""
    path: tuple[str, ...] = ()
    """Decision ids from the root to the parent."""

    def child(self, decision_id: str) -> "Hierarchy":
        """Return the hierarchy of what the decision `decision_id` asks for."""
        return Hierarchy(decision_id, self.depth + 1, (*self.path, decision_id))


class SeatResult(Struct, frozen=True, kw_only=True):
    """One judge's place in a panel and what became of it."""

    judge: str
    weight: float
    status: SeatStatus
    answer: Answer | Failure | None = None
    """A GradientResult iff SCORED, an Abstention iff ABSTAINED, a Failure iff FAILED."""
    duration_seconds: float = 0.0
    attempts: int = 0
    struck: int = 0
    """Quotations and findings struck because the submission does not hold them."""
    shadow: bool = False
    """Asked and recorded, never folded."""
    usage: Usage | None = None
    """None for judges that use no model."""

    @property
    def votes(self) -> bool:
        """Whether the seat counts in the arithmetic, once it has scored."""
        return self.weight > 0 and not self.shadow

    @property
    def gradient(self) -> GradientResult | None:
        """The gradient of a scored seat."""
        return self.answer if isinstance(self.answer, GradientResult) else None


class Flip(Struct, frozen=True):
    """A change of one seat's score that would flip the consensus, all else equal."""

    judge: str
    score: float
    upward: bool
    """True: flips at this score and above; False: at this score and below."""


class Dissent(Struct, frozen=True):
    """A seat on the other side of the threshold from the consensus."""

    judge: str
    score: float
    flip: Flip | None
    """The smallest flip of one seat; None when no single seat can."""


class Consensus(Struct, frozen=True, kw_only=True):
    """What a panel came to."""

    strategy: StrategyName
    threshold: float
    seats: tuple[SeatResult, ...]
    """One entry for each seat, in panel order, whatever happened."""
    coverage: float
    """Share of the configured weight that scored, 0 to 1."""
    final_score: float | None = None
    """None iff the quorum was missed."""
    confidence: float | None = None
    """None iff the quorum was missed."""
    agreement: float | None = None
    """None with fewer than two scored seats of positive weight."""
    tie: bool = False
    dissents: tuple[Dissent, ...] = ()


class CriterionResult(Struct, frozen=True, kw_only=True):
    """The panel's folded answer for one criterion."""

    criterion_id: str
    text: str
    required: bool
    status: FindingStatus
    met: int = 0
    """Seats of positive weight that found it MET."""
    unmet: int = 0
    """Seats of positive weight that found it UNMET."""
    evidence: tuple[Evidence, ...] = ()


class GateResult(Struct, frozen=True, kw_only=True):
    """What a gate said, and each of its conditions."""

    answer: GateAnswer
    score_ok: bool
    confidence_ok: bool
    agreement_ok: bool
    criteria_ok: bool
    quorum_ok: bool
    seats_ok: bool


class CheckResult(Struct, frozen=True):
    """Outcome of one deterministic check."""

    check: str
    """What was checked, in words."""
    passed: bool
    message: str
    """What was seen."""
    evidence: tuple[Evidence, ...] = ()
    score: float | None = None
    """0 to 1, where that is between yes and no; None: 1 where it holds, else 0."""
    of_process: bool = False
    """Whether it looked at how the candidate's process ended."""


class StageResult(Struct, frozen=True, kw_only=True):
    """What one stage did."""

    stage: str
    gate: GateResult
    checks: tuple[CheckResult, ...] = ()
    consensus: Consensus | None = None
    """None for a stage of checks."""
    criteria: tuple[CriterionResult, ...] = ()
    settled: bool = False
    """Whether the stage was settled before every judge had answered."""
    duration_seconds: float = 0.0

    @property
    def score(self) -> float | None:
        """The stage's score: the panel's, or the lowest of its checks; None without a quorum."""
        if self.consensus is not None:
            return self.consensus.final_score
        scores = [float(c.passed) if c.score is None else c.score for c in self.checks]
        return min(scores, default=1.0)


class Decision(Struct, frozen=True, kw_only=True):
    """The answer to a submission."""

    decision_id: str
    verdict: Verdict
    reasons: tuple[Reason, ...]
    """Most important first, at least one."""
    feedback: str
    effective_score: float | None
    """The lowest score of the stages that came to one."""
    criteria: tuple[CriterionResult, ...]
    stages: Sequence[StageResult]
    policy: str
    policy_revision: str
    hierarchy: Hierarchy
    create_time: datetime.datetime
    duration_seconds: float
    usage: Usage | None = None
    """The sum over every seat that used a model; None where none did."""
    goal_status: GoalStatus | None = None
    """None where no guard watches a goal."""
    goal_confidence: float | None = None
    """How sure that is, 0 to 1; None where no rule of two judges came to one."""
    derived_rubric: tuple[Criterion, ...] = ()
    """The rubric that was derived from the task, where the request asked for one."""
    scenario_outcome: ScenarioOutcome | None = None
    """None where no guard watches a scenario."""


__all__ = [
    "MAX_DEPTH",
    "Abstention",
    "CheckResult",
    "Consensus",
    "CriterionResult",
    "Decision",
    "Dissent",
    "Flip",
    "GateAnswer",
    "GateResult",
    "Hierarchy",
    "Reason",
    "ReasonCode",
    "SeatResult",
    "SeatStatus",
    "StageResult",
    "Verdict",
]
