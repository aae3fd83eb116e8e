"""Builds policy files as text, in few words."""

from pathlib import Path
from typing import Any

import yaml

from consensus.config import parse_policies
from consensus.domain.errors import PolicyFileError
from consensus.domain.policy import Policy, PolicySet
from consensus.validators import check_faults

FILE = Path("policy.yaml")


def policy(seats: int = 1, **panel: Any) -> dict[str, Any]:
    """Return a policy of one stage with a panel of embedded and remote judges."""
    names = ["coverage", "conduct", "checks", *(f"remote-{number}" for number in range(seats))]
    stage = {
        "name": "one",
        "panel": {"seats": [{"judge": name} for name in names[:seats]], **panel},
        "on_no_quorum": "escalate",
    }
    return {"stages": [stage]}


def rules(policies: dict[str, Any] | None = None, **top: Any) -> str:
    """Return the text of a policy file."""
    return yaml.safe_dump({"policies": policies or {"default": policy()}, **top}, sort_keys=False)


def parsed(text: str) -> PolicySet:
    """Return the policies of a text; it must have no fault."""
    return parse_policies(text, FILE, check_faults)


def default(text: str) -> Policy:
    """Return the default policy of a text."""
    policies = parsed(text)
    return policies.policies[policies.default]


def faults(text: str) -> list[str]:
    """Return the lines that tell what is wrong with a text; empty where nothing is."""
    try:
        parsed(text)
    except PolicyFileError as error:
        return error.lines()
    return []
