"""Numbers, words and code blocks are found where they stand, however long the text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from consensus.domain.submission import Submission
from consensus.validators.effort import Effort
from consensus.validators.text import (
    _CHUNK,
    _NUMBER,
    code_blocks,
    last_number,
    near,
    target,
    unfenced,
    word_count,
)


def last(text: str) -> str:
    return last_number(text, Effort())


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("", ""),
        ("no number", ""),
        ("The answer is 42.", "42"),
        ("It is 1,234,567.5 euro", "1,234,567.5"),
        ("1,2345", "2345"),
        ("between 3-5", "5"),
        ("from 2020\N{EN DASH}2021", "2021"),
        ("(2)-4", "4"),
        ("x = -7", "-7"),
        ("x = \N{MINUS SIGN}7", "\N{MINUS SIGN}7"),
        ("1e-5 is small", "1e-5"),
        ("a share of .25", ".25"),
        ("version 1.2.3", ".3"),
        ("42 and then some words", "42"),
        ("٤٢", "٤٢"),
        ("9" * 5_000, "9" * 5_000),
    ],
)
def test_the_last_number_is_found_as_written(text: str, number: str) -> None:
    assert last(text) == number


@given(st.text("019,.eE+-\N{MINUS SIGN}٤ x)\n", max_size=40), st.integers(0, 3))
def test_the_last_number_is_what_a_scan_of_the_whole_text_finds(text: str, repeats: int) -> None:
    text = text * (1 + repeats)
    whole = [match[0] for match in _NUMBER.finditer(text)]
    assert last(text) == (whole[-1] if whole else "")


@given(st.text(max_size=200))
def test_any_text_has_the_last_number_of_its_scan(text: str) -> None:
    whole = [match[0] for match in _NUMBER.finditer(text)]
    assert last(text) == (whole[-1] if whole else "")


@pytest.mark.parametrize(
    ("written", "value", "tolerance", "holds"),
    [
        ("42", 42, 0, True),
        ("42.0", 42, 0, True),
        ("1,000", 1000, 0, True),
        ("\N{MINUS SIGN}5", -5, 0, True),
        ("0.1000000001", 0.1, 0, False),
        ("1.1", 1.0, 0.1, True),
        ("0.3", 0.1, 0.2, True),
        ("1.11", 1.0, 0.1, False),
        ("9" * 400, 1.0, 0.1, False),
        ("1", float("nan"), 0.1, False),
        ("1", 2.0, float("inf"), False),
        ("1", 1.0, -1.0, False),
    ],
)
def test_a_number_is_near_within_the_tolerance_inclusive(
    written: str, value: float, tolerance: float, holds: bool
) -> None:
    assert near(written, value, tolerance) is holds


@given(st.integers(-(10**6), 10**6), st.integers(0, 10**6), st.integers(0, 6))
def test_nearness_is_decimal_arithmetic(base: int, step: int, digits: int) -> None:
    scale = 10**digits
    written = f"{(base + step) / scale:.6f}"
    assert near(written, base / scale, step / scale)


@given(st.text("a \n\u2003", max_size=50))
def test_words_are_counted_between_white_space(text: str) -> None:
    assert word_count(text) == len(text.split())


@pytest.mark.parametrize("seam", ["ab", "a ", " b", "  "])
def test_a_word_across_chunks_counts_once(seam: str) -> None:
    text = "x" * (_CHUNK - 1) + seam + "y" * 10
    assert word_count(text) == len(text.split())


@pytest.mark.parametrize(
    ("text", "blocks"),
    [
        ("```py\na\nb\n```", [("py", "a\nb")]),
        ("```\n```", [("", "")]),
        ("~~~ SQL rows\nselect\n~~~\n", [("sql", "select")]),
        ("```\nnever closed", []),
        ("````md\n```py\nx\n```\n````", [("md", "```py\nx\n```")]),
        ("```a\nx\n```b\ny\n```", [("a", "x\n```b\ny")]),
        ("   ```go\r\nx\r\n   ```\r\n", [("go", "x\r")]),
        ("    ```go\nx\n    ```", []),
        ("inline ```code``` only", []),
        ("```one```\nnot a fence", []),
        ("```\na\n~~~\nb\n```", [("", "a\n~~~\nb")]),
        ("```a\n1\n```\n```b\n2\n```", [("a", "1"), ("b", "2")]),
    ],
)
def test_closed_code_blocks_are_found(text: str, blocks: list[tuple[str, str]]) -> None:
    assert code_blocks(text, Effort()) == blocks


@given(st.text("`~ \nab", max_size=60))
def test_a_code_block_stands_in_the_text(text: str) -> None:
    assert all(content in text for _, content in code_blocks(text, Effort()))


@pytest.mark.parametrize(
    ("text", "inner"),
    [
        ("```json\n{}\n```", "{}"),
        ("  ~~~\n[1]\n~~~\n", "[1]"),
        ("before\n```json\n{}\n```", None),
        ("```json\n{}\n```\nafter", None),
        ("```\n1\n```\n```\n2\n```", None),
        ("{}", None),
        ("```", None),
    ],
)
def test_a_fence_around_everything_is_taken_off(text: str, inner: str | None) -> None:
    assert unfenced(text, Effort()) == (text if inner is None else inner)


def test_the_fence_expression_never_goes_back_on_itself() -> None:
    hostile = "```" + "a" * 200_000 + "`"
    assert code_blocks(hostile, Effort()) == []


def test_an_output_is_looked_at_as_text_or_as_json() -> None:
    submission = Submission(task="t", candidate="c", outputs={"s": "x\ny", "n": [1, "ä"]})
    assert target(submission, "") == "c"
    assert target(submission, "s") == "x\ny"
    assert target(submission, "n") == '[1, "ä"]'
    assert target(submission, "none") is None


def test_an_output_that_is_no_json_has_no_text() -> None:
    endless: list[object] = []
    endless.append(endless)
    submission = Submission(task="t", outputs={"set": {1}, "endless": endless})
    assert target(submission, "set") is None
    assert target(submission, "endless") is None
