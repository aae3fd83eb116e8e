"""The law of early settlement: the answer is the one that waiting would have given."""

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import event, given
from hypothesis import strategies as st
from msgspec.structs import replace

from consensus.aggregation.batch import Batch, Bools, Floats
from consensus.aggregation.criteria import statuses
from consensus.aggregation.fold import fold
from consensus.domain.decision import GateAnswer
from consensus.domain.gradient import FindingStatus
from consensus.domain.policy import Gate, Panel, StrategyName, Tie
from consensus.gates import weigh
from tests.aggregation.panels import Case, Row, cases, law
from tests.gates.settling import settled

COMPLETIONS = 64

every_strategy = pytest.mark.parametrize("strategy", StrategyName)
bounds_of_gates = st.sampled_from([0.0, 0.0, 0.3, 0.6, 0.9])
gates = st.builds(
    Gate,
    min_score=st.sampled_from([0.7, 0.5, 1.0, 0.05, 0.0]),
    min_confidence=bounds_of_gates,
    min_agreement=bounds_of_gates,
)
findings = st.lists(st.sampled_from([1.0, 1.0, 0.0, None]), min_size=10, max_size=10)


@dataclass(frozen=True, slots=True)
class Endings:
    """Ways in which the waiting seats could end, [COMPLETIONS, N]."""

    row: Row
    dice: np.random.Generator

    def filled(self, known: list[float], drawn: Floats | Bools) -> Floats:
        """Return the known values, and those drawn where a seat was waiting."""
        return np.where([cell.waiting for cell in self.row], drawn, known)

    def units(self, *likely: float) -> Floats:
        """Draw values in [0, 1], most of them extreme or near a bound."""
        shape = (COMPLETIONS, len(self.row))
        return self.dice.choice([0.0, 0.0, 1.0, 1.0, 0.5, self.dice.random(), *likely], shape)

    def scored(self) -> Bools:
        """Draw which seats score in the end; first none of the waiting ones, then all."""
        drawn = self.dice.random((COMPLETIONS, len(self.row))) < 0.7
        drawn[0], drawn[1] = False, True
        return self.filled([cell.score is not None for cell in self.row], drawn).astype(bool)


def answers_of_waiting(
    panel: Panel, gate: Gate, row: Row, required: list[Row], seed: int
) -> set[GateAnswer | str]:
    """Return the answers of random completions, and `tie` where a tie would escalate."""
    endings = Endings(row, np.random.default_rng(seed))
    weights, scored = [cell.weight for cell in row], endings.scored()
    likely = (panel.threshold, gate.min_score)
    scores = endings.filled([cell.score or 0.0 for cell in row], endings.units(*likely))
    own = endings.filled([cell.confidence for cell in row], endings.units())
    folded = fold(Batch.of(scores, own, weights, scored), panel)
    criteria_ok = np.ones(COMPLETIONS, bool)
    for votes in required:
        cast = scored & (
            endings.filled([vote.score is not None for vote in votes], endings.units()) > 0.1
        )
        met = endings.filled([vote.score or 0.0 for vote in votes], endings.units().round())
        found = statuses(fold(Batch.of(met, own, weights, cast), panel), panel)
        criteria_ok &= np.array([status is FindingStatus.MET for status in found])
    voters = sum(weight > 0 for weight in weights)
    answers: set[GateAnswer | str] = set()
    for i in range(COMPLETIONS):
        enough = folded.voters[i] >= panel.quorum
        result = weigh(
            folded.row(i) if enough else None,
            panel,
            gate,
            criteria_ok=bool(criteria_ok[i]),
            all_scored=folded.voters[i] == voters,
        )
        answers.add(result.answer)
        if enough and folded.row(i).tie and panel.tie is Tie.ESCALATE:
            answers.add("tie")
    return answers


@every_strategy
@given(
    case=cases(min_scored=0, wait=True),
    gate=gates,
    found=st.lists(findings, max_size=2),
    seed=st.integers(0, 2**32),
)
@law
def test_the_settled_answer_is_that_of_every_completion(
    strategy: StrategyName, case: Case, gate: Gate, found: list[list[float | None]], seed: int
) -> None:
    panel = case.under(strategy)
    required = [
        tuple(
            replace(cell, score=vote if cell.score is not None else None)
            for cell, vote in zip(case.row, votes, strict=False)
        )
        for votes in found
    ]
    answer = settled(panel, gate, case.row, *required)
    event(f"settled: {answer}")
    if answer is not None:
        assert answers_of_waiting(panel, gate, case.row, required, seed) == {answer}
