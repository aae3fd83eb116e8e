"""Quantiles of the latest calls are numpy's."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from consensus.judges.wrappers.quantile import LEAST, Quantiles

seconds = st.floats(0, 1e6)


@given(st.lists(seconds, min_size=LEAST, max_size=120), st.floats(0, 1), st.integers(LEAST, 60))
def test_a_quantile_is_that_of_the_latest_values(
    stream: list[float], share: float, size: int
) -> None:
    quantiles = Quantiles(size)
    for value in stream:
        quantiles.add(value)
    expected = np.quantile(np.array(stream[-size:]), share)
    assert quantiles.at(share) == pytest.approx(expected, rel=1e-9, abs=1e-9)


@given(st.integers(0, 2**32 - 1), st.sampled_from((0.5, 0.9, 0.95)))
def test_over_a_long_stream_it_is_close_to_that_of_the_whole(seed: int, share: float) -> None:
    stream = np.random.default_rng(seed).lognormal(0.4, 0.3, 1_000)
    quantiles = Quantiles()
    for value in stream:
        quantiles.add(float(value))
    assert quantiles.at(share) == pytest.approx(np.quantile(stream, share), rel=0.35)


def test_a_few_values_have_no_quantile() -> None:
    quantiles = Quantiles()
    for _ in range(LEAST - 1):
        quantiles.add(1.0)
    assert quantiles.at(0.5) is None
    quantiles.add(1.0)
    assert quantiles.at(0.5) == 1.0


def test_what_a_backend_was_like_before_is_forgotten() -> None:
    quantiles = Quantiles()
    for value in [0.1] * 1_000 + [5.0] * 256:
        quantiles.add(value)
    assert quantiles.at(0.0) == 5.0
