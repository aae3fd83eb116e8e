"""The limits of a run, and what its judges are asked and told."""

from dataclasses import dataclass, field

from consensus.v1.consensus_pb2 import DeriveCriteria, Overrides
from consensus_client import expect
from consensus_client.calls import Metadata, checked
from consensus_client.loop.facts import Step
from consensus_client.loop.proposals import ToolRules

MAX_EARLIER = 64


@dataclass(frozen=True, slots=True)
class LoopRules:
    """Limits of a run, and how its judges are asked.

    Raises ValueError on limits out of range, TypeError on values of other types.
    """

    max_iterations: int = 50
    """Most turns, at least 1. A call that fails or is cancelled uses none up."""
    max_fixes: int = 3
    """Most fixes in a turn, at least 0; what is invalid then goes back to the worker."""
    policy: str = ""
    """Empty means the server's default."""
    overrides: Overrides | None = None
    derive_criteria: DeriveCriteria | None = None
    """Where the state has no criteria: the first decision derives them, all turns keep them."""
    max_cost_usd: float | None = None
    """The most that one turn's judges may cost, above 0."""
    timeout_seconds: float | None = None
    """Of each call to the judges; None: the client's."""
    metadata: Metadata | None = None
    step: Step = field(default_factory=Step)
    """What the judges are told of the worker's step."""
    earlier_turns: int = 5
    """Turns before this one that the judges are told of, 0 to 64; five are what guards look at
    unless their policy says otherwise."""
    tools: ToolRules = field(default_factory=ToolRules)
    """How tool calls are judged that the worker proposes."""

    def __post_init__(self) -> None:
        expect.whole("LoopRules.max_iterations", self.max_iterations, 1)
        expect.whole("LoopRules.max_fixes", self.max_fixes, 0)
        expect.whole("LoopRules.earlier_turns", self.earlier_turns, 0, MAX_EARLIER)
        expect.text("LoopRules.policy", self.policy)
        if self.max_cost_usd is not None:
            expect.positive("LoopRules.max_cost_usd", self.max_cost_usd)
        if self.timeout_seconds is not None:
            expect.positive("LoopRules.timeout_seconds", self.timeout_seconds)
        checked(self.metadata, "LoopRules.metadata")
        for name, kind, must in (
            ("overrides", Overrides | None, "an Overrides or None"),
            ("derive_criteria", DeriveCriteria | None, "a DeriveCriteria or None"),
            ("step", Step, "a Step, such as Step(output_keys=['plan'])"),
            ("tools", ToolRules, "a ToolRules, such as ToolRules(policy='careful')"),
        ):
            expect.typed(f"LoopRules.{name}", getattr(self, name), kind, must)
