"""Rules as data: policies, stages, panels, gates, and what makes them sound."""

from collections.abc import Mapping
from functools import cached_property

from msgspec import Struct, field
from msgspec.structs import replace

from consensus.domain.guards import Guards
from consensus.domain.judges import BackendSpec, JudgeSpec
from consensus.domain.sandbox import SandboxRules
from consensus.domain.sight import Sees
from consensus.domain.submission import Check, Criterion
from consensus.domain.tools import ToolRule
from consensus.domain.words import Word


class StrategyName(Word):
    """How seats are folded into one score."""

    WEIGHTED_AVERAGE = "weighted_average"
    MAJORITY = "majority"
    UNANIMOUS = "unanimous"
    BEST_OF_N = "best_of_n"
    MEDIAN = "median"
    TRIMMED_MEAN = "trimmed_mean"


class Tie(Word):
    """What a tied vote counts as."""

    FAIL = "fail"
    PASS = "pass"
    ESCALATE = "escalate"


class Settle(Word):
    """When a stage stops waiting for its judges."""

    WAIT_ALL = "wait_all"
    EARLY = "early"


class Action(Word):
    """What a stage does with its gate's answer."""

    ADVANCE = "advance"
    ACCEPT = "accept"
    RETRY = "retry"
    ESCALATE = "escalate"
    FAIL = "fail"
    """Only for a missed quorum: the call fails with UNAVAILABLE when no judge answered at all,
    else escalate."""


DEFAULT_THRESHOLD = 0.7


class Seat(Struct, frozen=True, kw_only=True):
    """One judge's place in a panel."""

    judge: str
    weight: float = 1.0
    """Finite, >= 0; 0 is asked and recorded but absent from the arithmetic."""
    timeout_seconds: float = 10.0
    """Most time for one answer, beside what is left of the budget; > 0."""
    shadow: bool = False
    """Asked, recorded and counted, never folded."""


class ConfidenceFactors(Struct, frozen=True, kw_only=True):
    """How agreement and self-confidence make up the consensus confidence (AEGIS: 0.7 / 0.3)."""

    agreement: float = 0.7
    self_confidence: float = 0.3


class Panel(Struct, frozen=True, kw_only=True, dict=True):
    """Seats, the strategy that folds them, and the quorum."""

    seats: tuple[Seat, ...]
    strategy: StrategyName = StrategyName.WEIGHTED_AVERAGE
    threshold: float = DEFAULT_THRESHOLD
    """The score from which a seat counts as a pass, inclusive; in (0, 1]."""
    quorum: int = 1
    """Seats of positive weight that must score."""
    n: int | None = None
    """Seats that best_of_n takes; None for every other strategy."""
    trim: float = 0.2
    """Share of weight that trimmed_mean drops at each end; in [0, 0.5)."""
    tie: Tie = Tie.FAIL
    factors: ConfidenceFactors = field(default_factory=ConfidenceFactors)
    settle: Settle = Settle.WAIT_ALL
    sees: Sees | None = None
    """How much its judges are shown; None: everything."""

    @cached_property
    def weights(self) -> tuple[float, ...]:
        """What each seat weighs in the arithmetic; a shadow weighs nothing."""
        return tuple(0.0 if seat.shadow else float(seat.weight) for seat in self.seats)

    @cached_property
    def voters(self) -> int:
        """Seats of positive weight."""
        return sum(weight > 0 for weight in self.weights)

    @cached_property
    def judges(self) -> list[str]:
        """The judges' names, in panel order."""
        return [seat.judge for seat in self.seats]


class Gate(Struct, frozen=True, kw_only=True):
    """The conditions of a pass; every bound is inclusive and in [0, 1]."""

    min_score: float = DEFAULT_THRESHOLD
    min_confidence: float = 0.0
    min_agreement: float = 0.0


class Stage(Struct, frozen=True, kw_only=True):
    """Checks or a panel, with a gate and what follows from its answer."""

    name: str
    panel: Panel | None = None
    """Either a panel or at least one check."""
    checks: tuple[Check, ...] = ()
    gate: Gate = field(default_factory=Gate)
    on_pass: Action
    on_fail: Action
    on_unsure: Action
    on_no_quorum: Action | None
    """Always given for a panel; None for a stage of checks, which has no quorum."""


class SpendLimits(Struct, frozen=True, kw_only=True):
    """The most that the judges of a policy may cost, in US dollars; None means no limit."""

    per_request_usd: float | None = None
    per_hour_usd: float | None = None
    """Over any 60 minutes, in this process."""


class Policy(Struct, frozen=True, kw_only=True):
    """Ordered stages and limits under a name."""

    name: str
    stages: tuple[Stage, ...]
    revision: str
    """Digest of the canonical content: `sha256:` and 16 hexadecimal digits."""
    description: str = ""
    enabled: bool = True
    rubric_required: bool = False
    deadline_seconds: float = 30.0
    spend: SpendLimits = field(default_factory=SpendLimits)
    guards: Guards | None = None
    """None: no guard looks at anything."""
    rubric: tuple[Criterion, ...] = ()
    """Judges submissions that come without one of their own."""


class PolicySet(Struct, frozen=True, kw_only=True):
    """Everything that one policy file says."""

    policies: Mapping[str, Policy]
    judges: Mapping[str, JudgeSpec]
    backends: Mapping[str, BackendSpec] = field(default_factory=dict)
    default: str
    """Name of the policy that answers when a request names none."""
    sandbox: SandboxRules = SandboxRules()
    """What checks that touch the world may do."""
    tools: tuple[ToolRule, ...] = ()
    """Rules for tool calls; the first that matches holds."""
    tools_revision: str = ""
    """Digest of these rules and the policies they name; empty where there are none."""
    beside: tuple[str, ...] = ()
    """Files whose content is part of it, such as prompt templates."""

    def tool_rule(self, tool: str) -> ToolRule | None:
        """Return the first rule about this tool."""
        return next((rule for rule in self.tools if rule.matches(tool)), None)


class Overrides(Struct, frozen=True, kw_only=True):
    """Changes to every panel and gate of a policy, for one request; None means none."""

    strategy: StrategyName | None = None
    threshold: float | None = None
    n: int | None = None
    min_score: float | None = None
    min_confidence: float | None = None
    min_agreement: float | None = None

    def of_panel(self, panel: Panel) -> Panel:
        """Return `panel` with these changes."""
        strategy = self.strategy or panel.strategy
        n = self.n if self.n is not None else panel.n
        return replace(
            panel,
            strategy=strategy,
            n=n if strategy is StrategyName.BEST_OF_N else self.n,
            threshold=panel.threshold if self.threshold is None else self.threshold,
        )

    def of_gate(self, gate: Gate) -> Gate:
        """Return `gate` with these changes."""
        return Gate(
            min_score=gate.min_score if self.min_score is None else self.min_score,
            min_confidence=(
                gate.min_confidence if self.min_confidence is None else self.min_confidence
            ),
            min_agreement=gate.min_agreement if self.min_agreement is None else self.min_agreement,
        )
