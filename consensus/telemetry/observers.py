"""Observers of observers: several at once, and those of nested decisions."""

import logging

from consensus.domain.decision import Decision, Hierarchy, SeatResult, StageResult
from consensus.domain.policy import Policy
from consensus.domain.ports import Observer, SilentObserver

log = logging.getLogger("consensus.decisions")


class Observers:
    """Tells several observers, each only of what it listens to."""

    def __init__(self, *observers: Observer) -> None:
        self._observers = observers
        self._by_decision = any(_listens(o, "begun") for o in observers)
        self._begun = [o.stage_started for o in observers if _listens(o, "stage_started")]
        self._started = [o.seat_started for o in observers if _listens(o, "seat_started")]
        self._finished = [o.seat_finished for o in observers if _listens(o, "seat_finished")]
        self._staged = [o.stage_finished for o in observers if _listens(o, "stage_finished")]
        self._decided = [o.decided for o in observers if _listens(o, "decided")]

    def begun(self, policy: Policy, place: Hierarchy) -> Observer:
        """Return these, or where one has another for each decision, those of this one."""
        if not self._by_decision:
            return self
        return type(self)(*[observer.begun(policy, place) for observer in self._observers])

    def stage_started(self, stage: str) -> None:
        """Pass it on."""
        for tell in self._begun:
            tell(stage)

    def seat_started(self, stage: str, judge: str) -> None:
        """Pass it on."""
        for tell in self._started:
            tell(stage, judge)

    def seat_finished(self, stage: str, seat: SeatResult) -> None:
        """Pass it on."""
        for tell in self._finished:
            tell(stage, seat)

    def stage_finished(self, policy: str, stage: StageResult) -> None:
        """Pass it on."""
        for tell in self._staged:
            tell(policy, stage)

    def decided(self, decision: Decision) -> None:
        """Pass it on."""
        for tell in self._decided:
            tell(decision)


class NestedObservers(Observers):
    """Tells several observers of nested decisions: of seats and stages as of any other. The
    decisions themselves are parts of an answer and none of their own: logged at debug, not counted.
    """

    def decided(self, decision: Decision) -> None:
        """Write the decision's place in the chain, and its verdict."""
        log.debug(
            "nested decision",
            extra={
                "decision_id": decision.decision_id,
                "parent_decision_id": decision.hierarchy.parent_decision_id,
                "depth": decision.hierarchy.depth,
                "policy": decision.policy,
                "policy_revision": decision.policy_revision,
                "verdict": decision.verdict.value,
                "duration_ms": round(decision.duration_seconds * 1000, 3),
            },
        )


def _listens(observer: Observer, method: str) -> bool:
    return getattr(type(observer), method, None) is not getattr(SilentObserver, method)
