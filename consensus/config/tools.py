"""The shape of `tools` in the policy file, and the rules that it builds."""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Literal

from pydantic import Field

from consensus.config.faults import Faults
from consensus.config.positions import Path
from consensus.config.section import Name, Section
from consensus.domain.policy import Policy
from consensus.domain.ports import CheckFaults
from consensus.domain.submission import Check, JsonSchema, Regex
from consensus.domain.tools import Show, ToolRule

_Expression = Annotated[str, Field(min_length=1, max_length=1_000)]


class ToolArgumentsSection(Section):
    """What the arguments of a tool call must be, and how judges see them."""

    json_schema: dict[str, object] | None = Field(
        None, description="The arguments are accepted by this JSON Schema (draft 2020-12)."
    )
    deny: list[_Expression] = Field(
        [],
        max_length=64,
        description="RE2 expressions, unanchored: a call with a match in any key or value of its"
        " arguments is denied. A list of plain values is also looked at as one line.",
    )
    show: Literal["excerpts", "brief", "whole"] = Field(
        "excerpts",
        description="How judges see long arguments. `excerpts`: paths whole, texts above 800"
        " characters and commands above 4,096 bytes by head and tail. `brief`: texts cut at 96"
        " characters, lists and objects above 256 in outline. `whole`: as they are. Checks always"
        " look at all of them.",
    )


class ToolSection(Section):
    """What holds for tool calls. The first rule that matches holds; no rule: denied."""

    match: str = Field(
        min_length=1,
        max_length=128,
        description="Tool names, as a glob with `*`, `?` and `[...]`, case included.",
    )
    policy: Name | None = Field(
        None, description="The policy that judges the calls. Required unless `skip_judge`."
    )
    skip_judge: bool = Field(
        False, description="`true`: what passes the checks is allowed, no judge is asked."
    )
    arguments: ToolArgumentsSection = Field(
        ToolArgumentsSection(), description="What the arguments must be."
    )


def build_tools(
    sections: Sequence[ToolSection],
    policies: Mapping[str, Policy],
    check_faults: CheckFaults,
    faults: Faults,
) -> tuple[ToolRule, ...]:
    """Return the rules and add what is wrong with them."""
    seen: list[str] = []
    for index, section in enumerate(sections):
        path: Path = ("tools", index)
        shadow = next((match for match in seen if match in ("*", section.match)), None)
        if shadow is not None:
            faults.add((*path, "match"), f"is never reached: {shadow!r} stands before it")
        seen.append(section.match)
        if section.policy is None and not section.skip_judge:
            known = ", ".join(policies)
            faults.add(path, f"has neither `policy` nor `skip_judge`; policies are {known}")
        elif section.policy is not None and section.policy not in policies:
            words = f"is {section.policy!r}; must be one of {', '.join(policies)}"
            faults.add((*path, "policy"), words)
        _look_over(section.arguments, (*path, "arguments"), check_faults, faults)
    return tuple(map(_rule, sections))


def tools_revision(sections: Sequence[ToolSection], policies: Mapping[str, Policy]) -> str:
    """Return the digest of the rules and the policies they name; empty where there are none."""
    if not sections:
        return ""
    content = {
        "tools": [section.model_dump(mode="json") for section in sections],
        "policies": dict(_revisions(sections, policies)),
    }
    canonical = json.dumps(content, sort_keys=True, separators=(",", ":"))
    return "sha256:" + hashlib.sha256(canonical.encode()).hexdigest()[:16]


def _revisions(
    sections: Iterable[ToolSection], policies: Mapping[str, Policy]
) -> Iterable[tuple[str, str]]:
    named = (policies.get(section.policy or "") for section in sections)
    return ((policy.name, policy.revision) for policy in named if policy is not None)


def _look_over(
    section: ToolArgumentsSection, path: Path, check_faults: CheckFaults, faults: Faults
) -> None:
    if section.json_schema is not None:
        faults.add_fields(path, check_faults(Check(JsonSchema(section.json_schema))))
    for number, pattern in enumerate(section.deny):
        for _, words in check_faults(Check(Regex(pattern))):
            faults.add((*path, "deny", number), words)


def _rule(section: ToolSection) -> ToolRule:
    return ToolRule(
        match=section.match,
        policy=section.policy or "",
        skip_judge=section.skip_judge,
        json_schema=section.arguments.json_schema,
        deny=tuple(section.arguments.deny),
        show=Show(section.arguments.show),
    )
