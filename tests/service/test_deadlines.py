"""Deadlines: a caller's deadline never costs the answer that partial seats could give."""

import math

import grpc
import pytest

from consensus.domain.errors import BudgetSpent
from consensus.service.batch import CONCURRENCY, item_error
from consensus.service.deadline import Countdown, DeadlineLimits
from consensus.v1 import consensus_pb2, judge_pb2
from consensus.v1 import decision_pb2 as pb
from tests.service.refusal import events, refused
from tests.service.running import HEALTH, policy, request, rules, serving, submission
from tests.service.scripted_judge import Hanging, answers, backend, gradient

LIMITS = DeadlineLimits(default_seconds=30, max_seconds=120)


@pytest.mark.parametrize(
    ("remaining", "budget"),
    [(None, 29.4), (10.0, 9.8), (1.0, 0.9), (0.1, 0.075), (500.0, 117.6), (0.004, 0.003)],
)
def test_the_budget_is_the_remaining_time_within_limits_less_a_reserve(
    remaining: float | None, budget: float
) -> None:
    assert math.isclose(LIMITS.budget(remaining), budget)


@pytest.mark.parametrize("remaining", [0.0, -1.0, 0.002, 1e-9])
def test_a_budget_too_small_for_any_judge_is_refused(remaining: float) -> None:
    with pytest.raises(BudgetSpent):
        LIMITS.budget(remaining)


@pytest.mark.parametrize(
    ("limits", "timeout"),
    [
        ({"default_deadline_seconds": 0.4}, None),
        ({"max_deadline_seconds": 0.4}, 60.0),
        ({}, 0.8),
    ],
    ids=["the default where none is given", "the server's maximum", "the caller's own"],
)
async def test_a_judge_that_hangs_costs_its_seat_before_the_deadline(
    limits: dict[str, float], timeout: float | None
) -> None:
    hanging = Hanging()
    async with (
        backend(hanging=hanging, good=answers(gradient(0.9))) as judges,
        serving(rules(judges.target, default=policy("hanging", "good")), **limits) as server,
    ):
        decision = (await server.consensus.Judge(request(), timeout=timeout)).decision
        late, good = decision.stages[0].consensus.individual_results
        assert (late.status, late.failure.kind) == (
            pb.SEAT_STATUS_FAILED,
            pb.FAILURE_KIND_TIMEOUT,
        )
        assert good.status == pb.SEAT_STATUS_SCORED
        assert decision.verdict == pb.VERDICT_ACCEPT
        await hanging.cancelled.reaches()
        assert server.value("consensus_judge_inflight", judge="hanging") == 0
        assert server.value("consensus_judge_calls_total", judge="hanging", outcome="timeout") == 1


async def test_a_stream_ends_with_its_decision_before_the_deadline() -> None:
    hanging = Hanging()
    async with (
        backend(hanging=hanging, good=answers(gradient(0.9))) as judges,
        serving(
            rules(judges.target, default=policy("hanging", "good")), max_deadline_seconds=0.4
        ) as server,
    ):
        asked = consensus_pb2.StreamJudgeRequest(request=request())
        decision = (await events(server.consensus.StreamJudge(asked)))[-1].decision
        late, good = decision.stages[0].consensus.individual_results
        assert late.failure.kind == pb.FAILURE_KIND_TIMEOUT
        assert good.status == pb.SEAT_STATUS_SCORED
        await hanging.cancelled.reaches()


async def test_items_of_a_batch_that_wait_for_their_turn_share_one_budget() -> None:
    hanging = Hanging()
    count = CONCURRENCY + 6
    async with (
        backend(hanging=hanging, good=answers(gradient(0.9))) as judges,
        serving(
            rules(judges.target, default=policy("hanging", "good")), max_deadline_seconds=1.0
        ) as server,
    ):
        batch = consensus_pb2.BatchJudgeRequest(requests=[request()] * count)
        results = (await server.consensus.BatchJudge(batch)).results
        assert len(results) == count
        assert results[0].decision.verdict == pb.VERDICT_ACCEPT
        seconds = [result.decision.duration.ToTimedelta().total_seconds() for result in results]
        assert max(seconds[:CONCURRENCY]) > 0.8
        assert max(seconds[CONCURRENCY:]) < 0.5
        evaluated = judge_pb2.EvaluateBatchRequest(
            requests=[judge_pb2.EvaluateRequest(submission=submission())] * count
        )
        answered = (await server.judge.EvaluateBatch(evaluated)).results
        assert len(answered) == count
        assert answered[0].response.HasField("gradient")


async def test_an_item_whose_turn_comes_too_late_is_told_so() -> None:
    assert 0 < Countdown(60.0).left() <= 60.0
    with pytest.raises(BudgetSpent) as caught:
        Countdown(0.001).left()
    assert item_error(caught.value).code == grpc.StatusCode.DEADLINE_EXCEEDED.value[0]


async def test_the_budget_at_entry_is_recorded() -> None:
    limits = {"default_deadline_seconds": 10.0, "max_deadline_seconds": 20.0}
    async with serving(rules(default=policy("conduct")), **limits) as server:
        await server.consensus.Judge(request())
        assert math.isclose(server.value("consensus_deadline_budget_seconds_sum"), 9.8)
        await server.consensus.Judge(request(), timeout=500)
        assert math.isclose(server.value("consensus_deadline_budget_seconds_sum"), 9.8 + 19.6)
        asked = judge_pb2.EvaluateRequest(submission=submission())
        await server.judge.Evaluate(asked, timeout=500)
        assert math.isclose(server.value("consensus_deadline_budget_seconds_sum"), 9.8 + 2 * 19.6)


async def test_a_spent_budget_is_refused_before_any_judge_is_asked() -> None:
    hanging = Hanging()
    async with (
        backend(hanging=hanging) as judges,
        serving(
            rules(judges.target, default=policy("hanging")), max_deadline_seconds=0.002
        ) as server,
    ):
        seen = await refused(server.consensus.Judge(request()))
        assert (seen.code, seen.reason) == (grpc.StatusCode.DEADLINE_EXCEEDED, "BUDGET_SPENT")
        assert hanging.asked.count == 0


async def test_a_call_that_outlives_its_deadline_counts_as_deadline_exceeded(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(DeadlineLimits, "budget", lambda self, remaining: 60.0)
    hanging = Hanging()
    async with (
        backend(hanging=hanging) as judges,
        serving(rules(judges.target, default=policy("hanging"))) as server,
    ):
        seen = await refused(server.consensus.Judge(request(), timeout=0.3))
        assert seen.code is grpc.StatusCode.DEADLINE_EXCEEDED
        await hanging.cancelled.reaches()
        await server.witness.ended.reaches()
        await server.app.admission.idle()
        assert server.witness.codes == [("Judge", "DEADLINE_EXCEEDED")]
        assert server.value("consensus_judge_inflight", judge="hanging") == 0


async def test_a_watch_that_reaches_its_deadline_counts_as_deadline_exceeded() -> None:
    async with serving(rules(default=policy("conduct"))) as server:
        watch = server.channel.unary_stream(f"/{HEALTH}/Watch")(b"", timeout=0.2)
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            [_ async for _ in watch]
        assert caught.value.code() is grpc.StatusCode.DEADLINE_EXCEEDED
        await server.witness.ended.reaches()
        assert server.witness.codes == [("Watch", "DEADLINE_EXCEEDED")]
