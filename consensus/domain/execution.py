"""Executions: where a worker's stands, and each call of a judge as one below the decision."""

import datetime
from collections.abc import Callable

from msgspec import Struct

from consensus.domain.decision import Hierarchy, SeatResult, Verdict
from consensus.domain.policy import Policy
from consensus.domain.words import Word


class ExecutionState(Word):
    """Where a worker's execution stands (AEGIS)."""

    RUNNING = "running"
    """The worker's attempt is in; no stage has begun."""
    VALIDATING = "validating"
    """Stages are at work."""
    REFINING = "refining"
    """The worker is to try again."""
    SUCCESS = "success"
    """The attempt is good enough."""
    FAILED = "failed"
    """The execution ends without success."""


STATE_AFTER = {
    Verdict.ACCEPT: ExecutionState.SUCCESS,
    Verdict.RETRY: ExecutionState.REFINING,
    Verdict.ESCALATE: ExecutionState.FAILED,
}
"""Where each verdict leaves the worker's execution."""


class ChildExecution(Struct, frozen=True, kw_only=True):
    """One call of a judge, as an execution below the decision that asked for it."""

    execution_id: str
    """The decision's id, the stage and the seat's place in the panel from 0, with `/` between."""
    place: Hierarchy
    """Its parent, how many decisions stand above it (1 to MAX_DEPTH + 1), and which."""
    start_time: datetime.datetime
    end_time: datetime.datetime | None = None
    """None while the judge is at work."""


class ChildExecutions:
    """The calls of judges that one decision makes, from their starts to their ends."""

    def __init__(
        self, policy: Policy, place: Hierarchy, now: Callable[[], datetime.datetime]
    ) -> None:
        """`place`: of what the decision asks for; `now` tells the time in UTC."""
        self._place = place
        self._now = now
        self._index = {
            (stage.name, seat.judge): index
            for stage in policy.stages
            if stage.panel is not None
            for index, seat in enumerate(stage.panel.seats)
        }
        self._started: dict[tuple[str, str], datetime.datetime] = {}

    def identity(self, stage: str, judge: str) -> str:
        """Return the execution id of a judge's call in a stage of the policy."""
        return f"{self._place.parent_decision_id}/{stage}/{self._index[stage, judge]}"

    def started(self, stage: str, judge: str) -> ChildExecution:
        """Return the execution of a judge that is asked now."""
        self._started[stage, judge] = began = self._now()
        return ChildExecution(
            execution_id=self.identity(stage, judge), place=self._place, start_time=began
        )

    def finished(self, stage: str, seat: SeatResult) -> ChildExecution:
        """Return the execution of a seat that was started and has its result."""
        began = self._started.pop((stage, seat.judge))
        return ChildExecution(
            execution_id=self.identity(stage, seat.judge),
            place=self._place,
            start_time=began,
            end_time=began + datetime.timedelta(seconds=seat.duration_seconds),
        )
