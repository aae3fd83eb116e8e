"""Tells of every step of a judgment while it is under way."""

import asyncio
import math
from collections.abc import Awaitable, Callable

import anyio
from anyio.streams.memory import MemoryObjectSendStream

from consensus.domain.decision import Decision, SeatResult, StageResult
from consensus.domain.ports import Observer
from consensus.service.calls import stray_cancellation
from consensus.v1 import consensus_pb2 as pb
from consensus.wire.decision import seat_to, stage_to
from consensus.wire.validation_results import reply


async def stream(
    request: pb.JudgeRequest,
    judge: Callable[[Observer], Awaitable[None]],
    observer: Observer,
    write: Callable[[pb.StreamJudgeResponse], Awaitable[None]],
) -> None:
    """Run `judge` and write each step that it tells of `request`; `observer` is told too.

    Raises what `judge` or `write` raised, bare.
    """
    send, receive = anyio.create_memory_object_stream[pb.StreamJudgeResponse](math.inf)
    failed: list[BaseException] = []  # raised at the end: the task group would wrap them

    async def tell() -> None:
        with send:
            try:
                await judge(_Events(request, observer, send))
            except asyncio.CancelledError as error:
                if not stray_cancellation():
                    raise
                failed.append(error)
            except Exception as error:  # noqa: BLE001 - raised below
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


class _Events:
    """An observer that also sends every step as an event."""

    def __init__(
        self,
        request: pb.JudgeRequest,
        observer: Observer,
        events: MemoryObjectSendStream[pb.StreamJudgeResponse],
    ) -> None:
        self._request = request
        self._observer = observer
        self._send = events.send_nowait

    def seat_started(self, stage: str, judge: str) -> None:
        """Tell that a judge was asked."""
        self._observer.seat_started(stage, judge)
        started = pb.SeatStarted(stage=stage, judge=judge)
        self._send(pb.StreamJudgeResponse(seat_started=started))

    def seat_finished(self, stage: str, seat: SeatResult) -> None:
        """Tell a seat's result."""
        self._observer.seat_finished(stage, seat)
        finished = pb.SeatFinished(stage=stage, seat=seat_to(seat))
        self._send(pb.StreamJudgeResponse(seat_finished=finished))

    def stage_finished(self, policy: str, stage: StageResult) -> None:
        """Tell a stage's result."""
        self._observer.stage_finished(policy, stage)
        finished = pb.StageFinished(stage=stage_to(stage))
        self._send(pb.StreamJudgeResponse(stage_finished=finished))

    def decided(self, decision: Decision) -> None:
        """Tell the decision."""
        self._observer.decided(decision)
        self._send(pb.StreamJudgeResponse(decision=reply(decision, self._request)))
