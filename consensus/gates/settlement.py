"""Early settlement: whether a gate's answer is certain before every judge has answered."""

import itertools
from collections.abc import Sequence

from consensus.domain.decision import GateAnswer
from consensus.domain.fold import Bounds, Interval
from consensus.domain.policy import Gate, Panel, StrategyName, Tie
from consensus.gates.gate import answer, pass_bar

_EITHER = (True, False)


def settled_answer(
    bounds: Bounds | None,
    panel: Panel,
    gate: Gate,
    *,
    required_met: Sequence[bool | None],
    scored: int,
    outstanding: int,
    missing: int,
) -> GateAnswer | None:
    """Return the answer that every completion leads to, or None while it is open.

    `required_met` tells for each required criterion whether it is certain to be MET (True), not to
    be (False), or open (None). `scored`, `outstanding` and `missing` count seats of positive
    weight. `bounds` may be None only where the quorum is out of reach.
    """
    if scored + outstanding < panel.quorum:
        return GateAnswer.NO_QUORUM
    if bounds is None or scored < panel.quorum:
        return None
    if _tie_would_escalate(bounds.final, panel):
        return None
    answers = {
        answer(
            score_ok=score_ok,
            confidence_ok=confidence_ok,
            agreement_ok=agreement_ok,
            criteria_ok=criteria_ok,
            quorum_ok=True,
            seats_ok=seats_ok,
        )
        for score_ok, confidence_ok, agreement_ok, criteria_ok, seats_ok in itertools.product(
            _possible(bounds.final, pass_bar(panel, gate)),
            _possible(bounds.confidence, gate.min_confidence),
            _possible_agreement(bounds, gate),
            _possible_criteria(required_met),
            _possible_seats(panel, outstanding, missing),
        )
    }
    return answers.pop() if len(answers) == 1 else None


def _possible(interval: Interval, bound: float) -> tuple[bool, ...]:
    if interval.always_reaches(bound):
        return (True,)
    return (False,) if interval.never_reaches(bound) else _EITHER


def _possible_agreement(bounds: Bounds, gate: Gate) -> tuple[bool, ...]:
    possible = _possible(bounds.agreement, gate.min_agreement)
    if bounds.agreement_certain or gate.min_agreement == 0 or possible == (False,):
        return possible
    return _EITHER


def _possible_criteria(required_met: Sequence[bool | None]) -> tuple[bool, ...]:
    if any(met is False for met in required_met):
        return (False,)
    return (True,) if all(required_met) else _EITHER


def _possible_seats(panel: Panel, outstanding: int, missing: int) -> tuple[bool, ...]:
    if panel.strategy is not StrategyName.UNANIMOUS:
        return (True,)
    if missing:
        return (False,)
    return _EITHER if outstanding else (True,)


def _tie_would_escalate(final: Interval, panel: Panel) -> bool:
    if panel.strategy is not StrategyName.MAJORITY or panel.tie is not Tie.ESCALATE:
        return False
    return final.low <= 0.5 <= final.high
