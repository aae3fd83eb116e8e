"""Shares of weight, whatever the weights."""

import math
from collections.abc import Sequence


def share(part: Sequence[float], whole: Sequence[float]) -> float:
    """Return the sum of `part` over the sum of `whole`, which holds it: 0 to 1."""
    total = sum(whole)
    if math.isfinite(total):
        return min(sum(part) / total, 1.0)
    largest = max(whole)  # so large that they sum to infinity
    scaled = sum(weight / largest for weight in whole)
    return min(sum(weight / largest for weight in part) / scaled, 1.0)
