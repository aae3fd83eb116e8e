"""JudgeService: a policy can be called as a judge."""

from collections.abc import Callable

from consensus.domain.decision import Decision
from consensus.domain.nesting import as_answer
from consensus.service.batch import judge_each
from consensus.service.calls import Context
from consensus.service.deadline import Countdown, DeadlineLimits
from consensus.service.judging import Judging
from consensus.service.rulebook import RulesInForce
from consensus.service.sizes import fitting
from consensus.v1 import judge_pb2 as pb
from consensus.v1 import judge_pb2_grpc
from consensus.wire.gradient import answer_to


class JudgeServicer(judge_pb2_grpc.JudgeServiceServicer):
    """Serves policies as judges."""

    def __init__(
        self,
        judging: Judging,
        rules: RulesInForce,
        limits: DeadlineLimits,
        *,
        on_budget: Callable[[float], None],
        max_message_bytes: int,
    ) -> None:
        self._judging = judging
        self._rules = rules
        self._limits = limits
        self._on_budget = on_budget
        self._max_bytes = max_message_bytes

    async def Evaluate(self, request: pb.EvaluateRequest, context: Context) -> pb.EvaluateResponse:
        """Judge one submission by the policy that `judge` names."""
        decision = await self._judging.evaluate(request, self._budget(context))
        return fitting(_response(decision), self._max_bytes)

    async def EvaluateBatch(
        self, request: pb.EvaluateBatchRequest, context: Context
    ) -> pb.EvaluateBatchResponse:
        """Judge up to 1,000 submissions."""
        budget = Countdown(self._budget(context))

        async def judge(item: pb.EvaluateRequest, index: int) -> pb.EvaluateResponse:
            decision = await self._judging.evaluate(item, budget.left(), f"requests[{index}].")
            return _response(decision)

        replies = await judge_each(request.requests, judge, self._max_bytes)
        return pb.EvaluateBatchResponse(
            results=[
                pb.EvaluateBatchResult(error=reply)
                if isinstance(reply, pb.ItemError)
                else pb.EvaluateBatchResult(response=reply)
                for reply in replies
            ]
        )

    async def DescribeJudge(
        self, request: pb.DescribeJudgeRequest, context: Context
    ) -> pb.DescribeJudgeResponse:
        """Tell what a policy is as a judge."""
        policy = self._rules.current.policy(request.judge, "judge")
        return pb.DescribeJudgeResponse(
            judge=policy.name,
            kind="policy",
            description=policy.description,
            revision=policy.revision,
        )

    def _budget(self, context: Context) -> float:
        budget = self._limits.budget(context.time_remaining())
        self._on_budget(budget)
        return budget


def _response(decision: Decision) -> pb.EvaluateResponse:
    return answer_to(as_answer(decision), decision.usage)
