"""Rules for tool calls as data: which tools, which arguments, whose judgment."""

from collections.abc import Mapping
from enum import Enum
from fnmatch import fnmatchcase

from msgspec import Struct


class Show(Enum):
    """How much of long arguments judges see."""

    EXCERPTS = "excerpts"
    """Paths whole; texts above 800 characters and commands above 4,096 bytes by head and tail."""
    BRIEF = "brief"
    """Texts cut at 96 characters; lists and objects above 256 in outline."""
    WHOLE = "whole"


class ToolRule(Struct, frozen=True, kw_only=True):
    """What holds for the tools that a glob matches."""

    match: str
    """Glob of tool names, case included: `*`, `?`, `[...]`."""
    policy: str = ""
    """The policy that judges; may be empty where `skip_judge`."""
    skip_judge: bool = False
    """Allow what passes the checks; no judge is asked."""
    json_schema: Mapping[str, object] | None = None
    """Of the arguments (draft 2020-12)."""
    deny: tuple[str, ...] = ()
    """RE2 expressions that no key and no value of the arguments may match."""
    show: Show = Show.EXCERPTS

    def matches(self, tool: str) -> bool:
        """Tell whether the rule is about this tool."""
        return fnmatchcase(tool, self.match)
