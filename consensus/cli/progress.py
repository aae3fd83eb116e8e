"""Shows which judges are being waited for, on a terminal's stderr, and gathers the decision."""

from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TaskID, TextColumn, TimeElapsedColumn

from consensus.cascade.admission import plain
from consensus.domain.decision import Decision, Hierarchy, SeatResult, SeatStatus
from consensus.domain.execution import STATE_AFTER, ExecutionState
from consensus.domain.policy import Policy
from consensus.domain.ports import Observer, SilentObserver
from consensus.v1 import consensus_pb2, decision_pb2
from consensus.wire.decision import SEAT_STATUS_TO
from consensus.wire.validation_results import reply

_STATUS = {number: status for status, number in SEAT_STATUS_TO.items()}


class JudgingProgress(SilentObserver):
    """An observer that draws where the execution stands, and one line for each judge while it is
    asked.
    """

    def __init__(self, request: consensus_pb2.JudgeRequest | None = None) -> None:
        """`request` says what the decision carries; None: nothing that must be asked for."""
        self._request = request or consensus_pb2.JudgeRequest()
        self.decision: decision_pb2.Decision | None = None
        console = Console(stderr=True)
        self._progress = Progress(
            SpinnerColumn(finished_text=" "),
            TextColumn("{task.description}", markup=False),
            TimeElapsedColumn(),
            console=console,
            transient=True,
            disable=not console.is_terminal,
        )
        self._state: TaskID | None = None
        self._lines: dict[tuple[str, str], TaskID] = {}

    def __enter__(self) -> Self:
        self._progress.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._progress.stop()

    def enter(self, state: ExecutionState) -> None:
        """Draw the execution's state."""
        if self._state is None:
            self._state = self._progress.add_task(state.value, total=None)
        self._progress.update(self._state, description=state.value)

    def begun(self, policy: Policy, place: Hierarchy) -> Observer:
        """Draw that the attempt is in."""
        self.enter(ExecutionState.RUNNING)
        return self

    def stage_started(self, stage: str) -> None:
        """Draw that it is looked at."""
        self.enter(ExecutionState.VALIDATING)

    def seat_started(self, stage: str, judge: str) -> None:
        """Draw a line."""
        line = self._progress.add_task(plain(f"{stage} / {judge}", 78), total=1)
        self._lines[stage, judge] = line

    def seat_finished(self, stage: str, seat: SeatResult) -> None:
        """Finish the line."""
        self.finish(stage, seat.judge, seat.status, seat.gradient.score if seat.gradient else None)

    def finish(self, stage: str, judge: str, status: SeatStatus, score: float | None) -> None:
        """Finish a judge's line with what became of it."""
        line = self._lines.get((stage, judge))
        if line is not None:
            result = f"{score:.2f}" if score is not None else status.value
            description = f"{plain(f'{stage} / {judge}', 68)}: {result}"
            self._progress.update(line, description=description, completed=1)

    def finish_seat(self, stage: str, seat: decision_pb2.SeatResult) -> None:
        """Finish the line of a seat that a server tells of."""
        scored = seat.WhichOneof("answer") == "gradient"
        status = _STATUS.get(seat.status, SeatStatus.FAILED)
        self.finish(stage, seat.judge, status, seat.gradient.score if scored else None)

    def decided(self, decision: Decision) -> None:
        """Draw the last state and keep the decision."""
        self.enter(STATE_AFTER[decision.verdict])
        self.decision = reply(decision, self._request)
