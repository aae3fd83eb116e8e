"""What both flavours raise, and what they try again."""

import sys
from typing import Any

import grpc
import grpc.aio
import pytest
from consensus_client import (
    CallCancelledError,
    ConsensusError,
    DeadlineExceededError,
    InvalidRequestError,
    ResourceExhaustedError,
    Submission,
    UnavailableError,
    Verdict,
    Violation,
    judge_request,
)
from consensus_client.errors import CLASSES
from consensus_client.status import DETAILS_KEY, error_of
from consensus_client.testing import FakeConsensus, accept, delayed, error, hang

from consensus.v1.consensus_pb2_grpc import ConsensusServiceStub

Connect = Any
FAULTS = [Violation("submission.task", "is empty"), Violation("submission.rubric", "is missing")]
INVALID = error(
    grpc.StatusCode.INVALID_ARGUMENT, "INVALID_REQUEST", "submission.task: is empty", FAULTS
)
DRAINING = error(grpc.StatusCode.UNAVAILABLE, "DRAINING", "the server is stopping")
CODES = [code for code in grpc.StatusCode if code is not grpc.StatusCode.OK]


def test_a_call_that_a_draining_server_refused_is_repeated_with_its_id(
    connect: Connect, essay: Submission
) -> None:
    with FakeConsensus(DRAINING, accept()) as fake:
        assert connect(fake.target).judge(essay).verdict == Verdict.ACCEPT
    first, second = fake.requests
    assert first.request_id
    assert first == second


@pytest.mark.parametrize("method", ["stream_judge", "batch_judge"])
def test_streams_and_batches_are_repeated_too(
    connect: Connect, essay: Submission, method: str
) -> None:
    with FakeConsensus(DRAINING, accept()) as fake:
        client = connect(fake.target)
        if method == "stream_judge":
            assert list(client.stream_judge(essay))[-1].verdict == Verdict.ACCEPT
            assert len(fake.requests) == 2
        else:  # an item that fails is an answer, and costs no repetition
            [refused, decided] = client.batch_judge([judge_request(essay)] * 2)
            assert isinstance(refused, UnavailableError)
            assert decided.verdict == Verdict.ACCEPT
            assert len(fake.calls) == 1


def test_a_server_that_stays_away_is_tried_three_times(connect: Connect, essay: Submission) -> None:
    with FakeConsensus(DRAINING) as fake:
        with pytest.raises(UnavailableError, match="DRAINING: the server is stopping") as caught:
            connect(fake.target).judge(essay)
        assert len(fake.calls) == 3
    assert caught.value.reason == "DRAINING"


@pytest.mark.parametrize("code", [code for code in CODES if code.name != "UNAVAILABLE"])
def test_no_other_status_is_repeated_and_each_has_its_class(
    connect: Connect, essay: Submission, code: grpc.StatusCode
) -> None:
    with FakeConsensus(error(code, "SOME_REASON", "in words"), accept()) as fake:
        client = connect(fake.target)
        with pytest.raises(ConsensusError) as caught:
            client.judge(essay)
        assert len(fake.calls) == 1
    assert type(caught.value) is CLASSES.get(code, ConsensusError)
    assert caught.value.code is code
    assert (caught.value.reason, caught.value.message) == ("SOME_REASON", "in words")


def test_fields_at_fault_are_named(connect: Connect, essay: Submission) -> None:
    pytest.importorskip("google.rpc", reason="googleapis-common-protos is not installed")
    with FakeConsensus(INVALID) as fake:
        client = connect(fake.target)
        with pytest.raises(InvalidRequestError) as caught:
            client.judge(essay)
        with pytest.raises(InvalidRequestError) as streamed:
            list(client.stream_judge(essay))
    assert caught.value.violations == streamed.value.violations == tuple(FAULTS)


def test_the_reason_stands_in_the_details_too(essay: Submission) -> None:
    error_details_pb2 = pytest.importorskip("google.rpc.error_details_pb2")
    status_pb2 = pytest.importorskip("google.rpc.status_pb2")
    with (
        FakeConsensus(INVALID) as fake,
        grpc.insecure_channel(fake.target) as channel,
        pytest.raises(grpc.RpcError) as caught,
    ):
        ConsensusServiceStub(channel).Judge(judge_request(essay))
    trailers = dict(caught.value.trailing_metadata())
    info = error_details_pb2.ErrorInfo()
    assert status_pb2.Status.FromString(trailers[DETAILS_KEY]).details[0].Unpack(info)
    assert info.reason == trailers["consensus-reason"] == "INVALID_REQUEST"


def test_without_google_rpc_the_message_is_left(
    connect: Connect, essay: Submission, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "google.rpc", None)
    with FakeConsensus(INVALID) as fake:
        client = connect(fake.target)
        with pytest.raises(InvalidRequestError) as caught:
            client.judge(essay)
    assert caught.value.violations == ()
    assert str(caught.value) == "INVALID_REQUEST: submission.task: is empty"


def test_details_that_cannot_be_read_cost_the_fields_and_not_the_error() -> None:
    trailers = grpc.aio.Metadata(("consensus-reason", "WRONG"), (DETAILS_KEY, b"\xff"))
    failed = grpc.aio.AioRpcError(
        grpc.StatusCode.INVALID_ARGUMENT, grpc.aio.Metadata(), trailers, "in words"
    )
    found = error_of(failed)
    assert (found.reason, found.message, found.violations) == ("WRONG", "in words", ())


def test_an_item_of_a_batch_tells_its_error_in_full(connect: Connect, essay: Submission) -> None:
    with FakeConsensus(INVALID, accept()) as fake:
        refused, decided = connect(fake.target).batch_judge([judge_request(essay)] * 2)
    assert isinstance(refused, InvalidRequestError)
    assert refused.reason == "INVALID_REQUEST"
    assert refused.violations == tuple(FAULTS)
    assert decided.verdict == Verdict.ACCEPT


def test_a_call_that_takes_too_long_ends_with_its_deadline(
    connect: Connect, essay: Submission
) -> None:
    with FakeConsensus(hang()) as fake:
        client = connect(fake.target, timeout_seconds=0.2)
        with pytest.raises(DeadlineExceededError) as caught:
            client.judge(essay)
        with pytest.raises(DeadlineExceededError):
            list(client.stream_judge(essay))
        with pytest.raises(DeadlineExceededError):
            client.batch_judge([judge_request(essay)])
    assert caught.value.reason == ""


def test_a_call_s_own_timeout_wins(connect: Connect, essay: Submission) -> None:
    with FakeConsensus(delayed(accept(), 0.3)) as fake:
        client = connect(fake.target, timeout_seconds=0.05)
        assert client.judge(essay, timeout_seconds=20).verdict == Verdict.ACCEPT


def test_a_target_where_nobody_listens_is_unavailable(connect: Connect, essay: Submission) -> None:
    with FakeConsensus() as fake:
        target = fake.target
    client = connect(target, timeout_seconds=5)
    with pytest.raises(UnavailableError) as caught:
        client.judge(essay)
    assert caught.value.reason == ""
    with pytest.raises(UnavailableError):
        client.health()


def test_an_answer_above_the_limit_is_resource_exhausted(
    connect: Connect, essay: Submission
) -> None:
    with FakeConsensus() as fake:
        client = connect(fake.target, options=[("grpc.max_receive_message_length", 10)])
        with pytest.raises(ResourceExhaustedError):
            client.judge(essay)


def test_a_closed_client_says_so(connect: Connect, essay: Submission) -> None:
    with FakeConsensus() as fake:
        client = connect(fake.target)
        client.close()
        for call in (
            lambda: client.judge(essay),
            lambda: list(client.stream_judge(essay)),
            lambda: client.batch_judge([judge_request(essay)]),
            client.list_policies,
            client.health,
        ):
            with pytest.raises(CallCancelledError) as caught:
                call()
            assert caught.value.reason == "CLIENT_CLOSED"
    assert fake.calls == []
