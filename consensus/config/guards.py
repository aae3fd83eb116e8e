"""The shape of `guards` in the policy file, and what it builds."""

from collections.abc import Iterator, Sequence
from typing import Annotated, Literal

from pydantic import Field

from consensus.config.model import StageSection
from consensus.config.positions import Path
from consensus.config.section import Section, Unit
from consensus.domain.guards import (
    Cadence,
    GoalGuards,
    GuardAction,
    Guards,
    ScenarioGuards,
    TurnGuards,
    TurnJudge,
    WithoutKeys,
)

_TURN, _GOAL, _SCENARIO = TurnGuards(), GoalGuards(), ScenarioGuards()
_Action = Literal["off", "warn", "escalate"]
_Phrase = Annotated[str, Field(min_length=1, max_length=200)]
_Tool = Annotated[str, Field(min_length=1, max_length=200)]
StageName = Annotated[str, Field(max_length=64)]
_TurnNumber = Annotated[int, Field(ge=1, le=10_000)]


class TurnGuardsSection(Section):
    """Guards over the turns of a worker that sets outputs. See [turns](turns.md)."""

    judge: Literal["implicit", "stages"] = Field(
        "implicit",
        description="`implicit`: outputs decide, the stages run only where the turn has success"
        " criteria. `stages`: the stages judge every turn that is due.",
    )
    cadence: Literal["tool_turns", "all_turns"] = Field(
        "tool_turns",
        description="Which turns `judge_every_n_turns` may leave unjudged: those with tool calls,"
        " or any.",
    )
    control_tools: list[_Tool] = Field(
        list(_TURN.control_tools),
        max_length=32,
        description="Tools that steer the run and count as no work.",
    )
    on_stall: _Action = Field(
        "escalate", description="When the texts of `stall_turns` turns are the same."
    )
    stall_turns: int = Field(_TURN.stall_turns, ge=2, le=32, description="Turns of a stall.")
    stall_counts_empty: bool = Field(
        False, description="Whether turns without a word or a tool call stall, too."
    )
    on_tool_loop: _Action = Field(
        "warn",
        description="When the tool calls of `tool_loop_turns` turns are the same. `warn`: a"
        " worker that talks with a person is to ask that person.",
    )
    tool_loop_turns: int = Field(_TURN.tool_loop_turns, ge=2, le=32, description="Turns of a loop.")
    tool_loop_counts_failed: bool = Field(False, description="Whether calls that failed count.")
    without_keys: Literal["never_accept", "never_accept_client_facing", "judge"] = Field(
        "never_accept",
        description="A worker without output keys: goes on until the run ends, does so where it"
        " talks with a person, or is judged like any other. Only with `judge: implicit`.",
    )
    client_facing_feedback: bool = Field(
        True, description="Whether a worker that talks with a person is told what is missing."
    )
    urgency: bool = Field(
        False, description="Whether it is told how few turns are left, from half of them on."
    )

    def built(self) -> TurnGuards:
        """Return the rules."""
        return TurnGuards(
            judge=TurnJudge(self.judge),
            cadence=Cadence(self.cadence),
            control_tools=tuple(self.control_tools),
            on_stall=GuardAction(self.on_stall),
            stall_turns=self.stall_turns,
            stall_counts_empty=self.stall_counts_empty,
            on_tool_loop=GuardAction(self.on_tool_loop),
            tool_loop_turns=self.tool_loop_turns,
            tool_loop_counts_failed=self.tool_loop_counts_failed,
            without_keys=WithoutKeys(self.without_keys),
            client_facing_feedback=self.client_facing_feedback,
            urgency=self.urgency,
        )


class GoalGuardsSection(Section):
    """Guards over a conversation with a goal. See [turns](turns.md)."""

    t1: Unit = Field(
        _GOAL.t1, description="Confidence from which a fast `complete` asks for the strong judge."
    )
    t2: Unit = Field(
        _GOAL.t2, description="Confidence from which a strong `complete` ends the run."
    )
    pair_confidence: Unit = Field(
        _GOAL.pair_confidence,
        description="Confidence of two fast `complete`s running that end the run by themselves.",
    )
    pair_turns: int = Field(
        _GOAL.pair_turns,
        ge=0,
        le=32,
        description="Turns that both must lie in. Below 2: a strong judge must always confirm.",
    )
    checkpoints: list[_TurnNumber] = Field(
        list(_GOAL.checkpoints),
        max_length=32,
        description="Turns, counted from 1, at which the strong judge is asked anyway.",
    )
    abstain_above: Unit = Field(
        _GOAL.abstain_above,
        description="Above it, and below `t1`, `complete` is NOT_YET; up to it, UNKNOWN.",
    )
    validator_stage: StageName = Field(
        "",
        description="Stage in whose panel the judge `checks` alone counts. Where checks decide"
        " every required criterion it ends the run as COMPLETE; where they fail one, no later judge"
        " is asked. Empty: none.",
    )
    fast_stage: StageName = Field(
        "", description="Stage of the fast judge. Empty: the first panel but `validator_stage`."
    )
    strong_stage: StageName = Field(
        "", description="Stage of the strong judge, behind the fast one. Empty: the last stage."
    )
    hard_pass_confidence: Unit = Field(
        _GOAL.hard_pass_confidence, description="Confidence of a validator's pass."
    )
    hard_fail_confidence: Unit = Field(
        _GOAL.hard_fail_confidence, description="Confidence of a validator's failure."
    )
    on_plateau: _Action = Field(
        "warn",
        description="When the latest texts overlap, or as many checks met no further criterion.",
    )
    plateau_turns: int = Field(_GOAL.plateau_turns, ge=2, le=32, description="Turns of a plateau.")
    plateau_overlap: Unit = Field(
        _GOAL.plateau_overlap,
        description="Share of n-grams in common, each text with the one before; more is a plateau.",
    )
    plateau_ngram: int = Field(_GOAL.plateau_ngram, ge=1, le=8, description="Words of an n-gram.")
    on_no_progress: _Action = Field(
        "escalate", description="When `progress_checks` checks met no further criterion."
    )
    progress_checks: int = Field(
        _GOAL.progress_checks, ge=2, le=32, description="Checks without progress."
    )
    progress_after_turns: int = Field(
        _GOAL.progress_after_turns, ge=0, le=10_000, description="Turns that are let pass first."
    )
    refusal_phrases: list[_Phrase] = Field(
        list(_GOAL.refusal_phrases),
        max_length=64,
        description="Phrases that decline the task, in lower case, without contractions. Such an"
        " answer escalates.",
    )
    claim_phrases: list[_Phrase] = Field(
        list(_GOAL.claim_phrases),
        max_length=64,
        description="Phrases that claim to be done, in lower case, without contractions.",
    )

    def built(self) -> GoalGuards:
        """Return the rules."""
        own = self.model_dump(exclude={"on_plateau", "on_no_progress"})
        lists = {key: tuple(entry) for key, entry in own.items() if isinstance(entry, list)}
        return GoalGuards(
            **{**own, **lists},
            on_plateau=GuardAction(self.on_plateau),
            on_no_progress=GuardAction(self.on_no_progress),
        )


class ScenarioGuardsSection(Section):
    """Guards over a simulated conversation that tests an agent: the findings settle the verdict,
    whatever the stages say. See [scenarios](systems/scenario.md).
    """

    max_turns: _TurnNumber = Field(
        _SCENARIO.max_turns,
        description="Most turns of a test; a verdict is required in the last one. The caller's own"
        " limit holds where it is lower.",
    )

    def built(self) -> ScenarioGuards:
        """Return the rules."""
        return ScenarioGuards(max_turns=self.max_turns)


class GuardsSection(Section):
    """What watches over a run of turns, before and after the stages. Absent: nothing does."""

    max_iterations: int | None = Field(
        None,
        ge=1,
        le=10_000,
        description="Most turns of a run. The caller's own limit holds where it is lower.",
    )
    turns: TurnGuardsSection | None = Field(
        None, description="Guards over the turns of a worker that sets outputs. Absent: none."
    )
    goal: GoalGuardsSection | None = Field(
        None, description="Guards over a conversation with a goal. Absent: none."
    )
    scenario: ScenarioGuardsSection | None = Field(
        None, description="Guards over a test of an agent. Absent: none. Not beside the others."
    )

    def built(self) -> Guards:
        """Return the rules."""
        return Guards(
            max_iterations=self.max_iterations,
            turns=self.turns.built() if self.turns is not None else None,
            goal=self.goal.built() if self.goal is not None else None,
            scenario=self.scenario.built() if self.scenario is not None else None,
        )


def guard_faults(
    guards: GuardsSection | None, stages: Sequence[StageSection]
) -> Iterator[tuple[Path, str]]:
    """Yield (path in the policy, what is wrong) for what the guards of a scenario cannot go with:
    each would give a test another verdict than its criteria do.
    """
    if guards is None or guards.scenario is None:
        return
    for key in ("turns", "goal"):
        if getattr(guards, key) is not None:
            yield ("guards", key), "is set, and so is scenario, which settles the verdict alone"
    for index, stage in enumerate(stages):
        at: Path = ("stages", index)
        if stage.panel is not None and stage.panel.settle == "early":
            words = "is 'early'; must be wait_all: guards.scenario needs every criterion"
            yield (*at, "panel", "settle"), words
        if stage.on_no_quorum == "accept":
            words = "is 'accept'; with guards.scenario judges that fail must not pass a test"
            yield (*at, "on_no_quorum"), words
