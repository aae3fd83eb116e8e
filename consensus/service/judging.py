"""Judges one request: validates it, finds its policy, runs the engine, remembers its answer."""

from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from consensus.cascade import Engine
from consensus.domain.decision import MAX_DEPTH, Decision
from consensus.domain.errors import DepthExceeded
from consensus.domain.gradient import Usage
from consensus.domain.policy import Overrides, Policy
from consensus.domain.ports import Observer
from consensus.domain.sandbox import SandboxRules
from consensus.domain.submission import Submission
from consensus.service import validation
from consensus.service.derive import derivation_of
from consensus.service.idempotency import Replays
from consensus.service.rulebook import RulesInForce
from consensus.service.sandboxed import require_sandbox
from consensus.service.traces import TraceReader
from consensus.v1 import consensus_pb2, decision_pb2, judge_pb2, submission_pb2
from consensus.wire.decision import hierarchy_from
from consensus.wire.policy import overrides_from
from consensus.wire.submission import given_as, submission_from, trace_given_as
from consensus.wire.validation_results import reply, reply_fields


class Judging:
    """What every RPC that judges has in common."""

    def __init__(
        self,
        engine: Engine,
        rules: RulesInForce,
        observer: Observer,
        replays: Replays,
        on_usage: Callable[[str, Usage], None] = lambda judge, usage: None,
    ) -> None:
        """`on_usage` is told what deriving a rubric took, and which judge."""
        self._engine = engine
        self._rules = rules
        self._observer = observer
        self._replays = replays
        self._on_usage = on_usage
        self._traces = TraceReader()

    async def decide(
        self, request: consensus_pb2.JudgeRequest, budget_seconds: float, path: str = ""
    ) -> decision_pb2.Decision | dict[str, Any]:
        """Return the decision, or the earlier one to the same request_id. Raises RequestError.

        A fresh one comes as the message's fields: a message would be copied into the reply.
        """
        validation.require(validation.judge_request(request, path))
        if not request.request_id:
            decision = await self._judge(request, budget_seconds, self._observer, path)
            return reply_fields(decision, request)

        async def judge() -> bytes:
            decision = await self._judge(request, budget_seconds, self._observer, path)
            return reply(decision, request).SerializeToString()

        content = request.SerializeToString(deterministic=True)
        earlier = await self._replays.once(request.request_id, content, judge)
        return decision_pb2.Decision.FromString(earlier)

    async def watch(
        self, request: consensus_pb2.JudgeRequest, budget_seconds: float, observer: Observer
    ) -> None:
        """Judge and tell `observer` of every step. Raises RequestError."""
        validation.require(validation.judge_request(request, "request."))
        await self._judge(request, budget_seconds, observer, "request.")

    async def evaluate(
        self, request: judge_pb2.EvaluateRequest, budget_seconds: float, path: str = ""
    ) -> Decision:
        """Return the decision of the policy that `request.judge` names. Raises RequestError."""
        validation.require(validation.evaluate_request(request, path))
        depth = request.hierarchy.depth
        if depth > MAX_DEPTH:  # what is beyond is neither validated nor looked at
            route = " > ".join(request.hierarchy.path[: MAX_DEPTH + 1])
            words = f"depth {depth} is above {MAX_DEPTH}: {route}"
            raise DepthExceeded(words, {"depth": str(depth), "path": route})
        rulebook = self._rules.current
        policy = rulebook.policy(request.judge, f"{path}judge")
        validation.require(validation.rubric_present(request.submission, policy, path))
        submission, memo, budget_seconds = await self._asked(
            request.submission, policy, rulebook.policies.sandbox, budget_seconds, path
        )
        return await self._engine.judge(
            submission,
            policy,
            rulebook.judges,
            self._observer,
            budget_seconds=budget_seconds,
            hierarchy=hierarchy_from(request.hierarchy),
            memo=memo,
            prover=rulebook.prover,
        )

    async def _judge(
        self,
        request: consensus_pb2.JudgeRequest,
        budget_seconds: float,
        observer: Observer,
        path: str,
    ) -> Decision:
        rulebook = self._rules.current
        policy = rulebook.policy(request.policy, f"{path}policy")
        derivation = None
        if request.HasField("derive_criteria"):
            derivation = derivation_of(request, policy, rulebook.judges, self._on_usage, path)
        else:
            validation.require(validation.rubric_present(request.submission, policy, path))
        submission, memo, budget_seconds = await self._asked(
            request.submission, policy, rulebook.policies.sandbox, budget_seconds, path
        )
        return await self._engine.judge(
            submission,
            self._overridden(policy, request, path),
            rulebook.judges,
            observer,
            budget_seconds=budget_seconds,
            max_cost_usd=request.max_cost_usd if request.HasField("max_cost_usd") else None,
            derivation=derivation,
            memo=memo,
            prover=rulebook.prover,
        )

    async def _asked(
        self,
        message: submission_pb2.Submission,
        policy: Policy,
        sandbox: SandboxRules,
        budget_seconds: float,
        path: str,
    ) -> tuple[Submission, dict[str, object], float]:
        """Return the submission, with the policy's rubric where it comes without one and with the
        spans of its trace; the memo of what of its message is still judged; and the budget left.
        """
        submission, memo = submission_from(message), given_as(message)
        if policy.rubric and not message.HasField("rubric"):
            submission, memo = replace(submission, rubric=policy.rubric), trace_given_as(message)
        require_sandbox(submission.rubric, sandbox, f"{path}submission.rubric.criteria")
        if not message.HasField("trace"):
            return submission, memo, budget_seconds
        at = f"{path}submission.trace"
        return await self._traces.traced(submission, memo, message.trace, budget_seconds, at)

    def _overridden(self, policy: Policy, request: consensus_pb2.JudgeRequest, path: str) -> Policy:
        if not request.HasField("overrides"):
            return policy
        wanted = overrides_from(request.overrides)
        if wanted == Overrides():
            return policy
        validation.require(validation.overrides(wanted, policy, path))
        return validation.overridden(policy, wanted)
