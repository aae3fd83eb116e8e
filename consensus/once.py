"""ONE JUDGMENT: what a server does with a request, done once in this process and without a port."""

from consensus.app import SystemClock
from consensus.bench import Bench
from consensus.cascade import Engine
from consensus.cascade.tool_call import ToolCalls
from consensus.domain.policy import PolicySet
from consensus.domain.ports import Observer
from consensus.domain.submission import Criterion
from consensus.service.derive import derived_rubric
from consensus.service.idempotency import Replays
from consensus.service.judging import Judging
from consensus.service.rulebook import Rulebook, RulesInForce
from consensus.service.tool_calls import ToolCallJudging
from consensus.v1 import consensus_pb2, tool_call_pb2


async def judge_once(
    policies: PolicySet,
    request: consensus_pb2.JudgeRequest,
    budget_seconds: float,
    observer: Observer,
) -> None:
    """Judge one request in this process and tell `observer` of every step. Raises RequestError."""
    clock = SystemClock()
    engine = Engine(clock)
    judges = Bench(policies, engine, clock)
    rules = RulesInForce(Rulebook(policies, judges, judges.prover))
    judging = Judging(engine, rules, observer, Replays(clock, lambda: None))
    try:
        await judging.watch(request, budget_seconds, observer)
    finally:
        await judges.close(0)


async def judge_tool_once(
    policies: PolicySet,
    request: tool_call_pb2.JudgeToolCallRequest,
    budget_seconds: float,
    observer: Observer,
) -> tool_call_pb2.JudgeToolCallResponse:
    """Judge one tool call in this process and tell `observer` of each step. Raises RequestError."""
    clock = SystemClock()
    engine = Engine(clock)
    judges = Bench(policies, engine, clock)
    rules = RulesInForce(Rulebook(policies, judges, judges.prover))
    judging = ToolCallJudging(ToolCalls(engine), rules, observer, lambda verdict, seconds: None)
    try:
        return await judging.judge(request, budget_seconds)
    finally:
        await judges.close(0)


async def derive_once(
    policies: PolicySet, request: consensus_pb2.JudgeRequest, budget_seconds: float
) -> tuple[Criterion, ...]:
    """Derive the rubric that `request` asks for, in this process. Raises RequestError."""
    clock = SystemClock()
    judges = Bench(policies, Engine(clock), clock)
    try:
        rulebook = Rulebook(policies, judges, judges.prover)
        return await derived_rubric(request, rulebook, clock, budget_seconds)
    finally:
        await judges.close(0)
