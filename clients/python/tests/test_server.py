"""Both flavours against the real server: the whole way from a builder to a decision."""

import uuid
from typing import Any

import pytest
from consensus_client import (
    ConsensusError,
    DeadlineExceededError,
    Decision,
    FindingStatus,
    InvalidRequestError,
    Overrides,
    PreconditionError,
    SeatStatus,
    Strategy,
    Submission,
    Verdict,
    Violation,
    code_block,
    contains,
    contains_all,
    criterion,
    json_schema,
    judge_request,
    length,
    not_contains,
    numeric,
    regex,
    submission,
)
from consensus_client.testing import FakeJudge, abstention, error, gradient, hang
from grpc import StatusCode

Connect = Any
Serve = Any
CAPITALS = submission(
    "Name the capital of France and the river that it lies on.",
    "The capital of France is Paris. It lies on the river Seine.",
    criteria=[
        criterion("C1", "Names the capital: Paris.", required=True, checks=[contains("Paris")]),
        criterion("C2", "Names the river: the Seine.", checks=[contains("Seine")]),
    ],
)
WRONG = submission("Add 2 and 2.", "5", criteria=[criterion("C1", "Is 4.", checks=[numeric(4)])])
INVALID = submission("", "5", criteria=[criterion("C 1", "Is 4.")])


def test_a_good_answer_is_accepted_and_a_wrong_one_is_sent_back(
    connect: Connect, server: str
) -> None:
    client = connect(server)
    accepted = client.judge(CAPITALS)
    assert accepted.verdict == Verdict.ACCEPT
    assert [found.status for found in accepted.criteria] == [FindingStatus.MET] * 2
    refused = client.judge(WRONG)
    assert refused.verdict == Verdict.RETRY
    assert refused.feedback


def test_every_kind_of_check_is_understood(connect: Connect, server: str) -> None:
    checks = {
        "holds": [contains("Paris"), contains_all("Paris", "Seine"), not_contains("London")],
        "form": [regex("(?i)seine"), length(min_words=3, max_words=90, min_chars=1, max_chars=999)],
        "code": [code_block("python"), code_block()],
        "json": [json_schema({"type": "object", "required": ["n"]}, output="data")],
        "number": [numeric(42.1, tolerance=0.2, output="total")],
    }
    candidate = "Paris is on the Seine.\n\n```python\nprint(1)\n```\n"
    criteria = [criterion(name, "As checked.", checks=each) for name, each in checks.items()]
    outputs = {"data": {"n": 1}, "total": "about 42"}
    decision = connect(server).judge(
        submission("Write.", candidate, criteria=criteria, outputs=outputs)
    )
    found = {found.criterion_id: found.status for found in decision.criteria}
    assert found == dict.fromkeys(checks, FindingStatus.MET)


def test_a_stream_ends_with_the_decision(connect: Connect, server: str) -> None:
    events = list(connect(server).stream_judge(CAPITALS))
    assert isinstance(events[-1], Decision)
    assert events[-1].verdict == Verdict.ACCEPT
    assert len(events) > len(events[-1].stages)


def test_an_item_at_fault_does_not_fail_its_neighbours(connect: Connect, server: str) -> None:
    requests = [judge_request(each) for each in (CAPITALS, INVALID, WRONG)]
    first, second, third = connect(server).batch_judge(requests)
    assert (first.verdict, third.verdict) == (Verdict.ACCEPT, Verdict.RETRY)
    assert isinstance(second, InvalidRequestError)
    assert [found.field for found in second.violations] == [
        "requests[1].submission.task",
        "requests[1].submission.rubric.criteria[0].id",
    ]


def test_the_bundled_policy_is_listed(connect: Connect, server: str) -> None:
    [policy] = connect(server).list_policies()
    assert (policy.name, policy.default, policy.enabled) == ("default", True, True)


def test_every_field_at_fault_is_named(connect: Connect, server: str) -> None:
    pytest.importorskip("google.rpc", reason="googleapis-common-protos is not installed")
    client = connect(server)
    for call in (lambda: client.judge(INVALID), lambda: list(client.stream_judge(INVALID))):
        with pytest.raises(InvalidRequestError) as caught:
            call()
        assert caught.value.reason == "INVALID_REQUEST"
        assert [found.field.rpartition(".")[2] for found in caught.value.violations] == [
            "task",
            "id",
        ]
        assert isinstance(caught.value.violations[0], Violation)


def test_the_same_request_id_gets_the_same_decision_and_no_other_content(
    connect: Connect, server: str
) -> None:
    client = connect(server)
    name = str(uuid.uuid4())
    first = client.judge(CAPITALS, request_id=name)
    assert client.judge(CAPITALS, request_id=name) == first
    assert client.judge(CAPITALS).decision_id != first.decision_id
    with pytest.raises(PreconditionError) as caught:
        client.judge(WRONG, request_id=name)
    assert caught.value.reason == "REQUEST_ID_REUSED"


def test_a_deadline_without_room_to_judge_is_exceeded(connect: Connect, server: str) -> None:
    with pytest.raises(DeadlineExceededError):
        connect(server).judge(CAPITALS, timeout_seconds=0.001)


def test_overrides_reach_the_panel(connect: Connect, server: str) -> None:
    decision = connect(server).judge(CAPITALS, overrides=Overrides(strategy=Strategy.MEDIAN))
    assert decision.stages[0].consensus.strategy == Strategy.MEDIAN


def test_an_unknown_policy_is_refused(connect: Connect, server: str) -> None:
    with pytest.raises(ConsensusError, match="no-such-policy"):
        connect(server).judge(CAPITALS, policy="no-such-policy")


POLICY = """
judges:
  fine: {{kind: remote, target: "{fine}"}}
  torn: {{kind: remote, target: "{torn}"}}
  down: {{kind: remote, target: "{down}"}}
  slow: {{kind: remote, target: "{slow}"}}
  wild: {{kind: remote, target: "{wild}"}}
policies:
  default:
    stages:
      - name: remote
        panel:
          seats:
            - {{judge: fine}}
            - {{judge: torn}}
            - {{judge: down}}
            - {{judge: slow, timeout_seconds: 0.2}}
            - {{judge: wild}}
        on_no_quorum: escalate
"""


def test_scripted_judges_take_seats_in_a_real_panel(
    connect: Connect, serve: Serve, tmp_path: Any, essay: Submission
) -> None:
    with (
        FakeJudge(gradient(0.9, confidence=0.8)) as fine,
        FakeJudge(abstention("Cannot tell.")) as torn,
        FakeJudge(error(StatusCode.RESOURCE_EXHAUSTED, "OVERLOADED")) as down,
        FakeJudge(hang()) as slow,
        FakeJudge(gradient(7.0)) as wild,
    ):
        policy = tmp_path / "policy.yaml"
        targets = {"fine": fine, "torn": torn, "down": down, "slow": slow, "wild": wild}
        policy.write_text(POLICY.format(**{k: judge.target for k, judge in targets.items()}))
        with serve("--policy-file", str(policy)) as target:
            decision = connect(target).judge(essay)
            assert slow.calls[0].ended.wait(10)
    seats = decision.stages[0].consensus.individual_results
    assert [SeatStatus.name(seat.status) for seat in seats] == [
        "SCORED",
        "ABSTAINED",
        "FAILED",
        "FAILED",
        "FAILED",
    ]
    assert seats[0].gradient.score == 0.9
    assert fine.requests[0].submission.task == essay.task
