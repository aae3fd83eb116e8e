"""Every member of every enum has its own value on the wire, and every value has its member."""

from collections.abc import Iterator, Sequence
from enum import Enum

import pytest
from google.protobuf.descriptor import EnumDescriptor
from msgspec.structs import replace

from consensus.domain.decision import (
    GateAnswer,
    ScenarioOutcome,
    SeatStatus,
    StageResult,
    Verdict,
)
from consensus.domain.execution import ExecutionState
from consensus.domain.gradient import Failure, FailureKind, FindingStatus
from consensus.domain.policy import StrategyName
from consensus.domain.tool_call import Denial, ToolVerdict
from consensus.v1 import decision_pb2, gradient_pb2, tool_call_pb2
from consensus.wire.decision import seat_to, stage_to
from consensus.wire.execution import state_changed_to
from consensus.wire.tool_call import verdict_to
from tests.wire.sample import CONSENSUS, CRITERION, DECISION, PASSED, SEATS, decision_to


def sent_enums() -> Iterator[tuple[type[Enum], EnumDescriptor, Sequence[int]]]:
    """Yield each enum of the domain, the contract's, and what each member is sent as."""
    of = decision_pb2.DESCRIPTOR.enum_types_by_name
    yield (
        Verdict,
        of["Verdict"],
        [decision_to(replace(DECISION, verdict=verdict)).verdict for verdict in Verdict],
    )
    tested = [replace(DECISION, scenario_outcome=outcome) for outcome in ScenarioOutcome]
    outcomes = [decision_to(decision).scenario_outcome for decision in tested]
    yield ScenarioOutcome, of["ScenarioOutcome"], outcomes
    stages = [
        replace(DECISION.stages[1], consensus=replace(CONSENSUS, strategy=strategy))
        for strategy in StrategyName
    ]
    yield StrategyName, of["Strategy"], [stage_to(stage).consensus.strategy for stage in stages]
    seats = [replace(SEATS[3], status=status) for status in SeatStatus]
    yield SeatStatus, of["SeatStatus"], [seat_to(seat).status for seat in seats]
    seats = [replace(SEATS[2], answer=Failure(kind, "")) for kind in FailureKind]
    yield FailureKind, of["FailureKind"], [seat_to(seat).failure.kind for seat in seats]
    gates = [replace(PASSED, answer=answer) for answer in GateAnswer]
    stages = [StageResult(stage="s", gate=gate) for gate in gates]
    yield GateAnswer, of["GateAnswer"], [stage_to(stage).gate.answer for stage in stages]
    criteria = [replace(CRITERION, status=status) for status in FindingStatus]
    decisions = [replace(DECISION, criteria=(criterion,)) for criterion in criteria]
    verdicts = [ToolVerdict(tool="t", rule="*", denial=denial) for denial in Denial]
    denials = tool_call_pb2.DESCRIPTOR.enum_types_by_name["Denial"]
    yield Denial, denials, [verdict_to(verdict, "").denial for verdict in verdicts]
    statuses = [decision_to(decision).criteria[0].status for decision in decisions]
    yield FindingStatus, gradient_pb2.DESCRIPTOR.enum_types_by_name["FindingStatus"], statuses
    states = [state_changed_to(state, DECISION.create_time).state for state in ExecutionState]
    yield ExecutionState, of["ExecutionState"], states


ENUMS = list(sent_enums())
NAMES = [contract.name for _, contract, _ in ENUMS]


@pytest.mark.parametrize(("domain", "contract", "sent"), ENUMS, ids=NAMES)
def test_every_member_of_an_enum_is_sent_as_the_value_of_its_name(
    domain: type[Enum], contract: EnumDescriptor, sent: Sequence[int]
) -> None:
    names = [contract.values_by_number[number].name for number in sent]
    prefix = contract.values_by_number[0].name.removesuffix("UNSPECIFIED")
    assert names == [f"{prefix}{member.name}" for member in domain]
    assert set(sent) == set(contract.values_by_number) - {0}


def test_every_enum_of_the_contract_is_looked_at() -> None:
    files = (decision_pb2.DESCRIPTOR, gradient_pb2.DESCRIPTOR, tool_call_pb2.DESCRIPTOR)
    assert set(NAMES) == {name for file in files for name in file.enum_types_by_name}
