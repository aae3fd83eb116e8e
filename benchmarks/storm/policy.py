"""The policies of a storm: everything that could hold on to a call has a part in them."""

import json
from collections.abc import Sequence

HABITS: dict[str, dict[str, object]] = {
    "plain": {},
    "narrow": {"limit": {"concurrency": 16}},
    "retried": {"retry": {}},
    "hedged": {"hedge": {"max_share": 0.5, "quantile": 0.8}, "breaker": {}},
}
POLICIES = {"patient": "wait_all", "hasty": "early"}
"""Two policies, by how they settle."""


def policy_file(targets: Sequence[str]) -> str:
    """Return a policy file whose judges are spread over the backends at `targets`."""
    judges = {
        name: {"kind": "remote", "target": targets[number % len(targets)], "judge": name, **habit}
        for number, (name, habit) in enumerate(HABITS.items())
    }
    seats = [{"judge": name} for name in HABITS]
    policies = {
        name: {
            "stages": [
                {
                    "name": "panel",
                    "panel": {"quorum": 2, "seats": seats, "settle": settle},
                    "on_no_quorum": "escalate",
                }
            ]
        }
        for name, settle in POLICIES.items()
    }
    content = {"default_policy": "patient", "judges": judges, "policies": policies}
    return json.dumps(content)  # JSON is YAML
