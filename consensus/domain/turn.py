"""The facts of one turn of a worker's run, and of the turns before it."""

from msgspec import Struct

from consensus.domain.words import Word

MAX_ITERATIONS = 50
"""Turns of a run unless the caller says otherwise (Hive: max_iterations)."""


class GoalStatus(Word):
    """How far a run has come, derived from findings and never from what the worker says."""

    COMPLETE = "complete"
    """Every required criterion is MET with verified evidence."""
    PARTIAL = "partial"
    """Some criterion is MET with verified evidence, some required one is not."""
    NOT_YET = "not_yet"
    """No criterion is MET with verified evidence, or what says so is not sure enough."""
    REFUSAL = "refusal"
    """The worker declined the task."""
    UNKNOWN = "unknown"
    """Nobody could tell."""


class ToolCall(Struct, frozen=True, kw_only=True):
    """One call of a tool by the worker."""

    name: str
    arguments: str = ""
    """JSON text as the worker wrote it; may be broken."""
    failed: bool = False
    """Whether the tool answered with an error."""


class OutputKey(Struct, frozen=True):
    """An output that the worker should set; null counts as not set."""

    name: str
    nullable: bool = False
    """Whether it may stay unset."""


class EarlierTurn(Struct, frozen=True, kw_only=True):
    """What the guards need to know of a turn before this one."""

    text: str = ""
    """What the worker said."""
    tool_calls: tuple[ToolCall, ...] = ()
    criteria_met: int | None = None
    """Criteria that were MET by then; None where the turn was not judged."""
    goal_status: GoalStatus | None = None
    """What the turn's decision said of the goal; None where it said nothing."""
    goal_confidence: float = 0.0
    """How sure it was of that, 0 to 1."""


class Turn(Struct, frozen=True, kw_only=True):
    """The facts of one turn. What the worker said in it is the submission's candidate."""

    iteration: int = 0
    """Turns before this one."""
    max_iterations: int = MAX_ITERATIONS
    """Turns after which the run ends, whatever anybody says; at least 1."""
    judge_every_n_turns: int = 1
    tool_calls: tuple[ToolCall, ...] = ()
    """In the order in which they were made."""
    output_keys: tuple[OutputKey, ...] = ()
    client_facing: bool = False
    """Whether the worker talks with a person who can be asked."""
    success_criteria: str = ""
    """What good outputs are, in words; empty: being there is enough."""
    node_description: str = ""
    """What this step of the worker is for."""
    earlier: tuple[EarlierTurn, ...] = ()
    """Turns before this one, oldest first, the latest last; older ones may be left out."""
