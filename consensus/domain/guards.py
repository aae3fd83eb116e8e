"""Rules of the guards as data: which are on, and every number and phrase that they go by."""

from msgspec import Struct

from consensus.domain.words import Word


class TurnJudge(Word):
    """Who judges a turn."""

    IMPLICIT = "implicit"
    """The guards, by the outputs; the stages only where there are success criteria (Hive)."""
    STAGES = "stages"
    """The stages; the guards only watch over the run (Hive's custom judge)."""


class Cadence(Word):
    """Which turns `judge_every_n_turns` may leave unjudged."""

    TOOL_TURNS = "tool_turns"
    """Those in which the worker called tools (Hive)."""
    ALL_TURNS = "all_turns"
    """Any."""


class WithoutKeys(Word):
    """What is done with a worker that has no output keys."""

    NEVER_ACCEPT = "never_accept"
    """Its conversation goes on until the run ends."""
    NEVER_ACCEPT_CLIENT_FACING = "never_accept_client_facing"
    """The same, but only where it talks with a person."""
    JUDGE = "judge"
    """It is judged like any other."""


class GuardAction(Word):
    """What follows when a run does not move."""

    OFF = "off"
    WARN = "warn"
    """The worker is told, in the feedback."""
    ESCALATE = "escalate"
    """The run ends without acceptance."""


class TurnGuards(Struct, frozen=True, kw_only=True):
    """Guards over the turns of a worker that sets outputs (Hive, EngineX)."""

    judge: TurnJudge = TurnJudge.IMPLICIT
    cadence: Cadence = Cadence.TOOL_TURNS
    control_tools: tuple[str, ...] = ("set_output", "ask_user", "escalate_to_coder")
    """Tools that steer the run and are no work: they keep nothing pending and make no loop."""
    on_stall: GuardAction = GuardAction.ESCALATE
    stall_turns: int = 3
    """Turns with the same text that are a stall; at least 2."""
    stall_counts_empty: bool = False
    """Whether turns without a word or a tool call are a stall, too (EngineX)."""
    on_tool_loop: GuardAction = GuardAction.WARN
    tool_loop_turns: int = 3
    """Turns with the same tool calls that are a loop; at least 2."""
    tool_loop_counts_failed: bool = False
    """Whether calls that failed count (EngineX)."""
    without_keys: WithoutKeys = WithoutKeys.NEVER_ACCEPT
    client_facing_feedback: bool = True
    """Whether a worker that talks with a person is told what is missing (EngineX; not Hive)."""
    urgency: bool = False
    """Whether that feedback tells how few turns are left (EngineX's sub-agents)."""


class GoalGuards(Struct, frozen=True, kw_only=True):
    """Guards over a conversation with a goal (the research blueprint)."""

    t1: float = 0.75
    """Confidence from which a fast judge's `complete` asks for the strong one; in [0, 1]."""
    t2: float = 0.85
    """Confidence from which a strong judge's `complete` ends the run; in [0, 1]."""
    pair_confidence: float = 0.85
    """Confidence of two fast `complete`s running that end the run without the strong judge."""
    pair_turns: int = 3
    """Turns that both of them must lie in; below 2 a strong judge must confirm, always."""
    checkpoints: tuple[int, ...] = (10, 20, 25)
    """Turns, counted from 1, at which the strong judge is asked whatever the fast one says."""
    abstain_above: float = 0.4
    """From here to t1 `complete` is NOT_YET; at or below it is UNKNOWN."""
    validator_stage: str = ""
    """Stage whose findings settle the goal alone, where they can; empty: none."""
    fast_stage: str = ""
    """Stage of the fast judge; empty: the first panel behind the validators."""
    strong_stage: str = ""
    """Stage of the strong judge; empty: the last stage."""
    hard_pass_confidence: float = 0.98
    hard_fail_confidence: float = 0.95
    on_plateau: GuardAction = GuardAction.WARN
    plateau_turns: int = 5
    """Turns that are compared, each with the one before; at least 2."""
    plateau_overlap: float = 0.8
    """Share of the n-grams that two texts have in common; more is a plateau."""
    plateau_ngram: int = 3
    """Words in an n-gram; at least 1."""
    on_no_progress: GuardAction = GuardAction.ESCALATE
    progress_checks: int = 3
    """Judged turns running without a further criterion met that are no progress; at least 2."""
    progress_after_turns: int = 15
    """Turns that are let pass first."""
    refusal_phrases: tuple[str, ...] = (
        "i cannot assist with",
        "i cannot help with",
        "i cannot comply with",
    )
    """In lower case and without contractions: `can't` is read as `cannot`. Empty: none counts."""
    claim_phrases: tuple[str, ...] = (
        "final answer:",
        "summary:",
        "task is complete",
        "task is done",
        "i have completed",
        "i have finished",
        "successfully completed",
        "all done",
    )


class ScenarioGuards(Struct, frozen=True, kw_only=True):
    """Guards over a simulated conversation that tests an agent (LangWatch Scenario)."""

    max_turns: int = 10
    """Most turns of a test, at least 1; the caller's own limit holds where it is lower. In the
    last one a verdict is required."""


class Guards(Struct, frozen=True, kw_only=True):
    """The guards of a policy; None switches a group off."""

    max_iterations: int | None = None
    """Most turns of a run; the caller's own limit holds where it is lower."""
    turns: TurnGuards | None = None
    goal: GoalGuards | None = None
    scenario: ScenarioGuards | None = None
    """Beside no other group: it settles the verdict by itself."""

    @property
    def of_attempts(self) -> bool:
        """Whether what is judged is a whole attempt. A turn on the way to a goal is none, nor is a
        conversation: a low score there says "not yet" and not "start again".
        """
        return self.turns is None and self.goal is None and self.scenario is None
