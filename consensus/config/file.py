"""The shape of the policy file. docs/policy.md and docs/policy.schema.json are generated from it.

What depends on each other is checked in build.py and stages.py.
"""

from typing import Annotated, Literal

from pydantic import Field, JsonValue, WrapValidator

from consensus.config.bench import BackendSection, JudgeSection
from consensus.config.guards import GuardsSection
from consensus.config.model import StageSection
from consensus.config.rubric import RubricSection, word_or_mapping
from consensus.config.sandbox import SandboxSection
from consensus.config.section import Name, Section
from consensus.config.tools import ToolSection

_NO_OTHER_NAMES: dict[str, JsonValue] = {"additionalProperties": False}


class SpendSection(Section):
    """The most that the judges of a policy may cost, in US dollars."""

    per_request_usd: float | None = Field(
        None, gt=0, description="For one request. A seat that could go beyond it is not asked."
    )
    per_hour_usd: float | None = Field(
        None,
        gt=0,
        description="Over any 60 minutes, in this process. Beyond it, requests are refused with"
        " RESOURCE_EXHAUSTED.",
    )


class PolicySection(Section):
    """Ordered stages, cheap to strong, and limits."""

    description: str = Field("", max_length=2000, description="What the policy is for.")
    enabled: bool = Field(True, description="`false`: requests for it are refused.")
    rubric: Annotated[
        Literal["required", "optional"] | RubricSection, WrapValidator(word_or_mapping)
    ] = Field(
        "optional",
        description="`required`: requests without a criterion are refused. A mapping: the rubric of"
        " requests that leave theirs unset.",
    )
    deadline_seconds: float = Field(
        30.0,
        gt=0,
        le=120,
        description="Most time for a decision, beside the caller's own deadline.",
    )
    spend: SpendSection = Field(
        SpendSection(), description="The most that the judges may cost. Absent: no limit."
    )
    guards: GuardsSection | None = Field(
        None, description="What watches over a run of turns. Absent: nothing does."
    )
    stages: list[StageSection] = Field(
        min_length=1, max_length=16, description="In order; the last cannot advance."
    )


class PolicyFile(Section):
    """A policy file of the consensus service."""

    version: Literal[1] = Field(1, description="Version of this format.")
    default_policy: str | None = Field(
        None,
        description="Policy for requests that name none. Absent: the one named `default`, or"
        " the only one.",
    )
    backends: dict[Name, BackendSection] = Field(
        {}, description="Model servers by name.", json_schema_extra=_NO_OTHER_NAMES
    )
    judges: dict[Name, JudgeSection] = Field(
        {}, description="Judges by name.", json_schema_extra=_NO_OTHER_NAMES
    )
    policies: dict[Name, PolicySection] = Field(
        min_length=1, description="Policies by name.", json_schema_extra=_NO_OTHER_NAMES
    )
    sandbox: SandboxSection = Field(
        SandboxSection(), description="What checks that touch the world may do."
    )
    tools: list[ToolSection] = Field(
        [],
        max_length=256,
        description="Rules for tool calls, in order. See [tool calls](tool-calls.md).",
    )
