"""The gate: each condition on its own, inclusive bounds, and what follows from them together."""

import itertools

import pytest

from consensus.domain.decision import GateAnswer, GateResult
from consensus.domain.fold import Folded
from consensus.domain.policy import Gate, Panel, StrategyName, Tie
from consensus.gates import checks_gate, pass_bar, weigh
from consensus.gates.gate import agreement_ok, answer
from tests.aggregation.panels import fold_row, panel_of, row_of

AVERAGE = panel_of(StrategyName.WEIGHTED_AVERAGE)
UNANIMOUS = panel_of(StrategyName.UNANIMOUS)
CONDITIONS = (
    "score_ok",
    "confidence_ok",
    "agreement_ok",
    "criteria_ok",
    "quorum_ok",
    "seats_ok",
)


def folded(final: float = 0.8, confidence: float = 0.8, agreement: float | None = 0.8) -> Folded:
    """Return a panel's numbers."""
    return Folded(final=final, confidence=confidence, agreement=agreement, coverage=1.0)


def weighed(numbers: Folded | None, gate: Gate, panel: Panel = AVERAGE) -> GateResult:
    """Weigh numbers with every criterion met and every seat scored."""
    return weigh(numbers, panel, gate, criteria_ok=True, all_scored=True)


@pytest.mark.parametrize("values", list(itertools.product([True, False], repeat=6)))
def test_the_answer_follows_from_the_conditions(values: tuple[bool, ...]) -> None:
    conditions = dict(zip(CONDITIONS, values, strict=True))
    failed = {name for name, holds in conditions.items() if not holds}
    if "quorum_ok" in failed:
        expected = GateAnswer.NO_QUORUM
    elif failed & {"score_ok", "criteria_ok"}:
        expected = GateAnswer.FAIL
    elif failed:
        expected = GateAnswer.UNSURE
    else:
        expected = GateAnswer.PASS
    assert answer(**conditions) is expected


def test_each_condition_has_its_own_boolean() -> None:
    gate = Gate(min_score=0.7, min_confidence=0.7, min_agreement=0.7)
    assert weighed(folded(), gate) == GateResult(
        answer=GateAnswer.PASS,
        score_ok=True,
        confidence_ok=True,
        agreement_ok=True,
        criteria_ok=True,
        quorum_ok=True,
        seats_ok=True,
    )
    low = weighed(folded(final=0.6), gate)
    assert (low.answer, low.score_ok, low.confidence_ok) == (GateAnswer.FAIL, False, True)
    faint = weighed(folded(confidence=0.6), gate)
    assert (faint.answer, faint.confidence_ok, faint.score_ok) == (GateAnswer.UNSURE, False, True)
    torn = weighed(folded(agreement=0.6), gate)
    assert (torn.answer, torn.agreement_ok, torn.score_ok) == (GateAnswer.UNSURE, False, True)


def test_a_required_criterion_that_is_not_met_fails_the_gate() -> None:
    result = weigh(folded(), AVERAGE, Gate(), criteria_ok=False, all_scored=True)
    assert (result.answer, result.criteria_ok, result.score_ok) == (GateAnswer.FAIL, False, True)


def test_a_missed_quorum_is_no_low_score_but_an_answer_of_its_own() -> None:
    result = weigh(None, AVERAGE, Gate(min_score=0.0), criteria_ok=True, all_scored=False)
    assert result == GateResult(
        answer=GateAnswer.NO_QUORUM,
        score_ok=False,
        confidence_ok=False,
        agreement_ok=False,
        criteria_ok=True,
        quorum_ok=False,
        seats_ok=False,
    )


@pytest.mark.parametrize("strategy", StrategyName)
def test_only_unanimous_insists_on_every_seat(strategy: StrategyName) -> None:
    panel = panel_of(strategy, n=1)
    result = weigh(folded(final=1.0), panel, Gate(), criteria_ok=True, all_scored=False)
    insists = strategy is StrategyName.UNANIMOUS
    assert result.seats_ok is not insists
    assert result.answer is (GateAnswer.UNSURE if insists else GateAnswer.PASS)


def test_every_bound_is_inclusive() -> None:
    gate = Gate(min_score=0.8, min_confidence=0.8, min_agreement=0.8)
    assert weighed(folded(), gate).answer is GateAnswer.PASS


@pytest.mark.parametrize("scores", list(itertools.permutations((0.65, 0.7, 0.75))))
def test_rounding_does_not_cost_a_pass(scores: tuple[float, ...]) -> None:
    """Two of the six orders sum to 2.0999999999999996, the others to 2.1 or above."""
    final = fold_row(AVERAGE, row_of(*((score, 1.0, 1.0) for score in scores)))
    assert weighed(final, Gate(min_score=0.7)).answer is GateAnswer.PASS
    assert weighed(folded(final=0.6999999999999998), Gate()).answer is GateAnswer.PASS


def test_a_meant_difference_costs_the_pass() -> None:
    assert weighed(folded(final=0.7999999), Gate(min_score=0.8)).answer is GateAnswer.FAIL


@pytest.mark.parametrize(
    ("agreement", "bound", "expected"),
    [
        (None, 0.0, True),
        (None, 0.01, False),
        (0.0, 0.0, True),
        (0.5, 0.5, True),
        (0.49, 0.5, False),
        (1.0, 1.0, True),
    ],
)
def test_an_absent_agreement_reaches_only_a_bound_of_zero(
    agreement: float | None, bound: float, expected: bool
) -> None:
    assert agreement_ok(agreement, Gate(min_agreement=bound)) is expected


@pytest.mark.parametrize(
    ("panel", "min_score", "bar"),
    [
        (AVERAGE, 0.7, 0.7),
        (AVERAGE, 0.0, 0.0),
        (UNANIMOUS, 0.5, 0.7),
        (UNANIMOUS, 0.9, 0.9),
        (UNANIMOUS, 0.0, 0.7),
        (panel_of(StrategyName.MAJORITY, tie=Tie.FAIL), 0.7, 1.0),
        (panel_of(StrategyName.MAJORITY, tie=Tie.FAIL), 0.4, 1.0),
        (panel_of(StrategyName.MAJORITY, tie=Tie.ESCALATE), 0.4, 1.0),
        (panel_of(StrategyName.MAJORITY, tie=Tie.PASS), 0.7, 0.5),
        (panel_of(StrategyName.MAJORITY, tie=Tie.PASS), 0.4, 0.4),
        (panel_of(StrategyName.MAJORITY, tie=Tie.FAIL), 0.0, 0.0),
    ],
)
def test_the_bar_heeds_votes_and_ties(panel: Panel, min_score: float, bar: float) -> None:
    assert pass_bar(panel, Gate(min_score=min_score)) == bar


@pytest.mark.parametrize("strategy", [s for s in StrategyName if s is not StrategyName.UNANIMOUS])
def test_a_min_score_of_zero_switches_the_condition_off(strategy: StrategyName) -> None:
    panel = panel_of(strategy, n=1)
    assert weighed(folded(final=0.0), Gate(min_score=0.0), panel).answer is GateAnswer.PASS


def test_under_unanimous_the_votes_count_even_with_a_min_score_of_zero() -> None:
    result = weighed(folded(final=0.6), Gate(min_score=0.0), UNANIMOUS)
    assert result.answer is GateAnswer.FAIL


@pytest.mark.parametrize(
    ("tie", "expected"),
    [(Tie.PASS, GateAnswer.PASS), (Tie.FAIL, GateAnswer.FAIL), (Tie.ESCALATE, GateAnswer.FAIL)],
)
@pytest.mark.parametrize("min_score", [0.3, 0.5, 0.7, 1.0])
def test_a_tie_passes_by_rule_and_not_by_min_score(
    tie: Tie, expected: GateAnswer, min_score: float
) -> None:
    panel = panel_of(StrategyName.MAJORITY, tie=tie)
    assert weighed(folded(final=0.5), Gate(min_score=min_score), panel).answer is expected


def test_a_failed_check_is_a_failed_score() -> None:
    passed, failed = checks_gate(True), checks_gate(False)
    assert passed.answer is GateAnswer.PASS
    assert failed.answer is GateAnswer.FAIL
    assert failed == GateResult(
        answer=GateAnswer.FAIL,
        score_ok=False,
        confidence_ok=True,
        agreement_ok=True,
        criteria_ok=True,
        quorum_ok=True,
        seats_ok=True,
    )
