"""`consensus policies`: what a server has in force, or a policy file would put there."""

from pathlib import Path

import grpc
import pytest
from google.protobuf import json_format

from consensus.app import read_policies
from consensus.cli.demo import served
from consensus.v1 import consensus_pb2 as pb
from consensus.v1 import consensus_pb2_grpc
from consensus.validators import describe
from consensus.wire.policy import policies_to
from tests.cli.running import Ran, in_threads, run

POLICIES = """\
default_policy: strict
judges:
  away: {kind: remote, target: "h:1"}
  there: {kind: remote, target: "h:2"}
policies:
  strict:
    rubric: {criteria: [{id: C1, text: Names a number}, {id: C2, text: Names a town}]}
    stages:
      - {name: form, checks: [{contains: x}, {not_contains: "y"}]}
      - name: bench
        panel:
          strategy: median
          quorum: 2
          seats: [{judge: checks}, {judge: away}, {judge: there}]
        on_no_quorum: fail
  spare:
    enabled: false
    stages:
      - {name: only, checks: [{contains: x}]}
"""


class Listing(consensus_pb2_grpc.ConsensusServiceServicer):
    """Answers ListPolicies as it is told to."""

    def __init__(self, reply: pb.ListPoliciesResponse | grpc.StatusCode) -> None:
        self._reply = reply

    def ListPolicies(  # noqa: N802 - the contract's name
        self, request: pb.ListPoliciesRequest, context: grpc.ServicerContext
    ) -> pb.ListPoliciesResponse:
        if isinstance(self._reply, grpc.StatusCode):
            context.abort(self._reply, "not\x1b[31m now")
        return self._reply


@pytest.fixture
def file(tmp_path: Path) -> Path:
    file = tmp_path / "policy.yaml"
    file.write_text(POLICIES, "utf-8")
    return file


def lines(ran: Ran) -> list[str]:
    """Return what was printed, each row's cells on one line, parted by one space."""
    assert (ran.code, ran.err) == (0, "")
    return [" ".join(line.split()) for line in ran.out.splitlines()]


def test_a_servers_policies_are_those_of_its_file(file: Path) -> None:
    reply = policies_to(read_policies(file), describe)
    here = run("policies", "--policy-file", file)
    with in_threads(Listing(reply)) as address:
        there = run("policies", "--target", address)
        as_json = run("policies", "--target", address, "--json")
    assert here == there
    assert as_json == run("policies", "--policy-file", file, "--json")
    assert json_format.Parse(as_json.out, pb.ListPoliciesResponse()) == reply


def test_stages_are_told_by_checks_and_kinds_of_judges(file: Path) -> None:
    strict, spare = policies_to(read_policies(file), describe).policies
    assert lines(run("policies", "--policy-file", file)) == [
        "policy stages",
        "─" * 72,
        "strict form 2 checks",
        "used by default bench 1 embedded, 2 remote; median, quorum 2",
        strict.revision,
        "rubric: own, 2 criteria",
        "",
        "spare only 1 check",
        "disabled",
        spare.revision,
        "rubric: the submission's",
    ]


def test_without_a_file_and_a_target_it_is_the_bundled_policy() -> None:
    told = run("policies", "--json")
    with served() as address:
        assert run("policies", "--target", address, "--json") == told
    [policy] = json_format.Parse(told.out, pb.ListPoliciesResponse()).policies
    assert policy.default
    assert "3 embedded; weighted_average, quorum 2" in run("policies").out


@pytest.mark.parametrize("columns", [60, 80, 200])
def test_names_and_revisions_stay_whole(file: Path, columns: int) -> None:
    ran = run("policies", "--policy-file", file, columns=columns)
    for policy in policies_to(read_policies(file), describe).policies:
        for name in (policy.name, policy.revision, *(stage.name for stage in policy.stages)):
            assert name in ran.out
    assert max(map(len, ran.out.splitlines())) <= columns


def test_texts_of_a_server_are_plain() -> None:
    evil = "\x1b[31m[red]x[/]\nz"
    stage = pb.StageSummary(
        name=evil, seats=[pb.SeatSummary(judge=evil, kind=evil)], strategy=99, quorum=1
    )
    policy = pb.PolicySummary(name=evil, revision=evil, enabled=True, stages=[stage])
    with in_threads(Listing(pb.ListPoliciesResponse(policies=[policy]))) as address:
        ran = run("policies", "--target", address)
    assert "\x1b" not in ran.out
    assert "[red]x[/]" in ran.out
    assert "#99, quorum 1" in ran.out


@pytest.mark.parametrize(
    ("status", "code"),
    [(grpc.StatusCode.INVALID_ARGUMENT, 3), (grpc.StatusCode.PERMISSION_DENIED, 4)],
)
def test_an_error_status_is_told(status: grpc.StatusCode, code: int) -> None:
    with in_threads(Listing(status)) as address:
        ran = run("policies", "--target", address)
    assert (ran.code, ran.out) == (code, "")
    assert ran.err == f"Error: {address} answered {status.name}: not[31m now\n"


def test_no_server_is_a_failure() -> None:
    ran = run("policies", "--target", "unix:/no/such/socket")
    assert (ran.code, ran.out) == (4, "")
    assert ran.err.startswith("Error: unix:/no/such/socket answered UNAVAILABLE: ")
