"""The audit: what judges were asked, when and with what result, as log lines of their own.

Every line has ids, numbers and codes; nothing of what was judged or of what a judge has said.
"""

import datetime
import logging
from collections.abc import Callable

from msgspec import Struct

from consensus.domain.decision import Hierarchy, SeatResult, StageResult
from consensus.domain.execution import ChildExecution, ChildExecutions
from consensus.domain.gradient import Failure
from consensus.domain.policy import Policy
from consensus.domain.ports import Observer, SilentObserver

log = logging.getLogger("consensus.audit")


class AuditEvent(Struct, frozen=True):
    """A kind of line."""

    name: str
    """The line's message."""
    fields: tuple[str, ...]
    """What it tells, beside timestamp, level, logger, message and trace id."""
    help: str


_CHILD = ("execution_id", "parent_decision_id", "depth", "path", "policy", "stage", "judge")
_STAGE = ("decision_id", "depth", "path", "policy", "stage")
_STARTED = AuditEvent("execution_started", (*_CHILD, "start"), "A judge was asked.")
_FINISHED = AuditEvent(
    "execution_finished",
    (*_CHILD, "start", "end", "status", "score", "confidence", "failure"),
    "Its seat has its result: score and confidence where it scored, the failure's kind where it"
    " failed.",
)
_FAULT = AuditEvent(
    "judge_fault",
    (*_CHILD, "failure"),
    "A seat has failed, or was refused for what its judge could cost.",
)
_SINGLE = AuditEvent(
    "gradient_validation_performed",
    (*_STAGE, "judge", "score", "confidence"),
    "A stage of one judge has come to a score. Shadow seats are not counted.",
)
_PANEL = AuditEvent(
    "multi_judge_consensus",
    (*_STAGE, "judge_scores", "final_score", "confidence"),
    "A stage of several judges has come to a score; `judge_scores` has those that scored, by name.",
)
EVENTS = (_STARTED, _FINISHED, _FAULT, _SINGLE, _PANEL)
"""Every kind of line. A field without a value is null."""


class AuditLog(SilentObserver):
    """Writes what happens in every decision. Written at any log level."""

    def __init__(self, now: Callable[[], datetime.datetime]) -> None:
        """`now` tells the time in UTC."""
        self._now = now

    def begun(self, policy: Policy, place: Hierarchy) -> Observer:
        """Return who writes down this decision."""
        return _Audit(policy.name, place, ChildExecutions(policy, place, self._now))


class _Audit(SilentObserver):
    """Writes down one decision."""

    def __init__(self, policy: str, place: Hierarchy, children: ChildExecutions) -> None:
        self._policy = policy
        self._place = place
        self._children = children

    def seat_started(self, stage: str, judge: str) -> None:
        """Write that a judge was asked."""
        child = self._children.started(stage, judge)
        _write(_STARTED, *self._child(child.execution_id, stage, judge), _said(child.start_time))

    def seat_finished(self, stage: str, seat: SeatResult) -> None:
        """Write what became of it."""
        child = self._children.finished(stage, seat)
        told = self._child(child.execution_id, stage, seat.judge)
        gradient, failure = seat.gradient, _failure(seat)
        _write(
            _FINISHED,
            *told,
            *_times(child),
            seat.status.value,
            gradient.score if gradient else None,
            gradient.confidence if gradient else None,
            failure,
        )
        if failure is not None:
            _write(_FAULT, *told, failure)

    def stage_finished(self, policy: str, stage: StageResult) -> None:
        """Write what the panel came to, and which judges it was not allowed to ask."""
        consensus = stage.consensus
        if consensus is None:
            return
        for seat in consensus.seats:
            failure = _failure(seat)
            if failure is not None and not seat.attempts:
                identity = self._children.identity(stage.stage, seat.judge)
                _write(_FAULT, *self._child(identity, stage.stage, seat.judge), failure)
        if consensus.final_score is None:
            return
        place = self._place
        told = (place.parent_decision_id, place.depth - 1, place.path[:-1], policy, stage.stage)
        seats = [seat for seat in consensus.seats if not seat.shadow]
        scores = {seat.judge: seat.gradient.score for seat in seats if seat.gradient is not None}
        if len(seats) == 1:
            _write(_SINGLE, *told, seats[0].judge, consensus.final_score, consensus.confidence)
        else:
            _write(_PANEL, *told, scores, consensus.final_score, consensus.confidence)

    def _child(self, identity: str, stage: str, judge: str) -> tuple[object, ...]:
        place = self._place
        above = (place.parent_decision_id, place.depth, place.path)
        return (identity, *above, self._policy, stage, judge)


def _failure(seat: SeatResult) -> str | None:
    return seat.answer.kind.value if isinstance(seat.answer, Failure) else None


def _times(child: ChildExecution) -> tuple[str, str | None]:
    return _said(child.start_time), _said(child.end_time) if child.end_time else None


def _said(moment: datetime.datetime) -> str:
    return moment.isoformat()


def _write(event: AuditEvent, *values: object) -> None:
    facts = dict(zip(event.fields, values, strict=True))
    info = {"name": log.name, "levelno": logging.INFO, "levelname": "INFO", "msg": event.name}
    log.handle(logging.makeLogRecord(info | facts))  # past the level: this log has its own switch
