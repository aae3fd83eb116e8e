"""Tells of every step of a judgment while it is under way."""

import asyncio
import datetime
import math
from collections.abc import Awaitable, Callable

import anyio

from consensus.domain.decision import Decision, Hierarchy, SeatResult, StageResult
from consensus.domain.execution import STATE_AFTER, ChildExecutions, ExecutionState
from consensus.domain.policy import Policy
from consensus.domain.ports import Observer, SilentObserver
from consensus.v1 import consensus_pb2 as pb
from consensus.wire.decision import seat_to, stage_to
from consensus.wire.execution import child_to, state_changed_to
from consensus.wire.validation_results import reply

Now = Callable[[], datetime.datetime]
_Send = Callable[[pb.StreamJudgeResponse], None]


async def stream(
    request: pb.JudgeRequest,
    judge: Callable[[Observer], Awaitable[None]],
    observer: Observer,
    write: Callable[[pb.StreamJudgeResponse], Awaitable[None]],
    now: Now,
) -> None:
    """Run `judge` and write each step that it tells of `request`; `observer` is told too.

    `now` tells the time in UTC, for the events that carry one.
    Raises what `judge` or `write` raised, bare.
    """
    send, receive = anyio.create_memory_object_stream[pb.StreamJudgeResponse](math.inf)
    failed: list[BaseException] = []  # raised at the end: the task group would wrap them

    async def tell() -> None:
        with send:
            try:
                await judge(_Beginning(request, observer, send.send_nowait, now))
            except (Exception, asyncio.CancelledError) as error:  # noqa: BLE001 - raised below
                failed.append(error)

    with receive:  # outlives the judging: an observer must not raise because nobody reads
        async with anyio.create_task_group() as group:
            group.start_soon(tell)
            try:
                async for event in receive:
                    await write(event)
            except Exception as error:  # noqa: BLE001 - raised below
                failed.append(error)
                group.cancel_scope.cancel()
    if failed:
        raise failed[0]


class _Beginning(SilentObserver):
    """Waits for the decision that a stream is about."""

    def __init__(self, request: pb.JudgeRequest, observer: Observer, send: _Send, now: Now) -> None:
        self._request = request
        self._observer = observer
        self._send = send
        self._now = now

    def begun(self, policy: Policy, place: Hierarchy) -> Observer:
        """Tell that the worker's attempt is in, and of each step from here on."""
        observer = self._observer.begun(policy, place)
        children = ChildExecutions(policy, place, self._now)
        events = _Events(self._request, observer, self._send, children, self._now)
        events.enter(ExecutionState.RUNNING)
        return events


class _Events(SilentObserver):
    """An observer of one decision that also sends every step as an event."""

    def __init__(
        self,
        request: pb.JudgeRequest,
        observer: Observer,
        send: _Send,
        children: ChildExecutions,
        now: Now,
    ) -> None:
        self._request = request
        self._observer = observer
        self._send = send
        self._children = children
        self._now = now
        self._validating = False

    def enter(self, state: ExecutionState) -> None:
        """Tell that the worker's execution has come to a state."""
        changed = state_changed_to(state, self._now())
        self._send(pb.StreamJudgeResponse(state_changed=changed))

    def stage_started(self, stage: str) -> None:
        """Tell of the first stage that the attempt is looked at."""
        self._observer.stage_started(stage)
        if not self._validating:
            self._validating = True
            self.enter(ExecutionState.VALIDATING)

    def seat_started(self, stage: str, judge: str) -> None:
        """Tell that a judge was asked."""
        self._observer.seat_started(stage, judge)
        child = child_to(self._children.started(stage, judge))
        started = pb.SeatStarted(stage=stage, judge=judge, child=child)
        self._send(pb.StreamJudgeResponse(seat_started=started))

    def seat_finished(self, stage: str, seat: SeatResult) -> None:
        """Tell a seat's result."""
        self._observer.seat_finished(stage, seat)
        child = child_to(self._children.finished(stage, seat))
        finished = pb.SeatFinished(stage=stage, seat=seat_to(seat), child=child)
        self._send(pb.StreamJudgeResponse(seat_finished=finished))

    def stage_finished(self, policy: str, stage: StageResult) -> None:
        """Tell a stage's result."""
        self._observer.stage_finished(policy, stage)
        finished = pb.StageFinished(stage=stage_to(stage))
        self._send(pb.StreamJudgeResponse(stage_finished=finished))

    def decided(self, decision: Decision) -> None:
        """Tell where that leaves the worker's execution, and the decision."""
        self._observer.decided(decision)
        self.enter(STATE_AFTER[decision.verdict])
        self._send(pb.StreamJudgeResponse(decision=reply(decision, self._request)))
