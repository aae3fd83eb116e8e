"""Both flavours of the client against a scripted server: what is sent and what is answered."""

import uuid
from typing import Any

import pytest
from consensus_client import (
    Decision,
    DeriveCriteria,
    ExecutionState,
    Overrides,
    PolicySummary,
    SeatFinished,
    SeatStarted,
    StageFinished,
    StateChanged,
    Strategy,
    Submission,
    Verdict,
    judge_request,
)
from consensus_client.testing import FakeConsensus, accept, escalate, retry

Connect = Any


def test_judge_returns_the_decision(connect: Connect, essay: Submission) -> None:
    with FakeConsensus(retry("Name the river.", score=0.5)) as fake:
        decision = connect(fake.target).judge(essay)
    assert decision.verdict == Verdict.RETRY
    assert decision.feedback == "Name the river."
    assert decision.effective_score == 0.5
    assert decision.decision_id


def test_the_request_arrives_as_given(connect: Connect, essay: Submission) -> None:
    overrides = Overrides(strategy=Strategy.MEDIAN, min_score=0.25)
    with FakeConsensus() as fake:
        connect(fake.target).judge(essay, policy="strict", overrides=overrides, request_id="r-1")
    [request] = fake.requests
    assert request.submission == essay
    assert (request.policy, request.request_id) == ("strict", "r-1")
    assert request.overrides == overrides


def test_a_rubric_may_be_derived_and_the_cost_be_bounded(
    connect: Connect, essay: Submission
) -> None:
    wanted = {"derive_criteria": DeriveCriteria(judge="gpt", max_criteria=5), "max_cost_usd": 0.5}
    with FakeConsensus() as fake:
        client = connect(fake.target)
        decision = client.judge(essay, **wanted)
        *_, streamed = client.stream_judge(essay, **wanted)
        [item] = client.batch_judge([judge_request(essay, **wanted)])
    for request in fake.requests:
        assert request.derive_criteria == wanted["derive_criteria"]
        assert request.max_cost_usd == 0.5
    for answer in (decision, streamed, item):
        [criterion] = answer.derived_rubric.criteria
        assert (criterion.id, criterion.required) == ("C1", True)
        assert essay.task in criterion.text


def test_results_by_kind_of_validator_may_be_asked_for(connect: Connect, essay: Submission) -> None:
    with FakeConsensus() as fake:
        client = connect(fake.target)
        for wanted in (True, False):
            client.judge(essay, include_validation_results=wanted)
            list(client.stream_judge(essay, include_validation_results=wanted))
    seen = [request.include_validation_results for request in fake.requests]
    assert seen == [True, True, False, False]


def test_neither_is_set_unless_it_is_given(connect: Connect, essay: Submission) -> None:
    with FakeConsensus() as fake:
        decision = connect(fake.target).judge(essay)
    [request] = fake.requests
    assert not request.HasField("derive_criteria")
    assert not request.HasField("max_cost_usd")
    assert not decision.HasField("derived_rubric")


def test_a_request_without_an_id_gets_a_random_uuid(connect: Connect, essay: Submission) -> None:
    with FakeConsensus() as fake:
        client = connect(fake.target)
        client.judge(essay)
        client.judge(essay)
    ids = {request.request_id for request in fake.requests}
    assert len(ids) == 2
    assert {uuid.UUID(found).version for found in ids} == {4}


def test_a_stream_tells_every_step_and_the_decision_last(
    connect: Connect, essay: Submission
) -> None:
    with FakeConsensus(accept(0.75)) as fake:
        events = list(connect(fake.target).stream_judge(essay, policy="strict"))
    states = [event.state for event in events if isinstance(event, StateChanged)]
    told = [type(event) for event in events if not isinstance(event, StateChanged)]
    assert states == [ExecutionState.RUNNING, ExecutionState.VALIDATING, ExecutionState.SUCCESS]
    assert told == [SeatStarted, SeatFinished, StageFinished, Decision]
    assert events[-1].execution_state == ExecutionState.SUCCESS
    started, finished = events[2].child, events[3].child
    assert started.execution_id == finished.execution_id == f"{events[-1].decision_id}/scripted/0"
    assert (started.HasField("end_time"), finished.HasField("end_time")) == (False, True)
    assert events[-1].effective_score == 0.75
    assert fake.requests[0].policy == "strict"


def test_a_stream_carries_no_request_id(connect: Connect, essay: Submission) -> None:
    with FakeConsensus() as fake:
        list(connect(fake.target).stream_judge(essay))
    assert fake.requests[0].request_id == ""


def test_a_batch_is_answered_in_order(connect: Connect, essay: Submission) -> None:
    with FakeConsensus(accept(), retry("More."), escalate()) as fake:
        results = connect(fake.target).batch_judge([judge_request(essay)] * 3)
    verdicts = [result.verdict for result in results]
    assert verdicts == [Verdict.ACCEPT, Verdict.RETRY, Verdict.ESCALATE]


def test_every_item_of_a_batch_has_an_id_and_the_caller_s_requests_stay_untouched(
    connect: Connect, essay: Submission
) -> None:
    mine = [judge_request(essay), judge_request(essay, request_id="r-2")]
    with FakeConsensus() as fake:
        connect(fake.target).batch_judge(mine)
    first, second = (request.request_id for request in fake.requests)
    assert uuid.UUID(first).version == 4
    assert second == "r-2"
    assert mine[0].request_id == ""


def test_the_policies_are_listed(connect: Connect) -> None:
    policies = [PolicySummary(name="strict"), PolicySummary(name="lax")]
    with FakeConsensus(policies=policies) as fake:
        assert connect(fake.target).list_policies() == policies


def test_metadata_of_the_call_joins_the_client_s(connect: Connect, essay: Submission) -> None:
    parent = f"00-{'a' * 32}-{'b' * 16}-01"
    with FakeConsensus() as fake:
        client = connect(fake.target, metadata={"x-tenant": "acme", "x-team": "one"})
        client.judge(essay, metadata={"traceparent": parent, "X-Team": "two"})
        list(client.stream_judge(essay, metadata={"traceparent": parent}))
        client.batch_judge([judge_request(essay)], metadata={"traceparent": parent})
        client.list_policies(metadata={"traceparent": parent})
    assert {call.metadata["traceparent"] for call in fake.calls} == {parent}
    assert {call.metadata["x-tenant"] for call in fake.calls} == {"acme"}
    assert [call.metadata["x-team"] for call in fake.calls] == ["two", "one", "one", "one"]


def test_an_answer_above_grpc_s_own_limit_arrives(connect: Connect, essay: Submission) -> None:
    with FakeConsensus(retry("x" * (5 << 20))) as fake:
        assert len(connect(fake.target).judge(essay).feedback) == 5 << 20


@pytest.mark.parametrize("seconds", [0.0, -1.0, float("inf"), float("nan")])
def test_a_timeout_is_finite_and_above_0(
    connect: Connect, essay: Submission, seconds: float
) -> None:
    with pytest.raises(ValueError, match="timeout_seconds"):
        connect("127.0.0.1:1", timeout_seconds=seconds)
    with pytest.raises(ValueError, match="timeout_seconds"):
        connect("127.0.0.1:1").judge(essay, timeout_seconds=seconds)
