"""A quotation is located where it says it stands: exactly, or evened out."""

from collections.abc import Sequence

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from consensus.domain.gradient import Evidence
from consensus.domain.submission import Message, ProcessResult, Submission
from consensus.validators import Locator
from tests.traces.building import SAMPLE, span

SUBMISSION = Submission(
    task="t",
    candidate="The tower “opens” at nine —\n  every day.",
    outputs={"data": {"total": 12}, "note": "closed on Monday"},
    messages=(Message("user", "When does it open?"), Message("tool", "")),
    process=ProcessResult(1, "KeyError: 'price'"),
)


def held(quote: str, index: int | None = None) -> bool:
    return Locator(SUBMISSION).holds(Evidence(quote, index))


@pytest.mark.parametrize(
    "quote",
    [
        "The tower “opens”",
        "at nine —\n  every day.",
        'tower "opens" at',
        "at nine - every\tday",
        '"total": 12',
        "closed on Monday",
        "KeyError: 'price'",
        "  closed   on ",
    ],
)
def test_a_quotation_of_candidate_or_outputs_is_held(quote: str) -> None:
    assert held(quote)


@pytest.mark.parametrize(
    "quote", ["", "  \n", "the tower", "opens at ten", "When does it open?", "x" * 500, "12closed"]
)
def test_what_is_not_there_is_not_held(quote: str) -> None:
    assert not held(quote)


def test_a_quotation_of_a_message_is_held_for_that_message_alone() -> None:
    assert held("does it open", 0)
    assert not held("does it open", 1)
    assert not held("The tower", 0)


@pytest.mark.parametrize("index", [-1, 2, 10**9])
def test_a_message_that_does_not_exist_holds_nothing(index: int) -> None:
    assert not held("open", index)


def test_a_locator_answers_the_same_again() -> None:
    locator = Locator(SUBMISSION)
    questions = [Evidence('"opens"'), Evidence("missing"), Evidence("it", 0)] * 2
    assert [locator.holds(evidence) for evidence in questions] == [True, False, True] * 2


def test_an_output_that_is_no_json_holds_nothing() -> None:
    assert not Locator(Submission(task="t", outputs={"odd": {1}})).holds(Evidence("1"))


@given(st.text(min_size=1, max_size=80), st.data())
def test_every_part_of_a_text_is_held(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text) - 1))
    quote = text[start : data.draw(st.integers(start, len(text)))]
    assume(quote.strip())
    for submission, index in (
        (Submission(task="t", candidate=text), None),
        (Submission(task="t", outputs={"o": text}), None),
        (Submission(task="t", messages=(Message("user", text),)), 0),
    ):
        assert Locator(submission).holds(Evidence(quote, index))


@given(st.lists(st.sampled_from("ab\"'-"), min_size=1), st.sampled_from([" ", "\n\t", "\u2003"]))
def test_white_space_and_typographic_marks_make_no_difference(
    marks: Sequence[str], gap: str
) -> None:
    fancy = {'"': "\N{LEFT DOUBLE QUOTATION MARK}", "'": "\N{RIGHT SINGLE QUOTATION MARK}"}
    written = gap.join(fancy.get(mark, "\N{EM DASH}" if mark == "-" else mark) for mark in marks)
    assert Locator(Submission(task="t", candidate=written)).holds(Evidence(" ".join(marks)))


TRACED = Submission(
    task="t",
    candidate="sunny",
    messages=(Message("tool", '{"city":"Paris"}'),),
    trace=(
        *SAMPLE,
        span("abcd11112222", "twin"),
        span("abcd11113333", "twin"),
        span("beef0000", "once"),
        span("beef0000", "once"),
        span("cafe0000", "two traces"),
        span("cafe0000", "two traces", trace_id="1" * 32),
        span("feed0000", attributes={"k": "x" * 4_000_000}),
    ),
)


@pytest.mark.parametrize(
    ("span_id", "quote", "holds"),
    [
        pytest.param("c2d3e4f5", 'tool.input: {"city": "Paris"}', True, id="a line as told"),
        pytest.param("c2d3e4f500000000", '"temp": 22', True, id="the whole id"),
        pytest.param("c2d3e4f5", "tool.fetch_weather", True, id="its name"),
        pytest.param("a0b1c2d3", "sunny", False, id="another span"),
        pytest.param("ffffffff", "sunny", False, id="no such span"),
        pytest.param("c2d3e4f", "sunny", False, id="seven digits"),
        pytest.param("c2d3e4f5000000000", "sunny", False, id="seventeen digits"),
        pytest.param("C2D3E4F5", "sunny", False, id="capitals"),
        pytest.param("c2d3e4f6", "sunny", False, id="the last digit differs"),
        pytest.param("abcd1111", "twin", False, id="two begin so"),
        pytest.param("abcd11113", "twin", True, id="one begins so"),
        pytest.param("beef0000", "once", True, id="a span that comes twice"),
        pytest.param("cafe0000", "two traces", False, id="the same id in two traces"),
        pytest.param("feed0000", "xxx", True, id="four million characters"),
        pytest.param("feed0000", "x “x", False, id="too many to be evened out"),
    ],
)
def test_a_quotation_of_a_span_is_held_for_the_one_span_whose_id_begins_so(
    span_id: str, quote: str, holds: bool
) -> None:
    located = Locator(TRACED)
    assert located.holds(Evidence(quote, span_id=span_id)) is holds
    assert located.holds(Evidence(quote, 0, span_id)) is holds


def test_a_message_may_be_quoted_as_it_is_told_in_one_line() -> None:
    located = Locator(TRACED)
    for quote in ('{"city":"Paris"}', '{"city": "Paris"}', '"city": "Paris"'):
        assert located.holds(Evidence(quote, 0))
    assert not located.holds(Evidence('"city": "Rome"', 0))


def test_one_locator_tells_spans_from_each_other() -> None:
    located = Locator(TRACED)
    assert [located.holds(Evidence("sunny", span_id=i)) for i in ("c2d3e4f5", "a0b1c2d3")] == [
        True,
        False,
    ]
    assert not Locator(SUBMISSION).holds(Evidence("a", span_id="c2d3e4f5"))
