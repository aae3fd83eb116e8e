"""The shape of a policy's stages. What depends on each other (quorum and seats, n and strategy) is
checked in stages.py.
"""

from typing import Literal

from pydantic import Field

from consensus.config.sandbox import CodeRunSection, SqlSection, UrlAnswerSection
from consensus.config.section import Name, Section, SoughtText, Unit
from consensus.config.sees import SeesSection
from consensus.domain.policy import DEFAULT_THRESHOLD


class SeatSection(Section):
    """One judge's place in a panel."""

    judge: Name = Field(
        description="An embedded judge (`checks`, `coverage`, `conduct`) or one from `judges`."
        " Once in a panel."
    )
    weight: float = Field(
        1.0,
        ge=0,
        le=1e9,
        description="Weight in the fold. 0: asked and recorded, absent from the arithmetic.",
    )
    timeout_seconds: float = Field(
        10.0,
        gt=0,
        le=120,
        description="Most time for the answer, beside what is left of the budget.",
    )
    shadow: bool = Field(
        False,
        description="`true`: asked, recorded and counted, never folded. It is waited for as long as"
        " its time-out says; early settlement does not wait for it.",
    )


class ConfidenceSection(Section):
    """What the consensus confidence is made of. The factors sum to 1."""

    agreement_factor: Unit = Field(0.7, description="Part of the agreement between the seats.")
    self_confidence_factor: Unit = Field(0.3, description="Part of the seats' own confidence.")


class PanelSection(Section):
    """Seats, the strategy that folds them, and the quorum."""

    seats: list[SeatSection] = Field(
        min_length=1,
        max_length=32,
        description="The seats, in the order in which they are reported.",
    )
    strategy: Literal[
        "weighted_average", "majority", "unanimous", "best_of_n", "median", "trimmed_mean"
    ] = Field(
        "weighted_average", description="How the seats are folded: see [strategies](strategies.md)."
    )
    threshold: float | None = Field(
        None,
        gt=0,
        le=1,
        description="Score from which a seat counts as a pass, inclusive. Absent:"
        f" `gate.min_score`, or {DEFAULT_THRESHOLD} where that is 0.",
    )
    quorum: int = Field(1, ge=1, le=32, description="Seats of positive weight that must score.")
    n: int | None = Field(
        None,
        ge=1,
        le=32,
        description="How many seats best_of_n takes. Required there, refused elsewhere.",
    )
    trim: float = Field(
        0.2, ge=0, lt=0.5, description="Share of weight that trimmed_mean drops at each end."
    )
    tie: Literal["fail", "pass", "escalate"] = Field(
        "fail", description="What a tied majority counts as."
    )
    settle: Literal["wait_all", "early"] = Field(
        "wait_all",
        description="`early`: stop waiting when no outstanding answer can change the gate's"
        " answer.",
    )
    confidence: ConfidenceSection = Field(
        ConfidenceSection(), description="What the consensus confidence is made of."
    )
    sees: SeesSection | None = Field(
        None, description="How much models and remote judges are shown. Absent: everything."
    )


class GateSection(Section):
    """The conditions of a pass, all inclusive."""

    min_score: Unit = Field(DEFAULT_THRESHOLD, description="Lowest folded score. 0: no condition.")
    min_confidence: Unit = Field(0.0, description="Lowest consensus confidence.")
    min_agreement: Unit = Field(
        0.0, description="Lowest agreement. Above 0, fewer than two scored seats are UNSURE."
    )


class NumericSection(Section):
    """A number that must be the last one in the text."""

    value: float = Field(description="The expected number.")
    tolerance: float = Field(0.0, ge=0, description="Largest absolute difference, inclusive.")


class LengthSection(Section):
    """Limits of the length, inclusive; at least one."""

    min_words: int | None = Field(None, ge=0, description="Fewest words.")
    max_words: int | None = Field(None, ge=0, description="Most words.")
    min_chars: int | None = Field(None, ge=0, description="Fewest characters.")
    max_chars: int | None = Field(None, ge=0, description="Most characters.")


class ExitCodeSection(Section):
    """How the candidate's process must have ended."""

    expected: int = Field(0, ge=-(1 << 31), lt=1 << 31, description="The exit code that passes.")
    stderr_score: Unit = Field(
        1.0, description="The check's score where standard error is not empty (AEGIS: 0.85)."
    )
    min_score: float = Field(
        1.0, gt=0, le=1, description="Score from which the check passes, inclusive."
    )


class CheckSection(Section):
    """One deterministic check: exactly one key beside `output` and `target`."""

    output: str = Field(
        "", max_length=200, description="Key of the output to look at. Empty: as `target` says."
    )
    target: Literal["candidate", "stderr"] = Field(
        "candidate", description="The text to look at: `stderr` is that of the candidate's process."
    )
    contains: SoughtText | None = Field(None, description="The text holds this string.")
    contains_all: list[SoughtText] | None = Field(
        None, min_length=1, max_length=64, description="The text holds all of these."
    )
    not_contains: SoughtText | None = Field(None, description="The text does not hold this string.")
    regex: str | None = Field(
        None,
        min_length=1,
        max_length=1_000,
        description="The text holds a match of this RE2 expression.",
    )
    json_schema: dict[str, object] | None = Field(
        None, description="The text is JSON that this JSON Schema (draft 2020-12) accepts."
    )
    numeric: NumericSection | None = Field(None, description="The last number is this one.")
    length: LengthSection | None = Field(None, description="The length is within these limits.")
    code_block: str | None = Field(
        None,
        min_length=1,
        max_length=40,
        description="The text holds a fenced code block of this language; `*` for any.",
    )
    exit_code: ExitCodeSection | None = Field(
        None, description="The candidate's process ended like this. `{}`: with 0."
    )
    sql: SqlSection | None = Field(
        None, description="The last SQL in the text is one query that runs, in memory, read-only."
    )
    url: UrlAnswerSection | None = Field(
        None, description="Every URL in the text answers with 200. Only with `sandbox.url`."
    )
    code_run: CodeRunSection | None = Field(
        None,
        description="The last code block of the language runs and ends with exit code 0. Only"
        " with `sandbox.code`.",
    )


class StageSection(Section):
    """Checks or a panel, with a gate and what follows from its answer."""

    name: Name = Field(description="Unique in the policy.")
    checks: list[CheckSection] | None = Field(
        None,
        min_length=1,
        max_length=64,
        description="Deterministic checks of the candidate; PASS when all hold. Either"
        " `checks` or `panel`.",
    )
    panel: PanelSection | None = Field(None, description="Judges whose answers are folded.")
    gate: GateSection | None = Field(
        None, description="The conditions of a pass. Only with `panel`."
    )
    on_pass: Literal["advance", "accept"] | None = Field(
        None, description="Default `advance`; last stage `accept`."
    )
    on_fail: Literal["retry", "escalate", "advance"] = Field(
        "retry", description="When the score or a required criterion fails."
    )
    on_unsure: Literal["retry", "escalate", "advance"] = Field(
        "retry", description="When only confidence, agreement or a missing seat stands in the way."
    )
    on_no_quorum: Literal["retry", "accept", "escalate", "advance", "fail"] | None = Field(
        None,
        description="When fewer than `quorum` seats scored. Required with `panel`: there is"
        " no safe default. `fail`: the call fails with UNAVAILABLE if no judge answered at all,"
        " else escalate.",
    )
