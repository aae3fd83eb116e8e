"""AEGIS's worked numbers through the running server: its fourteen panels under four strategies.

Where ours differ, they differ on purpose: variance and votes are weighted, a seat of weight 0 is
absent, nobody earns agreement with himself, unanimous keeps its lowest score, best_of_n the doubt
of all, and a lost judge costs coverage.
"""

from collections.abc import AsyncIterator
from typing import Any

import grpc
import pytest

from consensus.v1 import consensus_pb2 as pb
from consensus.v1 import decision_pb2
from tests.service.refusal import refused
from tests.service.running import request
from tests.service.scripted_judge import answers, gradient, refuses
from tests.systems.aegis_panels import APART, FLOORS, LOST, PANELS, add_panels
from tests.systems.aegis_running import Validated, validated


@pytest.fixture(scope="module")
async def running() -> AsyncIterator[Validated]:
    async with validated(add_panels) as running:
        for name, rows in PANELS.items():
            for number, (score, confidence, _) in enumerate(rows):
                said = answers(gradient(score, confidence))
                running.judges.scripts[f"v{name}-{number}"] = said
        running.judges.scripts[f"v{LOST}-2"] = refuses(grpc.StatusCode.INTERNAL)
        yield running


async def folded(running: Validated, panel: str, **overrides: Any) -> decision_pb2.Consensus:
    """Return what a panel came to under these overrides."""
    decision = await running.decide(policy=panel, overrides=pb.Overrides(**overrides))
    consensus: decision_pb2.Consensus = decision.stages[0].consensus
    assert [seat.judge for seat in consensus.individual_results] == [
        f"v{panel}-{number}" for number in range(len(consensus.individual_results))
    ]
    return consensus


def near(number: float) -> Any:
    """Return a number to six decimals, as AEGIS's are given."""
    return pytest.approx(number, abs=5e-7)


# Score, agreement and confidence of ours; then AEGIS's, where they differ.
WEIGHTED_AVERAGE: dict[str, tuple[float, float | None, float, tuple[float, float] | None]] = {
    "1": (0.725, 0.8525, 0.8555, (0.813333, 0.828083)),
    "2": (0.7, 0.84, 0.858, None),
    "3": (0.65, 0.393333, 0.550333, None),
    "4": (0.5, 0.0, 0.3, None),
    "5": (0.666667, 0.111111, 0.377778, None),
    "6": (0.9, None, 0.0, (1.0, 0.7)),
    "7": (0.7, 1.0, 0.91, None),
    "8": (0.009901, 0.960788, 0.972552, (0.0, 0.3)),
    "9": (0.6375, 0.998125, 0.9461875, (0.9975, 0.94575)),
    "10": (0.8, 1.0, 0.85, None),
    "11": (0.566667, 0.884444, 0.849111, None),
    "12": (0.3, None, 0.9, (0.64, 0.718)),
    "13": (0.733333, 0.991111, 0.963778, None),
    "14": (0.725, 0.770833, 0.782083, (0.74, 0.7605)),
    "ones": (1.0, 1.0, 1.0, None),
}


@pytest.mark.parametrize("vector", WEIGHTED_AVERAGE)
async def test_weighted_average_through_the_server(running: Validated, vector: str) -> None:
    score, agreement, confidence, theirs = WEIGHTED_AVERAGE[vector]
    found = await folded(running, vector)
    assert found.final_score == near(score)
    assert found.HasField("agreement") == (agreement is not None)
    assert found.agreement == near(agreement or 0.0)
    assert found.consensus_confidence == near(confidence)
    assert theirs is None or theirs[1] != near(confidence)


# Score and confidence of ours; then AEGIS's, where they differ.
MAJORITY: dict[str, tuple[float, float, tuple[float, float] | None]] = {
    "1": (1.0, 0.60875, (1.0, 0.498333)),
    "2": (0.5, 0.27, None),
    "3": (1.0, 0.508333, None),
    "4": (0.5, 0.3, None),
    "5": (1.0, 0.533333, None),
    "6": (1.0, 0.0, (1.0, 0.7)),
    "7": (1.0, 0.91, None),
    "8": (0.0, 0.986139, (0.5, 0.3)),
    "9": (0.0, 0.9475, (0.0, 0.955)),
    "10": (1.0, 0.85, None),
    "11": (0.0, 0.463333, None),
    "12": (0.0, 0.9, (0.5, 0.27)),
    "13": (1.0, 0.503333, None),
    "14": (1.0, 0.709167, (1.0, 0.657)),
    "ones": (1.0, 1.0, None),
}


@pytest.mark.parametrize("vector", MAJORITY)
async def test_majority_through_the_server(running: Validated, vector: str) -> None:
    score, confidence, theirs = MAJORITY[vector]
    found = await folded(running, vector, strategy=decision_pb2.STRATEGY_MAJORITY)
    assert (found.final_score, found.consensus_confidence) == (score, near(confidence))
    assert found.tie == (score == 0.5)
    assert theirs is None or theirs != (score, near(confidence))


# AEGIS: the mean where all reach the threshold, else 0; ours: the lowest score, always.
UNANIMOUS = {
    "1": (0.4, 0.8, 0.0),
    "2": (0.5, 0.9, 0.0),
    "3": (0.1, 0.85, 0.0),
    "4": (0.0, 1.0, 0.0),
    "5": (0.0, 1.0, 0.0),
    "6": (0.9, 0.0, 0.9),
    "7": (0.7, 0.6, 0.7),
    "8": (0.0, 1.0, 0.0),
    "9": (0.6, 0.8, 0.0),
    "10": (0.8, 0.5, 0.8),
    "11": (0.4, 0.5, 0.0),
    "12": (0.3, 0.9, 0.0),
    "13": (0.699999, 0.9, 0.0),
    "14": (0.2, 0.6, 0.0),
    "ones": (1.0, 1.0, 1.0),
}


@pytest.mark.parametrize("vector", UNANIMOUS)
async def test_unanimous_keeps_the_lowest_score_and_passes_as_aegis(
    running: Validated, vector: str
) -> None:
    score, confidence, theirs = UNANIMOUS[vector]
    overrides = pb.Overrides(strategy=decision_pb2.STRATEGY_UNANIMOUS)
    decision = await running.decide(policy=vector, overrides=overrides)
    found = decision.stages[0].consensus
    assert (found.final_score, found.consensus_confidence) == (near(score), near(confidence))
    passes = decision.verdict == decision_pb2.VERDICT_ACCEPT
    assert passes == (theirs >= 0.7)


# Ours and AEGIS's score of the best two, and our confidence, which is weighted_average's.
BEST_OF_TWO = {
    "1": (0.833333, 0.833333),
    "2": (0.7, 0.7),
    "3": (0.925, 0.925),
    "4": (0.5, 0.5),
    "5": (1.0, 1.0),
    "7": (0.7, 0.7),
    "8": (0.009901, 0.009901),
    "9": (0.6375, 0.6375),
    "10": (0.8, 0.8),
    "11": (0.45, 0.65),  # equal products: lower scores first, not the order of the list
    "13": (0.75, 0.75),
    "14": (0.833333, 0.833333),
    "ones": (1.0, 1.0),
}


@pytest.mark.parametrize("vector", BEST_OF_TWO)
async def test_best_of_two_scores_as_aegis_and_keeps_the_doubt_of_all(
    running: Validated, vector: str
) -> None:
    ours, theirs = BEST_OF_TWO[vector]
    found = await folded(running, vector, strategy=decision_pb2.STRATEGY_BEST_OF_N, n=2)
    assert found.final_score == near(ours)
    assert found.consensus_confidence == near(WEIGHTED_AVERAGE[vector][2])
    assert (ours == theirs) == (vector != "11")


@pytest.mark.parametrize("vector", ["6", "12"])
async def test_more_than_the_seats_that_vote_is_refused_and_not_clamped(
    running: Validated, vector: str
) -> None:
    overrides = pb.Overrides(strategy=decision_pb2.STRATEGY_BEST_OF_N, n=2)
    call = running.server.consensus.Judge(request(vector, overrides=overrides))
    assert "overrides.n" in (await refused(call)).fields


@pytest.mark.parametrize(
    ("vector", "overrides", "score", "confidence"),
    [
        # AEGIS .625 / .8: the mean; it passes, as here
        pytest.param("9", {"strategy": 3, "threshold": 0.6}, 0.6, 0.8, id="unanimous, t = .6"),
        # AEGIS 1 / .377: heads are counted, here weights: 4 to 2
        pytest.param("14", {"strategy": 2, "threshold": 0.8}, 1.0, 0.475833, id="majority, t = .8"),
        # AEGIS .85 / .883333
        pytest.param("14", {"strategy": 4, "n": 3}, 0.85, 0.782083, id="best of three"),
        # best of all: AEGIS .725 / .883333, .65 / .916667, .666667 / 1, .725 / .79
        pytest.param("1", {"strategy": 4, "n": 3}, 0.725, 0.8555, id="best of all, 1"),
        pytest.param("3", {"strategy": 4, "n": 3}, 0.65, 0.550333, id="best of all, 3"),
        pytest.param("5", {"strategy": 4, "n": 3}, 0.666667, 0.377778, id="best of all, 5"),
        pytest.param("14", {"strategy": 4, "n": 5}, 0.725, 0.782083, id="best of all, 14"),
        # AEGIS .837917 and .813333
        pytest.param("factors-.5", {}, 0.725, 0.8575, id="factors of one half"),
        pytest.param("factors-1", {}, 0.725, 0.8525, id="agreement alone"),
    ],
)
async def test_the_further_vectors_through_the_server(
    running: Validated, vector: str, overrides: dict[str, Any], score: float, confidence: float
) -> None:
    found = await folded(running, vector, **overrides)
    assert (found.final_score, found.consensus_confidence) == (near(score), near(confidence))


@pytest.mark.parametrize(
    ("strategy", "score", "confidence", "passes"),
    [
        # AEGIS .833333 / .943, up from .828083
        pytest.param("WEIGHTED_AVERAGE", 0.833333, 0.707833, True, id="weighted_average"),
        # AEGIS 1 / .955, up from .498333
        pytest.param("MAJORITY", 1.0, 0.7125, True, id="majority"),
        # AEGIS passes at .85 / .8: here a missing seat is not a yes
        pytest.param("UNANIMOUS", 0.8, 0.6, False, id="unanimous"),
    ],
)
async def test_a_lost_judge_lowers_the_confidence_and_is_no_yes(
    running: Validated, strategy: str, score: float, confidence: float, passes: bool
) -> None:
    number = decision_pb2.Strategy.Value(f"STRATEGY_{strategy}")
    decision = await running.decide(policy=LOST, overrides=pb.Overrides(strategy=number))
    found = decision.stages[0].consensus
    assert (found.final_score, found.consensus_confidence) == (near(score), near(confidence))
    assert found.coverage == 0.75
    assert found.individual_results[2].status == decision_pb2.SEAT_STATUS_FAILED
    assert (decision.verdict == decision_pb2.VERDICT_ACCEPT) is passes


@pytest.mark.parametrize("apart", APART)
async def test_two_judges_agree_by_one_less_the_square_of_their_gap(
    running: Validated, apart: float
) -> None:
    assert (await folded(running, f"apart-{apart}")).agreement == near(1 - apart**2)


@pytest.mark.parametrize("judges", FLOORS)
async def test_a_panel_split_in_halves_has_a_floor_of_agreement(
    running: Validated, judges: int
) -> None:
    assert (await folded(running, f"split-{judges}")).agreement == near(FLOORS[judges])
