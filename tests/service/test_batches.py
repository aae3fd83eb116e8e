"""Batches: order is kept, neighbours are safe, and nothing else waits for them."""

import asyncio

import grpc
import pytest
from grpc_health.v1 import health_pb2

from consensus.service.batch import judge_each
from consensus.v1 import consensus_pb2 as pb
from consensus.v1 import decision_pb2, judge_pb2
from tests.service.refusal import refused
from tests.service.running import policy, request, rules, serving, submission
from tests.service.scripted_judge import answers, backend, gradient

EMBEDDED = rules(default=policy("conduct"))


def evaluate(judge: str = "", **more: object) -> judge_pb2.EvaluateRequest:
    return judge_pb2.EvaluateRequest(submission=submission(**more), judge=judge)


async def test_results_come_in_the_order_of_the_requests() -> None:
    numbers = [request(submission=submission(candidate=f"Answer {i}.")) for i in range(200)]
    one_by_one = policy("echo")

    async def echo(asked: judge_pb2.EvaluateRequest, context: object) -> bytes:
        number = int(asked.submission.candidate.split()[1].strip("."))
        for _ in range(number % 7):
            await asyncio.sleep(0)
        return gradient(score=number / 1_000).SerializeToString()

    async with (
        backend(echo=echo) as judges,
        serving(rules(judges.target, default=one_by_one)) as server,
    ):
        reply = await server.consensus.BatchJudge(pb.BatchJudgeRequest(requests=numbers))
        scores = [result.decision.effective_score for result in reply.results]
        assert scores == pytest.approx([i / 1_000 for i in range(200)])


async def test_a_bad_item_is_told_its_own_fault_and_costs_no_neighbour() -> None:
    items = [
        request(),
        request(submission=submission(task="")),
        request("nobody"),
        request("off"),
        pb.JudgeRequest(),
        request(overrides=pb.Overrides(threshold=2)),
        request(),
    ]
    off = policy("conduct") | {"enabled": False}
    async with serving(rules(default=policy("conduct"), off=off)) as server:
        reply = await server.consensus.BatchJudge(pb.BatchJudgeRequest(requests=items))
        kinds = [result.WhichOneof("result") for result in reply.results]
        assert kinds == ["decision", *["error"] * 5, "decision"]
        errors = [result.error for result in reply.results[1:6]]
        assert [error.reason for error in errors] == [
            "INVALID_REQUEST",
            "INVALID_REQUEST",
            "POLICY_DISABLED",
            "INVALID_REQUEST",
            "INVALID_REQUEST",
        ]
        assert [error.code for error in errors] == [3, 3, 9, 3, 3]
        assert [error.violations[0].field for error in errors if error.violations] == [
            "requests[1].submission.task",
            "requests[2].policy",
            "requests[4].submission",
            "requests[5].overrides.threshold",
        ]
        assert server.witness.codes == [("BatchJudge", "OK")]


async def test_a_bad_item_of_evaluations_costs_no_neighbour() -> None:
    above = judge_pb2.Hierarchy(depth=4, path=list("abcd"))
    deep = judge_pb2.EvaluateRequest(submission=submission(), hierarchy=above)
    items = [evaluate(), evaluate("nobody"), deep, evaluate()]
    async with serving(EMBEDDED) as server:
        asked = judge_pb2.EvaluateBatchRequest(requests=items)
        first, unknown, nested, last = (await server.judge.EvaluateBatch(asked)).results
        assert first.response.HasField("gradient")
        assert last.response.HasField("gradient")
        assert unknown.error.violations[0].field == "requests[1].judge"
        assert nested.error.reason == "DEPTH_EXCEEDED"


@pytest.mark.parametrize("count", [0, 1_001])
async def test_a_batch_has_one_to_a_thousand_items(count: int) -> None:
    async with serving(EMBEDDED) as server:
        judged = pb.BatchJudgeRequest(requests=[request()] * count)
        evaluated = judge_pb2.EvaluateBatchRequest(requests=[evaluate()] * count)
        for call in (server.consensus.BatchJudge(judged), server.judge.EvaluateBatch(evaluated)):
            seen = await refused(call)
            assert seen.code is grpc.StatusCode.INVALID_ARGUMENT
            assert seen.fields == {"requests": f"has {count} entries; must have 1 to 1000"}


async def test_a_thousand_items_are_judged_while_health_answers() -> None:
    async with serving(EMBEDDED) as server:
        asked = pb.BatchJudgeRequest(requests=[request()] * 1_000)
        batch = asyncio.ensure_future(server.consensus.BatchJudge(asked))
        answered = 0
        while not batch.done():
            await server.health.Check(health_pb2.HealthCheckRequest())
            answered += not batch.done()
        reply = await batch
        assert len(reply.results) == 1_000
        assert all(result.HasField("decision") for result in reply.results)
        assert answered >= 20


async def test_answers_that_do_not_fit_become_errors_and_the_others_stay() -> None:
    sizes = {"small": 10, "large": 8_000}
    scripts = {name: answers(gradient(reasoning="x" * size)) for name, size in sizes.items()}
    names = [f"large{i}" for i in range(12)]
    wordy = dict.fromkeys(names, scripts["large"])
    async with (
        backend(small=scripts["small"], **wordy) as judges,
        serving(
            rules(judges.target, default=policy("small"), huge=policy(*names)),
            max_message_bytes=1 << 16,
        ) as server,
    ):
        items = [request(), request("huge"), *[request()] * 40]
        reply = await server.consensus.BatchJudge(pb.BatchJudgeRequest(requests=items))
        kinds = [result.WhichOneof("result") for result in reply.results]
        assert kinds == ["decision", "error", *["decision"] * 40]
        error = reply.results[1].error
        assert (error.code, error.reason) == (8, "RESPONSE_TOO_LARGE")
        crowd = pb.BatchJudgeRequest(requests=[request()] * 200)
        reply = await server.consensus.BatchJudge(crowd)
        kinds = [result.WhichOneof("result") for result in reply.results]
        assert kinds == sorted(kinds)
        assert set(kinds) == {"decision", "error"}
        assert reply.ByteSize() <= 1 << 16


async def test_errors_that_do_not_fit_keep_their_code_and_reason() -> None:
    bad = [request(submission=submission(messages=[{"role": "x" * 40}] * 10))] * 300
    async with serving(EMBEDDED, max_message_bytes=1 << 18) as server:
        reply = await server.consensus.BatchJudge(pb.BatchJudgeRequest(requests=bad))
        assert {result.error.reason for result in reply.results} == {"INVALID_REQUEST"}
        assert {result.error.code for result in reply.results} == {3}
        assert len(reply.results[0].error.violations) == 10
        assert not reply.results[-1].error.violations
        assert reply.ByteSize() <= 1 << 18


async def test_a_response_of_bare_errors_fits_whatever_they_are() -> None:
    item = decision_pb2.Decision(feedback="x" * 10_000)

    async def judge(index: int, _: int) -> decision_pb2.Decision:
        return item

    for limit in (1 << 16, 200_000, 1 << 20):
        replies = await judge_each(range(300), judge, limit)
        response = pb.BatchJudgeResponse(
            results=[
                pb.BatchJudgeResult(error=reply)
                if isinstance(reply, judge_pb2.ItemError)
                else pb.BatchJudgeResult(decision=reply)
                for reply in replies
            ]
        )
        assert len(replies) == 300
        assert response.ByteSize() <= limit
