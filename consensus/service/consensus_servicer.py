"""ConsensusService: Judge, StreamJudge, BatchJudge, ListPolicies."""

import math
from collections.abc import Callable

import anyio
from anyio.streams.memory import MemoryObjectSendStream

from consensus.domain.decision import Decision, SeatResult, StageResult
from consensus.domain.errors import InvalidRequest, RequestError, Violation
from consensus.domain.ports import Observer
from consensus.service.batch import judge_each
from consensus.service.calls import Context
from consensus.service.deadline import DeadlineLimits
from consensus.service.judging import Judging
from consensus.service.rulebook import RulesInForce
from consensus.v1 import consensus_pb2 as pb
from consensus.v1 import consensus_pb2_grpc, decision_pb2, judge_pb2
from consensus.validators import describe
from consensus.wire.decision import decision_to, seat_to, stage_to
from consensus.wire.policy import policies_to


class ConsensusServicer(consensus_pb2_grpc.ConsensusServiceServicer):
    """Serves decisions."""

    def __init__(
        self,
        judging: Judging,
        rules: RulesInForce,
        limits: DeadlineLimits,
        observer: Observer,
        *,
        on_budget: Callable[[float], None],
        on_event: Callable[[], None],
        max_message_bytes: int,
    ) -> None:
        self._judging = judging
        self._rules = rules
        self._limits = limits
        self._observer = observer
        self._on_budget = on_budget
        self._on_event = on_event
        self._max_bytes = max_message_bytes

    async def Judge(self, request: pb.JudgeRequest, context: Context) -> pb.JudgeResponse:
        """Judge one submission."""
        decision = await self._judging.decide(request, self._budget(context))
        return pb.JudgeResponse(decision=decision)

    async def StreamJudge(self, request: pb.StreamJudgeRequest, context: Context) -> None:
        """Judge one submission and write every step."""
        if not request.HasField("request"):
            raise InvalidRequest([Violation("request", "is missing")])
        if request.request.request_id:
            words = "is set; a stream is not replayed, use Judge"
            raise InvalidRequest([Violation("request.request_id", words)])
        budget = self._budget(context)
        send, receive = anyio.create_memory_object_stream[pb.StreamJudgeResponse](math.inf)
        refused: list[RequestError] = []

        async def judge() -> None:
            with send:
                try:
                    observer = _Events(self._observer, send)
                    await self._judging.watch(request.request, budget, observer)
                except RequestError as error:  # raised below: a task group would wrap it
                    refused.append(error)

        async with anyio.create_task_group() as group:
            group.start_soon(judge)
            with receive:
                async for event in receive:
                    await context.write(event)
                    self._on_event()
        if refused:
            raise refused[0]

    async def BatchJudge(
        self, request: pb.BatchJudgeRequest, context: Context
    ) -> pb.BatchJudgeResponse:
        """Judge up to 1,000 requests."""
        budget = self._budget(context)

        async def judge(item: pb.JudgeRequest, index: int) -> decision_pb2.Decision:
            return await self._judging.decide(item, budget, f"requests[{index}].")

        replies = await judge_each(request.requests, judge, self._max_bytes)
        return pb.BatchJudgeResponse(
            results=[
                pb.BatchJudgeResult(error=reply)
                if isinstance(reply, judge_pb2.ItemError)
                else pb.BatchJudgeResult(decision=reply)
                for reply in replies
            ]
        )

    async def ListPolicies(
        self, request: pb.ListPoliciesRequest, context: Context
    ) -> pb.ListPoliciesResponse:
        """List the policies as loaded."""
        return policies_to(self._rules.current.policies, describe)

    def _budget(self, context: Context) -> float:
        budget = self._limits.budget(context.time_remaining())
        self._on_budget(budget)
        return budget


class _Events:
    """An observer that also sends every step as an event."""

    def __init__(
        self, observer: Observer, events: MemoryObjectSendStream[pb.StreamJudgeResponse]
    ) -> None:
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
        self._send(pb.StreamJudgeResponse(decision=decision_to(decision)))
