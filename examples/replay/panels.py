"""The policy file of a replay: the same five remote judges, folded by each strategy in turn."""

from collections.abc import Mapping

import yaml

STRATEGIES = (
    "weighted_average",
    "median",
    "trimmed_mean",
    "best_of_n",
    "majority",
    "unanimous",
)
THRESHOLD = 0.5
"""From 5.5 of 10 a seat votes for a response. Only majority asks."""
TAKEN = 3
"""How many of the five seats best_of_n takes."""


def policy_file(targets: Mapping[str, str]) -> str:
    """Return a policy file with one policy for each strategy, over judges at `targets`.

    Gates are off (`min_score: 0`): what counts here is the folded score, not the verdict.
    """
    judges = {name: {"kind": "remote", "target": target} for name, target in targets.items()}
    policies = {strategy: _policy(strategy, list(targets)) for strategy in STRATEGIES}
    content = {
        "version": 1,
        "default_policy": STRATEGIES[0],
        "judges": judges,
        "policies": policies,
    }
    return yaml.safe_dump(content, sort_keys=False)


def _policy(strategy: str, judges: list[str]) -> dict[str, object]:
    panel: dict[str, object] = {
        "strategy": strategy,
        "threshold": THRESHOLD,
        "quorum": 1,
        "seats": [{"judge": judge} for judge in judges],
    }
    if strategy == "best_of_n":
        panel["n"] = TAKEN
    stage = {
        "name": "panel",
        "panel": panel,
        "gate": {"min_score": 0},
        "on_no_quorum": "escalate",
    }
    return {"stages": [stage]}
