"""A judge's answer crosses the wire without loss; what is none of the contract's is None."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from consensus.domain.gradient import (
    Abstention,
    Answer,
    Evidence,
    Finding,
    FindingStatus,
    GradientResult,
    Signal,
)
from consensus.v1 import gradient_pb2, judge_pb2
from consensus.wire.gradient import answer_from, answer_to
from tests.wire.submissions import prose

units = st.floats(0, 1)
evidence = st.builds(Evidence, prose, st.none() | st.integers(0, 2**31 - 1))
findings = st.builds(
    Finding,
    criterion_id=prose,
    status=st.sampled_from(FindingStatus),
    evidence=st.lists(evidence, max_size=2).map(tuple),
    notes=prose,
)
gradients = st.builds(
    GradientResult,
    score=units,
    confidence=units,
    reasoning=prose,
    signals=st.lists(st.builds(Signal, prose, units, prose), max_size=2).map(tuple),
    findings=st.lists(findings, max_size=2).map(tuple),
    metadata=st.dictionaries(prose, prose, max_size=2),
)


@settings(max_examples=100)
@given(gradients | st.builds(Abstention, prose))
def test_what_a_judge_says_is_what_arrives(said: Answer) -> None:
    sent = answer_to(said).SerializeToString()
    assert answer_from(judge_pb2.EvaluateResponse.FromString(sent)) == said


def test_an_empty_gradient_is_a_zero_and_no_answer_is_none() -> None:
    empty = judge_pb2.EvaluateResponse(gradient=gradient_pb2.GradientResult())
    assert answer_from(empty) == GradientResult(score=0.0, confidence=0.0)
    assert answer_from(judge_pb2.EvaluateResponse()) is None


def test_an_abstention_without_a_reason_is_still_one() -> None:
    reply = judge_pb2.EvaluateResponse(abstention=gradient_pb2.Abstention())
    assert answer_from(reply) == Abstention("")


def test_message_index_zero_is_not_a_missing_one() -> None:
    for index in (None, 0, 7):
        finding = Finding(
            criterion_id="C1", status=FindingStatus.MET, evidence=(Evidence("x", index),)
        )
        said = GradientResult(score=1.0, confidence=1.0, findings=(finding,))
        message = answer_to(said)
        sent = message.gradient.findings[0].evidence[0]
        assert sent.HasField("message_index") is (index is not None)
        assert answer_from(message) == said


@pytest.mark.parametrize("status", [0, 4, 99, -1])
def test_a_finding_with_an_unknown_status_makes_the_answer_unreadable(status: int) -> None:
    known = gradient_pb2.Finding(criterion_id="C1", status=gradient_pb2.FINDING_STATUS_MET)
    unknown = gradient_pb2.Finding(criterion_id="C2", status=status)  # type: ignore[arg-type]
    gradient = gradient_pb2.GradientResult(score=1.0, findings=[known, unknown])
    assert answer_from(judge_pb2.EvaluateResponse(gradient=gradient)) is None
