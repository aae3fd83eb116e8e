"""ConsensusService: Judge, StreamJudge, BatchJudge, JudgeToolCall, ListPolicies."""

from collections.abc import Callable

from consensus.domain.errors import InvalidRequest, Violation
from consensus.domain.ports import Observer
from consensus.service.batch import judge_each
from consensus.service.calls import Context
from consensus.service.deadline import Countdown, DeadlineLimits
from consensus.service.judging import Judging
from consensus.service.rulebook import RulesInForce
from consensus.service.sizes import fitting
from consensus.service.streaming import Now, stream
from consensus.service.tool_calls import ToolCallJudging
from consensus.v1 import consensus_pb2 as pb
from consensus.v1 import consensus_pb2_grpc, judge_pb2, tool_call_pb2
from consensus.validators import describe
from consensus.wire.policy import policies_to


class ConsensusServicer(consensus_pb2_grpc.ConsensusServiceServicer):
    """Serves decisions."""

    def __init__(
        self,
        judging: Judging,
        tool_calls: ToolCallJudging,
        rules: RulesInForce,
        limits: DeadlineLimits,
        observer: Observer,
        *,
        on_budget: Callable[[float], None],
        on_event: Callable[[], None],
        max_message_bytes: int,
        now: Now,
    ) -> None:
        """`now` tells the time in UTC."""
        self._judging = judging
        self._tool_calls = tool_calls
        self._rules = rules
        self._limits = limits
        self._observer = observer
        self._on_budget = on_budget
        self._on_event = on_event
        self._max_bytes = max_message_bytes
        self._now = now

    async def Judge(self, request: pb.JudgeRequest, context: Context) -> pb.JudgeResponse:
        """Judge one submission."""
        decision = await self._judging.decide(request, self._budget(context))
        return fitting(pb.JudgeResponse(decision=decision), self._max_bytes)

    async def StreamJudge(self, request: pb.StreamJudgeRequest, context: Context) -> None:
        """Judge one submission and write every step."""
        if not request.HasField("request"):
            raise InvalidRequest([Violation("request", "is missing")])
        if request.request.request_id:
            words = "is set; a stream is not replayed, use Judge"
            raise InvalidRequest([Violation("request.request_id", words)])
        budget = self._budget(context)

        async def judge(observer: Observer) -> None:
            await self._judging.watch(request.request, budget, observer)

        async def write(event: pb.StreamJudgeResponse) -> None:
            await context.write(fitting(event, self._max_bytes))
            self._on_event()

        await stream(request.request, judge, self._observer, write, self._now)

    async def BatchJudge(
        self, request: pb.BatchJudgeRequest, context: Context
    ) -> pb.BatchJudgeResponse:
        """Judge up to 1,000 requests."""
        budget = Countdown(self._budget(context))

        async def judge(item: pb.JudgeRequest, index: int) -> pb.BatchJudgeResult:
            decision = await self._judging.decide(item, budget.left(), f"requests[{index}].")
            return pb.BatchJudgeResult(decision=decision)

        replies = await judge_each(request.requests, judge, self._max_bytes)
        return pb.BatchJudgeResponse(
            results=[
                pb.BatchJudgeResult(error=reply)
                if isinstance(reply, judge_pb2.ItemError)
                else reply
                for reply in replies
            ]
        )

    async def JudgeToolCall(
        self, request: tool_call_pb2.JudgeToolCallRequest, context: Context
    ) -> tool_call_pb2.JudgeToolCallResponse:
        """Judge one tool call before it runs."""
        reply = await self._tool_calls.judge(request, self._budget(context))
        return fitting(reply, self._max_bytes)

    async def ListPolicies(
        self, request: pb.ListPoliciesRequest, context: Context
    ) -> pb.ListPoliciesResponse:
        """List the policies as loaded."""
        return policies_to(self._rules.current.policies, describe)

    def _budget(self, context: Context) -> float:
        budget = self._limits.budget(context.time_remaining())
        self._on_budget(budget)
        return budget
