"""Quotations of spans: verified where they say they stand, and struck elsewhere."""

import json

import pytest

from consensus.v1 import decision_pb2, gradient_pb2
from tests.systems.scenario_traces.looking import (
    Looking,
    met,
    rubric,
    says,
    traced,
)
from tests.traces.building import SAMPLE, span

SCORED, FAILED = decision_pb2.SEAT_STATUS_SCORED, decision_pb2.SEAT_STATUS_FAILED


QUOTES: dict[str, tuple[str, str, bool]] = {
    "a line as it is told": ("c2d3e4f5", 'tool.input: {"city": "Paris"}', True),
    "a text inside, by the whole id": ("c2d3e4f500000000", '"temp": 22', True),
    "in brackets and capitals": ("[C2D3E4F5]", "sunny", True),
    "another span": ("a0b1c2d3", "sunny", False),
    "no such span": ("ffffffff", "sunny", False),
    "seven digits": ("c2d3e4f", "sunny", False),
    "no digits": ("the weather", "sunny", False),
    "two spans begin so": ("abcd1111", "twin", False),
    "one of them, by its whole id": ("abcd111122220000", "twin", True),
    "words that are not there": ("c2d3e4f5", "rainy", False),
}


@pytest.mark.parametrize("what", QUOTES)
async def test_a_quotation_is_looked_for_in_its_span(bench: Looking, kind: str, what: str) -> None:
    span_id, quote, held = QUOTES[what]
    spans = [*SAMPLE, span("abcd11112222", "twin"), span("abcd11113333", "twin")]
    decision, calls = await bench.decide(
        f"tools.{kind}",
        says(0.9, [met("C1", quote, span_id)]),
        trace=traced(*spans),
        rubric=rubric("C1"),
    )
    evidence = calls[0].schema["properties"]["findings"]["items"]["properties"]["evidence"]  # type: ignore[index]
    assert list(evidence["items"]["properties"]) == ["message_index", "span_id", "quote"]
    assert "`span_id` is the first 8 digits" in json.dumps(calls[0].body)
    seat = decision.stages[0].consensus.individual_results[0]
    finding = seat.gradient.findings[0]
    assert seat.struck_count == (not held)
    if held:
        assert finding.status == gradient_pb2.FINDING_STATUS_MET
        assert finding.evidence[0].span_id == span_id.strip("[]").lower()
        assert decision.criteria[0].evidence[0].span_id == finding.evidence[0].span_id
        assert decision.verdict == decision_pb2.VERDICT_ACCEPT
    else:
        assert finding.status == gradient_pb2.FINDING_STATUS_INCONCLUSIVE
        assert decision.verdict == decision_pb2.VERDICT_RETRY
