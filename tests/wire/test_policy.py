"""Overrides come in with zero and unset apart; policies go out as they were loaded."""

import pytest

from consensus.domain.judges import JudgeSpec
from consensus.domain.policy import Overrides, PolicySet, Seat, Stage, StrategyName
from consensus.domain.submission import Check, Contains
from consensus.v1 import consensus_pb2 as pb
from consensus.v1 import decision_pb2
from consensus.wire.policy import overrides_from, policies_to
from tests.builders import policy, stage

NUMBERS = ("threshold", "n", "min_score", "min_confidence", "min_agreement")


def test_nothing_set_changes_nothing() -> None:
    assert overrides_from(pb.Overrides()) == Overrides()


@pytest.mark.parametrize("name", NUMBERS)
def test_a_zero_is_a_change_and_an_unset_number_is_none(name: str) -> None:
    overrides = overrides_from(pb.Overrides(**{name: 0}))  # type: ignore[arg-type]
    assert getattr(overrides, name) == 0
    assert [other for other in NUMBERS if getattr(overrides, other) is not None] == [name]


def test_every_strategy_of_the_contract_is_known() -> None:
    names = decision_pb2.Strategy.keys()[1:]
    found = [overrides_from(pb.Overrides(strategy=name)).strategy for name in names]
    assert found == list(StrategyName)
    assert overrides_from(pb.Overrides(strategy=99)).strategy is None  # type: ignore[arg-type]


def test_policies_go_out_in_the_order_of_the_file_with_the_default_marked() -> None:
    names = ("strict", "lax", "off")
    policies = {name: policy(stage("a"), name=name, enabled=name != "off") for name in names}
    judges = {"a": JudgeSpec(name="a", kind="embedded")}
    rules = PolicySet(policies=policies, judges=judges, default="lax")
    listed = policies_to(rules, str).policies
    assert [(one.name, one.default, one.enabled) for one in listed] == [
        ("strict", False, True),
        ("lax", True, True),
        ("off", False, False),
    ]


def test_a_stage_goes_out_with_its_seats_and_bounds() -> None:
    seats = Seat(judge="a", weight=2.0), Seat(judge="b", weight=0.0)
    panel = stage(
        *seats,
        name="strong",
        strategy=StrategyName.MAJORITY,
        quorum=1,
        min_score=0.8,
        min_confidence=0.5,
        min_agreement=0.25,
    )
    checks = Stage(
        name="cheap",
        checks=(Check(Contains("x")), Check(Contains("y"))),
        on_pass=panel.on_pass,
        on_fail=panel.on_fail,
        on_unsure=panel.on_unsure,
        on_no_quorum=None,
    )
    judges = {
        "a": JudgeSpec(name="a", kind="embedded"),
        "b": JudgeSpec(name="b", kind="remote", target="t"),
    }
    rules = policy(checks, panel, description="Two stages.", revision="sha256:7")
    policies = PolicySet(policies={"rules": rules}, judges=judges, default="rules")
    sent = policies_to(policies, lambda check: f"seen {check.output or 'candidate'}").policies[0]
    assert (sent.description, sent.revision) == ("Two stages.", "sha256:7")
    assert sent.stages[0] == pb.StageSummary(name="cheap", checks=["seen candidate"] * 2)
    assert sent.stages[1] == pb.StageSummary(
        name="strong",
        strategy=decision_pb2.STRATEGY_MAJORITY,
        quorum=1,
        seats=[
            pb.SeatSummary(judge="a", kind="embedded", weight=2.0),
            pb.SeatSummary(judge="b", kind="remote", weight=0.0),
        ],
        min_score=0.8,
        min_confidence=0.5,
        min_agreement=0.25,
    )
