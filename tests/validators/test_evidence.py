"""A quotation is located where it says it stands: exactly, or evened out."""

from collections.abc import Sequence

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from consensus.domain.gradient import Evidence
from consensus.domain.submission import Message, ProcessResult, Submission
from consensus.validators import Locator

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


@settings(deadline=None)
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


@settings(deadline=None)
@given(st.lists(st.sampled_from("ab\"'-"), min_size=1), st.sampled_from([" ", "\n\t", "\u2003"]))
def test_white_space_and_typographic_marks_make_no_difference(
    marks: Sequence[str], gap: str
) -> None:
    fancy = {'"': "\N{LEFT DOUBLE QUOTATION MARK}", "'": "\N{RIGHT SINGLE QUOTATION MARK}"}
    written = gap.join(fancy.get(mark, "\N{EM DASH}" if mark == "-" else mark) for mark in marks)
    assert Locator(Submission(task="t", candidate=written)).holds(Evidence(" ".join(marks)))
