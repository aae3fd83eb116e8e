"""Policies beside AEGIS's shipped one: its worked panels, and its panel seated in other ways."""

from copy import deepcopy
from typing import Any

from tests.systems.aegis_running import stage_of

Rows = list[tuple[float, float, float]]
"""(score, confidence, weight) of each judge."""
VECTORS: dict[str, Rows] = {
    "1": [(0.9, 0.9, 1), (0.8, 0.8, 2), (0.4, 0.95, 1)],
    "2": [(0.9, 0.9, 1), (0.5, 0.9, 1)],
    "3": [(0.95, 0.9, 1), (0.9, 0.85, 1), (0.1, 1, 1)],
    "4": [(0, 1, 1), (1, 1, 1)],
    "5": [(0, 1, 1), (1, 1, 1), (1, 1, 1)],
    "6": [(0.9, 0, 1)],
    "7": [(0.7, 0.8, 1), (0.7, 0.6, 1)],
    "8": [(0, 1, 100), (1, 1, 1)],
    "9": [(0.6, 0.9, 1), (0.65, 0.8, 3)],
    "10": [(0.8, 0.5, 1)] * 3,
    "11": [(0.5, 0.8, 1), (0.8, 0.5, 1), (0.4, 1, 1)],
    "12": [(0.9, 0.9, 0), (0.3, 0.9, 1)],
    "13": [(0.7, 0.9, 1), (0.699999, 0.9, 1), (0.8, 0.9, 1)],
    "14": [(0.9, 0.8, 1), (0.85, 0.9, 2), (0.2, 0.6, 1), (0.75, 0.7, 1), (0.8, 0.95, 1)],
    "ones": [(1, 1, 1)] * 5,
}
APART = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1.0)
FLOORS = {2: 0.0, 3: 0.111111, 4: 0.0, 5: 0.04, 7: 0.020408, 9: 0.012346}
LOST = "1-lost"
"""Vector 1, its third judge lost."""
FACTORS = {"factors-.5": (0.5, 0.5), "factors-1": (1.0, 0.0)}
"""Vector 1 with other factors of agreement and self-confidence."""
PANELS = (
    VECTORS
    | {f"apart-{apart}": [(0, 1, 1), (apart, 1, 1)] for apart in APART}
    | {f"split-{judges}": [(float(n % 2), 1, 1) for n in range(judges)] for judges in FLOORS}
    | dict.fromkeys((LOST, *FACTORS), VECTORS["1"])
)


def add_panels(content: dict[str, Any]) -> None:
    """Add a policy of one panel for each, judged by judges of its own."""
    for name, rows in PANELS.items():
        stage = deepcopy(stage_of(content, "multi_judge"))
        stage["panel"]["seats"] = [
            {"judge": f"v{name}-{number}", "weight": weight}
            for number, (_, _, weight) in enumerate(rows)
        ]
        if name in FACTORS:
            keys = ("agreement_factor", "self_confidence_factor")
            stage["panel"]["confidence"] = dict(zip(keys, FACTORS[name], strict=True))
        content["policies"][name] = {"stages": [stage]}
        for seat in stage["panel"]["seats"]:
            content["judges"][seat["judge"]] = {"kind": "remote", "target": ""}


def add_policies(content: dict[str, Any]) -> None:
    """Add panels beside the shipped policy: one alone, in haste, of all three, and nested."""
    panel = stage_of(content, "multi_judge")
    hasty = [seat | {"timeout_seconds": 0.2} for seat in panel["panel"]["seats"]]
    inner = [{"judge": "panel"}]
    content["policies"] |= {
        "panel": {"stages": [panel]},
        "hasty": {"stages": [panel | {"panel": panel["panel"] | {"seats": hasty}}]},
        "every": {"stages": [panel | {"panel": panel["panel"] | {"quorum": 3}}]},
        "nested": {"stages": [panel | {"panel": {"seats": inner}}]},
    }
    content["judges"]["panel"] = {"kind": "policy", "policy": "panel"}
