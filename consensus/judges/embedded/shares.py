"""Weighted means, whatever the weights."""

import math
from collections.abc import Sequence


def mean(values: Sequence[float], weights: Sequence[float]) -> float:
    """Return the weighted mean of values from 0 to 1, itself from 0 to 1; weights are positive."""
    total = sum(weights)
    if not math.isfinite(total):  # each weight is finite, their sum is beyond any double
        largest = max(weights)
        weights = [weight / largest for weight in weights]
        total = sum(weights)
    products = [value * weight for value, weight in zip(values, weights, strict=True)]
    return min(sum(products) / total, 1.0)
