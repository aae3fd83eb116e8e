"""Short names: none of the contract's is left out, and each is the contract's own value."""

import consensus_client
import pytest
from consensus_client.words import Verdict

from consensus.v1 import decision_pb2, gradient_pb2, tool_call_pb2

ENUMS = [*decision_pb2.DESCRIPTOR.enum_types_by_name.values()]
ENUMS += gradient_pb2.DESCRIPTOR.enum_types_by_name.values()
ENUMS += tool_call_pb2.DESCRIPTOR.enum_types_by_name.values()


@pytest.mark.parametrize("enum", ENUMS, ids=lambda enum: enum.name)
def test_every_value_has_its_short_name(enum: object) -> None:
    words = getattr(consensus_client, enum.name)
    for value in enum.values:
        short = value.name.removeprefix(words.PREFIX)
        assert short != value.name
        if short != "UNSPECIFIED":  # "never sent", except in overrides
            assert getattr(words, short) == value.number
            assert words.name(value.number) == short


def test_a_value_from_the_future_has_a_name_too() -> None:
    assert Verdict.name(99) == "VERDICT_99"
