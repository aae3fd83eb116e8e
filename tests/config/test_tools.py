"""Tool rules: what the file says is what holds, and their revision changes with it."""

from collections.abc import Callable
from typing import Any

import pytest
import yaml

from consensus.domain.policy import PolicySet
from consensus.domain.tools import Show, ToolRule
from tests.config.policies import parsed, policy, rules


def file() -> dict[str, Any]:
    arguments = {"json_schema": {"type": "object"}, "deny": ["a", "b"], "show": "brief"}
    return {
        "policies": {"default": policy(), "idle": policy()},
        "default_policy": "default",
        "tools": [
            {"match": "fs.read", "skip_judge": True},
            {"match": "fs.*", "policy": "default", "arguments": arguments},
        ],
    }


def loaded(content: dict[str, Any]) -> PolicySet:
    return parsed(yaml.safe_dump(content, sort_keys=False))


def test_rules_are_built_in_order_and_the_first_that_matches_holds() -> None:
    policies = loaded(file())
    assert policies.tools == (
        ToolRule(match="fs.read", skip_judge=True),
        ToolRule(
            match="fs.*",
            policy="default",
            json_schema={"type": "object"},
            deny=("a", "b"),
            show=Show.BRIEF,
        ),
    )
    found = [policies.tool_rule(tool) for tool in ("fs.read", "fs.write", "FS.read", "fs")]
    assert found == [policies.tools[0], policies.tools[1], None, None]


def test_a_file_without_rules_has_no_revision_of_them() -> None:
    assert (parsed(rules()).tools, parsed(rules()).tools_revision) == ((), "")


CHANGES: dict[str, tuple[Callable[[dict[str, Any]], object], bool]] = {
    "the order": (lambda c: c["tools"].reverse(), True),
    "an expression": (lambda c: c["tools"][1]["arguments"]["deny"].append("c"), True),
    "skip_judge": (lambda c: c["tools"][0].update(skip_judge=True, policy="idle"), True),
    "a policy that judges": (lambda c: c["policies"]["default"].update(description="x"), True),
    "another policy": (lambda c: c["policies"]["idle"].update(description="x"), False),
    "a default that is written": (lambda c: c["tools"][0].update(arguments={"deny": []}), False),
}


@pytest.mark.parametrize("what", CHANGES)
def test_the_revision_of_the_rules_changes_with_what_they_say(what: str) -> None:
    change, changes = CHANGES[what]
    content = file()
    before = loaded(content).tools_revision
    change(content)
    assert (loaded(content).tools_revision != before) is changes
