"""Dissent: who is on the other side, and the smallest change of one seat that would flip it."""

import pytest
from hypothesis import given

from consensus.aggregation.dissent import STEPS, dissents
from consensus.domain.decision import Dissent, Flip
from consensus.domain.fold import reaches
from consensus.domain.policy import Gate, Panel, StrategyName, Tie
from consensus.gates import pass_bar
from tests.aggregation.panels import (
    Case,
    Cell,
    Row,
    batch_of,
    cases,
    fold_row,
    fold_rows,
    law,
    panel_of,
)
from tests.aggregation.panels import row_of as cells

NAMES = ["style", "security", "tests"]


def row_of(*scores: float) -> Row:
    """Return equal seats with these scores."""
    return cells(*((score, 1.0, 1.0) for score in scores))


def dissents_of(panel: Panel, row: Row, names: list[str] = NAMES) -> tuple[Dissent, ...]:
    """Return the dissents of a row at a gate of 0.7."""
    bar = pass_bar(panel, Gate(min_score=0.7))
    return dissents(batch_of(row), panel, names, fold_row(panel, row).final, bar)


@pytest.mark.parametrize(
    ("panel", "scores", "expected"),
    [
        # .9 + .9 + x reaches 2.1 until x < .3
        (
            panel_of(StrategyName.WEIGHTED_AVERAGE),
            (0.9, 0.4, 0.9),
            (Dissent("security", 0.4, Flip("security", 0.29, upward=False)),),
        ),
        # x + .2 + .2 cannot reach 2.1, nor can any other seat alone
        (
            panel_of(StrategyName.WEIGHTED_AVERAGE),
            (0.8, 0.2, 0.2),
            (Dissent("style", 0.8, None),),
        ),
        # .75 + .65 + .6 lacks .1: the dissenter alone can bring it
        (
            panel_of(StrategyName.WEIGHTED_AVERAGE),
            (0.75, 0.65, 0.6),
            (Dissent("style", 0.75, Flip("style", 0.85, upward=True)),),
        ),
        # the dissenter cannot change a vote already cast; the passing seats can, by .21 and .11
        (
            panel_of(StrategyName.MAJORITY),
            (0.9, 0.1, 0.8),
            (Dissent("security", 0.1, Flip("tests", 0.69, upward=False)),),
        ),
        # unanimous: `security` alone holds it up
        (
            panel_of(StrategyName.UNANIMOUS),
            (0.9, 0.4, 0.8),
            (
                Dissent("style", 0.9, Flip("security", 0.7, upward=True)),
                Dissent("tests", 0.8, Flip("security", 0.7, upward=True)),
            ),
        ),
        # unanimous: with two in the way, no single seat can flip it
        (
            panel_of(StrategyName.UNANIMOUS),
            (0.9, 0.4, 0.4),
            (Dissent("style", 0.9, None),),
        ),
        # median .6: either low seat has to rise to .7
        (
            panel_of(StrategyName.MEDIAN),
            (0.9, 0.6, 0.2),
            (Dissent("style", 0.9, Flip("security", 0.7, upward=True)),),
        ),
        # median .8: the low seat cannot flip it, a fall of `tests` to below .7 can
        (
            panel_of(StrategyName.MEDIAN),
            (0.9, 0.2, 0.8),
            (Dissent("security", 0.2, Flip("tests", 0.69, upward=False)),),
        ),
        # a third dropped at each end leaves the middle seat
        (
            panel_of(StrategyName.TRIMMED_MEAN, trim=1 / 3),
            (0.9, 0.2, 0.8),
            (Dissent("security", 0.2, Flip("tests", 0.69, upward=False)),),
        ),
        # the best one is .9; it would have to fall below .7, and .8 would take its place
        (
            panel_of(StrategyName.BEST_OF_N, n=1),
            (0.9, 0.2, 0.8),
            (Dissent("security", 0.2, None),),
        ),
        # the best two are .9 and .6; for a low seat that falls the other one takes its place
        (
            panel_of(StrategyName.BEST_OF_N, n=2),
            (0.9, 0.6, 0.6),
            (
                Dissent("security", 0.6, Flip("style", 0.79, upward=False)),
                Dissent("tests", 0.6, Flip("style", 0.79, upward=False)),
            ),
        ),
    ],
)
def test_the_smallest_flip_of_one_seat(
    panel: Panel, scores: tuple[float, ...], expected: tuple[Dissent, ...]
) -> None:
    assert dissents_of(panel, row_of(*scores)) == expected


def test_the_dissenter_s_own_flip_comes_before_a_smaller_one_of_another_seat() -> None:
    """.8 + 3 * .6 lacks .2 of 2.8: `style` would have to rise by .2, `security` by .07."""
    row = cells((0.8, 1, 1), (0.6, 1, 3))
    assert dissents_of(panel_of(StrategyName.WEIGHTED_AVERAGE), row) == (
        Dissent("style", 0.8, Flip("style", 1.0, upward=True)),
    )


def test_nobody_dissents_where_all_are_on_one_side() -> None:
    assert dissents_of(panel_of(StrategyName.WEIGHTED_AVERAGE), row_of(0.7, 0.8, 0.9)) == ()
    assert dissents_of(panel_of(StrategyName.WEIGHTED_AVERAGE), row_of(0.1, 0.2, 0.3)) == ()


def test_a_seat_without_an_answer_or_weight_has_no_side() -> None:
    row = cells((0.9, 1, 1), (0.1, 1, 0), (None, 0, 1))
    assert dissents_of(panel_of(StrategyName.WEIGHTED_AVERAGE), row) == ()


def test_a_tie_that_fails_is_dissented_by_the_passing_half() -> None:
    panel = panel_of(StrategyName.MAJORITY, 2, tie=Tie.FAIL)
    assert dissents_of(panel, row_of(0.9, 0.5)) == (
        Dissent("style", 0.9, Flip("security", 0.7, upward=True)),
    )


def test_a_tie_that_passes_is_dissented_by_the_failing_half() -> None:
    panel = panel_of(StrategyName.MAJORITY, 2, tie=Tie.PASS)
    assert dissents_of(panel, row_of(0.9, 0.5)) == (
        Dissent("security", 0.5, Flip("style", 0.69, upward=False)),
    )


def test_a_bar_of_zero_cannot_be_flipped() -> None:
    panel, row = panel_of(StrategyName.WEIGHTED_AVERAGE), row_of(0.1, 0.1, 0.9)
    found = dissents(batch_of(row), panel, NAMES, fold_row(panel, row).final, 0.0)
    assert found == (Dissent("style", 0.1, None), Dissent("security", 0.1, None))


def changed(row: Row, names: list[str], flip: Flip, score: float) -> Row:
    """Return the row in which the seat of the flip scores `score`."""
    at = names.index(flip.judge)
    return (*row[:at], Cell(score, row[at].confidence, row[at].weight), *row[at + 1 :])


def finals_of(panel: Panel, rows: list[Row]) -> list[float]:
    """Return the final score of each row."""
    return fold_rows(panel, *rows).final.tolist() if rows else []


@pytest.mark.parametrize("strategy", StrategyName)
@given(case=cases())
@law
def test_a_flip_flips_and_no_smaller_step_does(strategy: StrategyName, case: Case) -> None:
    panel, names = case.under(strategy), [seat.judge for seat in case.panel.seats]
    bar = pass_bar(panel, Gate(min_score=0.7))
    passed = reaches(fold_row(panel, case.row).final, bar)
    for dissent in dissents_of(panel, case.row, names):
        assert reaches(dissent.score, panel.threshold) is not passed
        if dissent.flip is None:
            continue
        flip, own = dissent.flip, case.row[names.index(dissent.flip.judge)].score
        assert own is not None
        assert flip.upward == (flip.score > own)
        there = fold_row(panel, changed(case.row, names, flip, flip.score))
        assert reaches(there.final, bar) is not passed
        nearer = [step for step in STEPS.tolist() if abs(step - own) < abs(flip.score - own)]
        for final in finals_of(panel, [changed(case.row, names, flip, step) for step in nearer]):
            assert reaches(final, bar) is passed
