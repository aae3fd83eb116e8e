"""The scripted servers themselves: scripts, records, and judges over the bare contract."""

import threading
from collections.abc import Iterator

import grpc
import pytest
from consensus_client import ConsensusClient, Decision, Submission, UnavailableError, Verdict
from consensus_client.testing import (
    FakeConsensus,
    FakeJudge,
    ScriptedError,
    abstention,
    accept,
    delayed,
    error,
    escalate,
    gradient,
    retry,
)

from consensus.v1 import judge_pb2 as pb
from consensus.v1 import judge_pb2_grpc


def verdicts(fake: FakeConsensus, essay: Submission, count: int) -> list[int]:
    """Ask `count` times."""
    with ConsensusClient(fake.target) as client:
        return [client.judge(essay).verdict for _ in range(count)]


def test_without_a_script_everything_is_accepted(essay: Submission) -> None:
    with FakeConsensus() as fake:
        assert verdicts(fake, essay, 2) == [Verdict.ACCEPT] * 2


def test_a_scripted_decision_has_every_seat_behind_it(essay: Submission) -> None:
    scripted = retry("More.", score=0.25)
    with FakeConsensus(scripted) as fake, ConsensusClient(fake.target) as client:
        [stage] = client.judge(essay).stages
    assert (stage.consensus.coverage, stage.consensus.final_score) == (1.0, 0.25)
    [seat] = stage.consensus.individual_results
    assert (seat.weight, seat.gradient.score) == (1.0, 0.25)


def test_answers_are_given_in_turn_and_the_last_repeats(essay: Submission) -> None:
    with FakeConsensus(retry("More."), delayed(escalate(), 0.01), accept()) as fake:
        expected = [Verdict.RETRY, Verdict.ESCALATE, Verdict.ACCEPT, Verdict.ACCEPT]
        assert verdicts(fake, essay, 4) == expected


def test_a_script_can_be_rewritten(essay: Submission) -> None:
    with FakeConsensus(accept()) as fake:
        assert verdicts(fake, essay, 1) == [Verdict.ACCEPT]
        fake.script(retry("More."), escalate())
        assert verdicts(fake, essay, 2) == [Verdict.RETRY, Verdict.ESCALATE]
        with pytest.raises(ValueError, match="at least one"):
            fake.script()


def test_a_function_answers_by_the_request(essay: Submission) -> None:
    def by_policy(request: object) -> Decision | ScriptedError:
        if request.policy == "down":
            return error(grpc.StatusCode.UNAVAILABLE)
        return Decision(verdict=Verdict.RETRY, feedback=request.submission.task, policy="mine")

    with FakeConsensus(by_policy) as fake, ConsensusClient(fake.target) as client:
        decision = client.judge(essay, policy="strict")
        assert (decision.feedback, decision.policy) == (essay.task, "mine")
        with pytest.raises(UnavailableError):
            client.judge(essay, policy="down")


def test_a_decision_gets_what_a_server_always_sets(essay: Submission) -> None:
    scripted = Decision(verdict=Verdict.ACCEPT)
    with FakeConsensus(scripted) as fake, ConsensusClient(fake.target) as client:
        first, second = client.judge(essay), client.judge(essay, policy="strict")
    assert scripted == Decision(verdict=Verdict.ACCEPT)
    assert first.decision_id != second.decision_id
    assert (first.policy, second.policy) == ("default", "strict")
    assert first.policy_revision.startswith("sha256:")
    assert first.HasField("create_time")


def test_an_error_is_no_ok() -> None:
    with pytest.raises(ValueError, match="OK"):
        error(grpc.StatusCode.OK)


def test_a_server_that_does_not_run_has_no_target() -> None:
    with pytest.raises(RuntimeError, match="with"):
        _ = FakeConsensus().target
    with FakeConsensus() as fake:
        assert fake.target.startswith("127.0.0.1:")
        with pytest.raises(TimeoutError, match="0 of 1 calls"):
            fake.wait_for_calls(timeout_seconds=0.01)


def test_who_waits_for_a_call_is_told_as_soon_as_it_arrives(essay: Submission) -> None:
    with FakeConsensus() as fake, ConsensusClient(fake.target) as client:
        waiting = threading.Thread(target=fake.wait_for_calls, args=(1, 600.0), daemon=True)
        waiting.start()
        client.judge(essay)
        waiting.join(30)
        assert not waiting.is_alive()
    with pytest.raises(RuntimeError, match="with"):
        _ = fake.target


def test_every_call_is_recorded_with_its_headers(essay: Submission) -> None:
    with FakeConsensus() as fake, ConsensusClient(fake.target) as client:
        client.list_policies()
        list(client.stream_judge(essay, metadata={"x-tenant": "acme"}))
    assert [call.method for call in fake.calls] == ["ListPolicies", "StreamJudge"]
    assert fake.calls[1].metadata["x-tenant"] == "acme"
    assert [request.submission for request in fake.requests] == [essay]


def asked(judge: FakeJudge) -> Iterator[judge_pb2_grpc.JudgeServiceStub]:
    """Give the bare contract's stub."""
    with grpc.insecure_channel(judge.target) as channel:
        yield judge_pb2_grpc.JudgeServiceStub(channel)


def test_a_judge_answers_gradients_abstentions_and_errors(essay: Submission) -> None:
    busy = error(grpc.StatusCode.RESOURCE_EXHAUSTED, "BUSY", "no capacity")
    script = (gradient(0.9, 0.8), abstention("Cannot tell."), pb.EvaluateResponse(), busy)
    with FakeJudge(*script) as judge:
        for stub in asked(judge):
            request = pb.EvaluateRequest(judge="style", submission=essay)
            assert stub.Evaluate(request).gradient.score == 0.9
            assert stub.Evaluate(request).abstention.reason == "Cannot tell."
            assert stub.Evaluate(request).WhichOneof("answer") is None
            with pytest.raises(grpc.RpcError) as caught:
                stub.Evaluate(request)
            assert caught.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
    assert judge.requests == [request] * 4


def test_a_judge_answers_batches_item_by_item(essay: Submission) -> None:
    busy = error(grpc.StatusCode.RESOURCE_EXHAUSTED, "BUSY", "no capacity")
    batch = pb.EvaluateBatchRequest(requests=[pb.EvaluateRequest(submission=essay)] * 3)
    with FakeJudge(gradient(0.5), busy, abstention()) as judge:
        for stub in asked(judge):
            first, second, third = stub.EvaluateBatch(batch).results
            assert stub.DescribeJudge(pb.DescribeJudgeRequest(judge="style")).judge == "style"
    assert first.response.gradient.score == 0.5
    assert (second.error.code, second.error.reason) == (8, "BUSY")
    assert third.response.HasField("abstention")
    assert len(judge.requests) == 3


def test_a_judge_need_not_batch(essay: Submission) -> None:
    with FakeJudge(batches=False) as judge:
        for stub in asked(judge):
            with pytest.raises(grpc.RpcError) as caught:
                stub.EvaluateBatch(pb.EvaluateBatchRequest())
            assert caught.value.code() is grpc.StatusCode.UNIMPLEMENTED
            judge.script(gradient(0.25))
            assert stub.Evaluate(pb.EvaluateRequest(submission=essay)).gradient.score == 0.25
