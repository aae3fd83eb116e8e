"""`consensus derive`: the rubric that a model derives, as a table or as JSON to send again."""

import json
from pathlib import Path
from typing import Any

import grpc
import pytest
from google.protobuf import json_format

from consensus import once
from consensus.bench import Bench
from consensus.cascade import Engine
from consensus.domain.errors import JudgeFailed
from consensus.domain.gradient import FailureKind
from consensus.domain.policy import PolicySet
from consensus.domain.ports import Clock
from consensus.v1 import consensus_pb2, decision_pb2, submission_pb2
from consensus.wire.submission import rubric_to
from tests.cli.running import FIRST, answering, run, write
from tests.service.deriving_judge import RUBRIC, Model

TASK = {"task": "Name the capital."}


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> Model:
    """Stand in for every model of this process."""
    stand_in = Model()

    def made(policies: PolicySet, engine: Engine, clock: Clock) -> Bench:
        bench = Bench(policies, engine, clock)
        bench["model"] = stand_in
        return bench

    monkeypatch.setattr(once, "Bench", made)
    return stand_in


@pytest.fixture
def here(tmp_path: Path) -> list[object]:
    """Options that derive in this process, by a policy that seats the model."""
    panel = {"seats": [{"judge": "model"}]}
    stage = {"name": "bench", "panel": panel, "on_no_quorum": "escalate"}
    judges = {"model": {"kind": "remote", "target": "unix:/no/such/socket"}}
    rules = {"version": 1, "judges": judges, "policies": {"default": {"stages": [stage]}}}
    return ["--policy-file", write(tmp_path / "policy.yaml", rules)]


def decided(**fields: Any) -> consensus_pb2.StreamJudgeResponse:
    decision = decision_pb2.Decision(verdict=decision_pb2.VERDICT_RETRY, **fields)
    return consensus_pb2.StreamJudgeResponse(decision=decision)


def test_the_rubric_is_printed_as_a_table(model: Model, here: list[object]) -> None:
    ran = run("derive", "-", *here, stdin=json.dumps(TASK))
    assert ran.code == 0
    rows = [line.split(maxsplit=1) for line in ran.out.splitlines() if line.startswith("C")]
    assert [(name, text.strip()) for name, text in rows] == [
        ("C1", "Names the capital. (required)"),
        ("C2", "Says where it lies."),
    ]
    assert model.tasks == [("Name the capital.", 8)]
    assert model.asked == []


def test_the_model_has_all_the_time_that_there_is(model: Model, here: list[object]) -> None:
    assert run("derive", "-", *here, "--timeout-seconds", 20, stdin=json.dumps(TASK)).code == 0
    assert 12 < model.timeouts[0] <= 20


def test_the_json_is_a_rubric_to_send_with_a_submission(
    model: Model, here: list[object], tmp_path: Path
) -> None:
    ran = run("derive", write(tmp_path / "task.json", TASK), "--json", *here)
    rubric = json_format.Parse(ran.out, submission_pb2.Rubric())
    assert rubric == rubric_to(RUBRIC)
    again = json_format.ParseDict(
        TASK | {"candidate": "Paris.", "rubric": json.loads(ran.out)}, submission_pb2.Submission()
    )
    assert len(again.rubric.criteria) == 2


def test_a_judge_and_a_number_may_be_chosen(model: Model, here: list[object]) -> None:
    options = ["--judge", "model", "--max-criteria", 3, "--policy", "default"]
    assert run("derive", "-", *here, *options, stdin=json.dumps(TASK)).code == 0
    assert model.tasks == [("Name the capital.", 3)]


def test_at_a_server_the_rubric_comes_with_the_decision() -> None:
    with answering(decided(derived_rubric=rubric_to(RUBRIC))) as target:
        ran = run("derive", "-", "--json", "--target", target, stdin=json.dumps(TASK))
    assert ran.code == 0
    assert json_format.Parse(ran.out, submission_pb2.Rubric()) == rubric_to(RUBRIC)


def test_a_server_that_derives_nothing_is_a_failure() -> None:
    with answering(decided()) as target:
        ran = run("derive", "-", "--target", target, stdin=json.dumps(TASK))
    assert (ran.code, ran.out, ran.err) == (4, "", "Error: the server derived no rubric\n")


def test_a_servers_refusal_is_told() -> None:
    with answering(error=(grpc.StatusCode.UNAVAILABLE, "judge 'm' derived no rubric")) as target:
        ran = run("derive", "-", "--target", target, stdin=json.dumps(TASK))
    assert ran.code == 4
    assert "answered UNAVAILABLE: judge 'm' derived no rubric" in ran.err


def test_a_model_that_fails_is_a_failure(model: Model, here: list[object]) -> None:
    model.derived = JudgeFailed(FailureKind.REFUSED, "the model declined")
    ran = run("derive", "-", *here, stdin=json.dumps(TASK))
    words = "Error: CRITERIA_NOT_DERIVED: judge 'model' derived no rubric: the model declined\n"
    assert (ran.code, ran.err) == (4, words)


def test_bad_input_is_told_by_its_field(model: Model, here: list[object]) -> None:
    ran = run("derive", FIRST, *here)
    assert ran.code == 3
    assert "submission.rubric.criteria: has criteria, and derive_criteria is set" in ran.err
    ran = run("derive", "-", *here, stdin='{"task": ""}')
    assert (ran.code, "submission.task: has 0 characters" in ran.err) == (3, True)
    request = {"submission": TASK, "max_cost_usd": "NaN"}
    ran = run("derive", "-", *here, stdin=json.dumps(request))
    assert (ran.code, "max_cost_usd: is nan; must be finite and above 0" in ran.err) == (3, True)


def test_without_an_llm_judge_there_is_nobody_to_derive() -> None:
    ran = run("derive", "-", stdin=json.dumps(TASK))
    assert ran.code == 3
    assert "policy 'default' seats no llm judge" in ran.err


def test_a_policy_file_and_a_server_exclude_each_other(here: list[object]) -> None:
    assert run("derive", "-", "--target", "nowhere:1", *here, stdin="{}").code == 3
