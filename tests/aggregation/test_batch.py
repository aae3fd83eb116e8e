"""The batch refuses what cannot be folded, and looks only at what was scored."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from consensus.aggregation.batch import Batch
from tests.aggregation.panels import law

beyond = st.floats().filter(lambda value: not 0 <= value <= 1)


@given(value=beyond)
@law
def test_a_score_outside_zero_to_one_is_refused(value: float) -> None:
    with pytest.raises(ValueError, match=r"finite and in \[0, 1\]"):
        Batch.of([[0.5, value]], [[1.0, 1.0]], [1.0, 1.0])


@given(value=beyond)
@law
def test_a_confidence_outside_zero_to_one_is_refused(value: float) -> None:
    with pytest.raises(ValueError, match=r"finite and in \[0, 1\]"):
        Batch.of([[0.5, 0.5]], [[value, 1.0]], [1.0, 1.0])


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, -0.1, 1.1])
def test_even_a_seat_of_weight_zero_may_not_score_nonsense(value: float) -> None:
    with pytest.raises(ValueError, match="must be finite and in"):
        Batch.of([[0.5, value]], [[1.0, 1.0]], [1.0, 0.0])


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, 7.0])
def test_what_an_unscored_cell_holds_is_not_looked_at(value: float) -> None:
    batch = Batch.of([[0.5, value]], [[1.0, value]], [1.0, 3.0], [[True, False]])
    assert batch.scores.tolist() == [[0.5, 0.0]]
    assert batch.confidences.tolist() == [[1.0, 0.0]]
    assert batch.cell_weights.tolist() == [[1 / 3, 0.0]]


@pytest.mark.parametrize(
    "weights",
    [
        [0.0, 0.0],
        [-1.0, 1.0],
        [-1.0, -1.0],
        [math.nan, 1.0],
        [1.0, math.nan],
        [math.inf, 1.0],
        [-math.inf, 1.0],
    ],
)
def test_weights_must_be_finite_at_least_zero_and_not_all_zero(weights: list[float]) -> None:
    with pytest.raises(ValueError, match="weights must be finite, >= 0 and not all 0") as refused:
        Batch.of([[0.5, 0.5]], [[1.0, 1.0]], weights)
    assert str(weights) in str(refused.value)


@pytest.mark.parametrize(
    ("scores", "confidences", "weights", "scored"),
    [
        ([[0.5, 0.5]], [[1.0]], [1.0, 1.0], None),
        ([[0.5, 0.5]], [[1.0, 1.0]], [1.0], None),
        ([[0.5, 0.5]], [[1.0, 1.0]], [[1.0, 1.0]], None),
        ([[0.5, 0.5]], [[1.0, 1.0]], [1.0, 1.0], [[True]]),
        ([[0.5, 0.5]], [[1.0, 1.0], [1.0, 1.0]], [1.0, 1.0], None),
        ([0.5, 0.5], [1.0, 1.0], [1.0, 1.0], None),
        ([[[0.5]]], [[[1.0]]], [1.0], None),
    ],
)
def test_shapes_that_do_not_fit_are_refused(
    scores: list[list[float]],
    confidences: list[list[float]],
    weights: list[float],
    scored: list[list[bool]] | None,
) -> None:
    with pytest.raises(ValueError, match="shapes do not fit"):
        Batch.of(scores, confidences, weights, scored)


def test_rows_of_different_lengths_are_refused() -> None:
    with pytest.raises(ValueError, match="inhomogeneous"):
        Batch.of([[0.5], [0.5, 0.5]], [[1.0], [1.0, 1.0]], [1.0])


def test_a_panel_without_seats_is_refused() -> None:
    with pytest.raises(ValueError, match="not all 0"):
        Batch.of([[]], [[]], [])


def test_a_batch_may_have_no_rows() -> None:
    batch = Batch.of(np.zeros((0, 2)), np.zeros((0, 2)), [1.0, 1.0])
    assert batch.mean(batch.scores).tolist() == []


def test_weights_are_scaled_so_that_the_heaviest_seat_weighs_one() -> None:
    batch = Batch.of([[0.5, 0.5]], [[1.0, 1.0]], [2.0, 8.0])
    assert batch.weights.tolist() == [0.25, 1.0]
    huge = Batch.of([[0.2, 0.6]], [[1.0, 1.0]], [1e308, 1e308])
    assert huge.mean(huge.scores).tolist() == [pytest.approx(0.4)]


def test_completing_fills_only_the_outstanding_cells() -> None:
    batch = Batch.of([[0.5, 0.0, 0.0]], [[0.4, 0.0, 0.0]], [1.0, 2.0, 4.0], [[True, False, False]])
    full = batch.completed(np.array([[False, True, False]]), 1.0)
    assert full.scores.tolist() == [[0.5, 1.0, 0.0]]
    assert full.confidences.tolist() == [[0.4, 1.0, 0.0]]
    assert full.cell_weights.tolist() == [[0.25, 0.5, 0.0]]


def test_the_mean_of_nothing_is_zero() -> None:
    empty = Batch.of([[0.7, 0.9]], [[1.0, 1.0]], [1.0, 1.0], [[False, False]])
    assert empty.mean(np.array([[0.7, 0.9]])).tolist() == [0.0]
