"""AEGIS's worked numbers: where ours are the same, and where they differ on purpose.

The same: equal weights, at least two judges, every seat scored, under weighted_average and
majority. Different: the variance is weighted, nobody earns agreement with himself, a lost judge
costs coverage, unanimous keeps its lowest score and best_of_n the disagreement of those left out.
"""

from dataclasses import dataclass

import pytest

from consensus.domain.policy import StrategyName
from tests.aggregation.panels import Row, fold_row, panel_of, row_of

SIXTH = 5e-7
"""Half of the sixth decimal, to which AEGIS's numbers are given."""


@dataclass(frozen=True, slots=True)
class Vector:
    """One row of AEGIS's table: judges of weight 1 as (score, confidence)."""

    judges: tuple[tuple[float, float], ...]
    score: float
    agreement: float
    confidence: float
    majority: float
    majority_confidence: float

    @property
    def row(self) -> Row:
        """The judges' cells."""
        return row_of(*((score, confidence, 1.0) for score, confidence in self.judges))


VECTORS = {
    "2": Vector(((0.9, 0.9), (0.5, 0.9)), 0.7, 0.84, 0.858, 0.5, 0.27),
    "3 security veto": Vector(
        ((0.95, 0.9), (0.9, 0.85), (0.1, 1.0)), 0.65, 0.393333, 0.550333, 1.0, 0.508333
    ),
    "4": Vector(((0.0, 1.0), (1.0, 1.0)), 0.5, 0.0, 0.3, 0.5, 0.3),
    "5": Vector(((0.0, 1.0), (1.0, 1.0), (1.0, 1.0)), 0.666667, 0.111111, 0.377778, 1.0, 0.533333),
    "7": Vector(((0.7, 0.8), (0.7, 0.6)), 0.7, 1.0, 0.91, 1.0, 0.91),
    "10": Vector(((0.8, 0.5),) * 3, 0.8, 1.0, 0.85, 1.0, 0.85),
    "11": Vector(((0.5, 0.8), (0.8, 0.5), (0.4, 1.0)), 0.566667, 0.884444, 0.849111, 0.0, 0.463333),
    "13": Vector(
        ((0.7, 0.9), (0.699999, 0.9), (0.8, 0.9)), 0.733333, 0.991111, 0.963778, 1.0, 0.503333
    ),
    "five ones": Vector(((1.0, 1.0),) * 5, 1.0, 1.0, 1.0, 1.0, 1.0),
}
ONE = row_of((0.9, 0.9, 1), (0.8, 0.8, 2), (0.4, 0.95, 1))
"""Vector 1, with weights 1, 2, 1."""
LOST = (*ONE[:2], *row_of((None, 0.0, 1)))
"""Vector 1 with its third judge lost."""

every_vector = pytest.mark.parametrize("vector", VECTORS.values(), ids=VECTORS.keys())


@every_vector
def test_weighted_average_gives_the_numbers_of_aegis(vector: Vector) -> None:
    folded = fold_row(panel_of(StrategyName.WEIGHTED_AVERAGE), vector.row)
    assert folded.final == pytest.approx(vector.score, abs=SIXTH)
    assert folded.agreement == pytest.approx(vector.agreement, abs=SIXTH)
    assert folded.confidence == pytest.approx(vector.confidence, abs=SIXTH)


@every_vector
def test_majority_gives_the_numbers_of_aegis(vector: Vector) -> None:
    folded = fold_row(panel_of(StrategyName.MAJORITY), vector.row)
    assert folded.final == vector.majority
    assert folded.confidence == pytest.approx(vector.majority_confidence, abs=SIXTH)


@pytest.mark.parametrize("apart", [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1.0])
def test_two_judges_apart_by_d_agree_by_one_less_d_squared(apart: float) -> None:
    folded = fold_row(panel_of(StrategyName.WEIGHTED_AVERAGE), row_of((0, 1, 1), (apart, 1, 1)))
    assert folded.agreement == pytest.approx(1 - apart**2)


@pytest.mark.parametrize(
    ("judges", "floor"),
    [(2, 0.0), (3, 0.111111), (4, 0.0), (5, 0.04), (7, 0.020408), (9, 0.012346)],
)
def test_an_odd_panel_has_a_floor_of_agreement(judges: int, floor: float) -> None:
    row = row_of(*((float(i % 2), 1.0, 1.0) for i in range(judges)))
    folded = fold_row(panel_of(StrategyName.WEIGHTED_AVERAGE), row)
    assert folded.agreement == pytest.approx(floor, abs=SIXTH)


@pytest.mark.parametrize(
    ("row", "agreement", "confidence", "theirs"),
    [
        # 1: var = (.175^2 + 2 * .075^2 + .325^2) / 4 = .036875; self = 3.45 / 4 = .8625
        (ONE, 0.8525, 0.8555, 0.828083),
        # 8: var = 100 / 101^2 = .00980296; self = 1: a weight of 1 in 101 costs 4 %, not all
        (row_of((0, 1, 100), (1, 1, 1)), 0.960788, 0.972552, 0.3),
        # 9: var = (.0375^2 + 3 * .0125^2) / 4 = .00046875; self = 3.3 / 4 = .825
        (row_of((0.6, 0.9, 1), (0.65, 0.8, 3)), 0.998125, 0.9461875, 0.94575),
        # 14: var = .34375 / 6 = .05729167; self = 4.85 / 6 = .80833333
        (
            row_of((0.9, 0.8, 1), (0.85, 0.9, 2), (0.2, 0.6, 1), (0.75, 0.7, 1), (0.8, 0.95, 1)),
            0.770833,
            0.782083,
            0.7605,
        ),
    ],
    ids=["1", "8", "9", "14"],
)
def test_with_unequal_weights_ours_is_the_weighted_variance(
    row: Row, agreement: float, confidence: float, theirs: float
) -> None:
    folded = fold_row(panel_of(StrategyName.WEIGHTED_AVERAGE), row)
    assert folded.agreement == pytest.approx(agreement, abs=SIXTH)
    assert folded.confidence == pytest.approx(confidence, abs=SIXTH)
    assert abs(confidence - theirs) > SIXTH


@pytest.mark.parametrize(
    ("factors", "confidence"), [((0.5, 0.5), 0.8575), ((1.0, 0.0), 0.8525), ((0.0, 1.0), 0.8625)]
)
def test_the_factors_mix_agreement_and_self_confidence(
    factors: tuple[float, float], confidence: float
) -> None:
    """Vector 1 has an agreement of .8525 and a self-confidence of .8625."""
    folded = fold_row(panel_of(StrategyName.WEIGHTED_AVERAGE, factors=factors), ONE)
    assert folded.confidence == pytest.approx(confidence)


def test_majority_weighs_the_votes() -> None:
    """Vector 8: AEGIS counts heads and calls a tie; ours are 100 against 1, 99 / 101 apart."""
    folded = fold_row(panel_of(StrategyName.MAJORITY), row_of((0, 1, 100), (1, 1, 1)))
    assert (folded.final, folded.tie) == (0.0, False)
    assert folded.agreement == pytest.approx(99 / 101)
    assert folded.confidence == pytest.approx(0.7 * 99 / 101 + 0.3)


def test_a_single_judge_earns_no_agreement_with_himself() -> None:
    """Vector 6: AEGIS gives .7 to a judge who says that he is guessing."""
    for strategy in (StrategyName.WEIGHTED_AVERAGE, StrategyName.MAJORITY):
        folded = fold_row(panel_of(strategy), row_of((0.9, 0.0, 1)))
        assert (folded.agreement, folded.confidence) == (None, 0.0)


@pytest.mark.parametrize(
    ("strategy", "whole", "left"),
    [
        # agreement 1 - .00222222 / .25 = .99111111, self 2.5 / 3; AEGIS rises to .943
        (StrategyName.WEIGHTED_AVERAGE, 0.8555, 0.75 * (0.7 * 0.991111 + 0.3 * 0.833333)),
        # votes 3 : 1, then 3 : 0; AEGIS rises from .498333 to .955
        (StrategyName.MAJORITY, 0.7 * 0.5 + 0.3 * 0.8625, 0.75 * (0.7 + 0.3 * 0.833333)),
        # least confidence .8; AEGIS stays at .8 and passes
        (StrategyName.UNANIMOUS, 0.8, 0.75 * 0.8),
    ],
)
def test_a_lost_judge_costs_coverage(strategy: StrategyName, whole: float, left: float) -> None:
    before, after = fold_row(panel_of(strategy), ONE), fold_row(panel_of(strategy), LOST)
    assert (before.coverage, after.coverage) == (1.0, 0.75)
    assert before.confidence == pytest.approx(whole, abs=SIXTH)
    assert after.confidence == pytest.approx(left, abs=SIXTH)


@pytest.mark.parametrize("strategy", [StrategyName.WEIGHTED_AVERAGE, StrategyName.UNANIMOUS])
def test_losing_the_dissenter_lowers_the_confidence(strategy: StrategyName) -> None:
    before, after = fold_row(panel_of(strategy), ONE), fold_row(panel_of(strategy), LOST)
    assert after.confidence < before.confidence


@pytest.mark.parametrize(
    ("row", "final", "confidence"),
    [(ONE, 0.4, 0.8), (VECTORS["7"].row, 0.7, 0.6), (VECTORS["13"].row, 0.699999, 0.9)],
)
def test_unanimous_keeps_the_lowest_score_instead_of_zero_or_the_mean(
    row: Row, final: float, confidence: float
) -> None:
    folded = fold_row(panel_of(StrategyName.UNANIMOUS), row)
    assert folded.final == final
    assert folded.confidence == pytest.approx(confidence)


def test_best_of_n_scores_as_aegis_but_keeps_the_veto_in_its_confidence() -> None:
    """Vector 3: the veto is out of the score; AEGIS's confidence of .875 forgets it too."""
    folded = fold_row(panel_of(StrategyName.BEST_OF_N, n=2), VECTORS["3 security veto"].row)
    assert folded.final == pytest.approx(0.925)
    assert folded.confidence == pytest.approx(0.550333, abs=SIXTH)


def test_best_of_n_ranks_equal_products_by_rule_and_not_by_list_order() -> None:
    """Vector 11: every product is .4; lower scores first gives (.4 + .5) / 2, AEGIS .65."""
    folded = fold_row(panel_of(StrategyName.BEST_OF_N, n=2), VECTORS["11"].row)
    assert folded.final == pytest.approx(0.45)
