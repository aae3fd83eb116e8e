"""The laws that every strategy obeys, whatever the panel."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from consensus.aggregation.batch import Batch
from consensus.aggregation.fold import fold
from consensus.domain.fold import Folded
from consensus.domain.policy import StrategyName
from consensus.domain.soundness import panel_faults
from tests.aggregation.panels import (
    CLOSE,
    Case,
    Cell,
    batch_of,
    cases,
    fold_row,
    law,
    panel_of,
    row_of,
    units,
)

every_strategy = pytest.mark.parametrize("strategy", StrategyName)
MONOTONE = [name for name in StrategyName if name is not StrategyName.BEST_OF_N]


def same(one: Folded, other: Folded) -> bool:
    """Tell whether two folds agree, less rounding."""
    return (
        one.final == pytest.approx(other.final, abs=CLOSE)
        and one.confidence == pytest.approx(other.confidence, abs=CLOSE)
        and one.agreement == pytest.approx(other.agreement, abs=CLOSE)
        and one.coverage == pytest.approx(other.coverage, abs=CLOSE)
        and one.tie == other.tie
    )


@given(case=cases())
@law
def test_the_panels_of_these_tests_are_sound(case: Case) -> None:
    assert [fault for name in StrategyName for fault in panel_faults(case.under(name))] == []


@every_strategy
@given(case=cases(), data=st.data())
@law
def test_the_order_of_seats_does_not_matter(
    strategy: StrategyName, case: Case, data: st.DataObject
) -> None:
    panel = case.under(strategy)
    shuffled = tuple(data.draw(st.permutations(case.row)))
    assert same(fold_row(panel, case.row), fold_row(panel, shuffled))


@every_strategy
@given(case=cases())
@law
def test_the_final_score_lies_within_the_scored_seats(strategy: StrategyName, case: Case) -> None:
    final = fold_row(case.under(strategy), case.row).final
    scores = [cell.score for cell in case.row if cell.votes and cell.score is not None]
    if strategy is StrategyName.MAJORITY:
        assert final in {0.0, 0.5, 1.0}
    else:
        assert min(scores) <= final <= max(scores)


@every_strategy
@given(case=cases())
@law
def test_every_number_lies_between_zero_and_one(strategy: StrategyName, case: Case) -> None:
    folded = fold_row(case.under(strategy), case.row)
    assert 0 <= folded.confidence <= 1
    assert 0 < folded.coverage <= 1
    assert folded.agreement is None or 0 <= folded.agreement <= 1
    assert (folded.agreement is None) == (sum(cell.votes for cell in case.row) < 2)


@pytest.mark.parametrize("strategy", MONOTONE)
@given(case=cases(), raised=st.lists(units, min_size=6, max_size=6))
@law
def test_a_higher_score_never_lowers_the_final_score(
    strategy: StrategyName, case: Case, raised: list[float]
) -> None:
    higher = tuple(
        replace(cell, score=max(cell.score, score)) if cell.score is not None else cell
        for cell, score in zip(case.row, raised, strict=False)
    )
    panel = case.under(strategy)
    assert fold_row(panel, higher).final >= fold_row(panel, case.row).final - CLOSE


@every_strategy
@given(case=cases(), score=units, confidence=units)
@law
def test_identical_seats_fold_to_the_same(
    strategy: StrategyName, case: Case, score: float, confidence: float
) -> None:
    row = tuple(replace(cell, score=score, confidence=confidence) for cell in case.row)
    panel = case.under(strategy)
    folded = fold_row(panel, row)
    if strategy is StrategyName.MAJORITY:
        assert folded.final in {0.0, 1.0}
        assert not folded.tie
    else:
        assert folded.final == score
    assert folded.agreement is None or folded.agreement == pytest.approx(1)
    assert folded.coverage == 1.0


@every_strategy
@given(case=cases(), scale=st.floats(1e-3, 1e3))
@law
def test_only_the_ratio_of_the_weights_matters(
    strategy: StrategyName, case: Case, scale: float
) -> None:
    panel = case.under(strategy)
    scaled = tuple(replace(cell, weight=cell.weight * scale) for cell in case.row)
    assert same(fold_row(panel, case.row), fold_row(panel, scaled))


@every_strategy
@given(case=cases(min_scored=2), data=st.data())
@law
def test_losing_a_seat_never_gives_more_confidence_than_its_agreeing_with_the_panel(
    strategy: StrategyName, case: Case, data: st.DataObject
) -> None:
    panel = case.under(strategy)
    at = data.draw(st.sampled_from([i for i, cell in enumerate(case.row) if cell.votes]))
    before, seat, after = case.row[:at], case.row[at], case.row[at + 1 :]
    lost = (*before, replace(seat, score=None), *after)
    rest = batch_of(lost)
    score = float(rest.mean(rest.scores)[0])
    if strategy is StrategyName.MAJORITY:
        score = float(fold_row(panel, lost).final >= 0.5)
    confidence = float(rest.mean(rest.confidences)[0])
    agreed = (
        *before,
        replace(seat, score=min(score, 1.0), confidence=min(confidence, 1.0)),
        *after,
    )
    assert fold_row(panel, lost).confidence <= fold_row(panel, agreed).confidence + CLOSE


@every_strategy
@given(seed=st.integers(0, 2**32), rows=st.integers(1, 6), seats=st.integers(1, 20))
@law
def test_a_batch_folds_exactly_as_its_rows_do_one_by_one(
    strategy: StrategyName, seed: int, rows: int, seats: int
) -> None:
    """Exactly: to the last bit, also for tables in column-major memory."""
    dice = np.random.default_rng(seed)
    shape = (seats, rows)
    scores, confidences = dice.random(shape).round(2).T, dice.random(shape).round(2).T
    scored, weights = dice.random(shape).T < 0.8, dice.random(seats) + 0.1
    panel = panel_of(strategy, seats, n=1 + seed % seats)
    together = fold(Batch.of(scores, confidences, weights, scored), panel)
    for i in range(rows):
        alone = Batch.of([scores[i]], [confidences[i]], weights, [scored[i]])
        assert together.row(i) == fold(alone, panel).row(0)


@given(seed=st.integers(0, 2**32), seats=st.integers(1, 20))
@law
def test_a_panel_that_scored_in_full_is_covered_exactly(seed: int, seats: int) -> None:
    weights = np.random.default_rng(seed).integers(1, 100, seats) / 10
    row = tuple(Cell(0.5, weight=weight) for weight in weights.tolist())
    assert fold_row(panel_of(StrategyName.WEIGHTED_AVERAGE, seats), row).coverage == 1.0


@every_strategy
def test_factors_that_round_to_a_sum_of_one_give_no_confidence_above_one(
    strategy: StrategyName,
) -> None:
    panel = panel_of(strategy, 2, n=2, factors=(0.7, 0.3000000005))
    assert fold_row(panel, row_of((1, 1, 1), (1, 1, 1))).confidence == 1.0


def test_a_row_without_scored_weight_holds_zeros() -> None:
    row = row_of((None, 0.0, 1.0), (0.9, 0.9, 0.0))
    for strategy in StrategyName:
        folded = fold_row(panel_of(strategy, 2, n=1), row)
        assert folded == Folded(final=0.0, confidence=0.0, agreement=None, coverage=0.0)
