"""Weighted means stay in range whatever the weights."""

import math

from hypothesis import given
from hypothesis import strategies as st

from consensus.judges.embedded.shares import mean
from tests.judges.embedded.judging import WEIGHTS

PAIRS = st.lists(st.tuples(st.floats(0, 1), WEIGHTS), min_size=1, max_size=9)


@given(PAIRS)
def test_a_mean_lies_between_its_values(pairs: list[tuple[float, float]]) -> None:
    values, weights = zip(*pairs, strict=True)
    found = mean(values, weights)
    assert 0 <= found <= 1
    if min(weights) > 1e-300:
        assert min(values) - 1e-9 <= found <= max(values) + 1e-9


def test_weights_that_sum_beyond_doubles_are_scaled() -> None:
    assert math.isclose(mean([1, 0, 1], [1.7e308] * 3), 2 / 3)


def test_ones_have_a_mean_of_exactly_one() -> None:
    assert mean([1.0] * 3, [0.1, 0.2, 0.3]) == 1.0
