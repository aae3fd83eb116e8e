"""Expressions run on RE2, bounded in size."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from consensus.validators.effort import Effort, EffortSpentError
from consensus.validators.expressions import (
    MAX_PATTERN,
    MAX_PROGRAM,
    ExpressionError,
    compiled,
    require_sound,
    search,
)


def test_a_search_returns_the_first_match() -> None:
    assert search(r"[a-z]+\d", b"-- ab1 cd2", Effort()) == "ab1"
    assert search("é+", "caféé".encode(), Effort()) == "éé"
    assert search("z", b"abc", Effort()) is None


@pytest.mark.parametrize(
    ("pattern", "words"),
    [
        ("(", r"missing \)"),
        (r"(a)\1", "invalid escape sequence"),
        ("(?=a)", "invalid perl operator"),
        ("", f"has 0 characters; must have 1 to {MAX_PATTERN}"),
        ("a" * (MAX_PATTERN + 1), "has 1001 characters"),
        (".{999}", f"compiles to [0-9]+ steps, {MAX_PROGRAM} at most"),
        (r"(?:\pL|\pN|\pS|\pP){30}", "too large"),
        (r"(?:\pL|\pN){4}", f"compiles to [0-9]+ steps, {MAX_PROGRAM} at most"),
    ],
)
def test_what_re2_does_not_take_is_refused_with_a_reason(pattern: str, words: str) -> None:
    with pytest.raises(ExpressionError, match=words):
        compiled(pattern)


def test_compiling_costs_the_same_whether_or_not_it_was_done_before() -> None:
    pattern = r"only [a-z]+ here"
    spent = []
    for _ in range(2):
        effort = Effort()
        require_sound(pattern, effort)
        spent.append(effort.left)
    assert spent[0] == spent[1] < Effort().left


def test_small_expressions_search_long_texts_cheaply() -> None:
    text, effort = b"x" * 4_000_000, Effort()
    assert search("zq", text, effort) is None
    with pytest.raises(EffortSpentError):
        search("(x|y)*z(x|y){20}z", text, effort)


@given(st.text(max_size=30), st.text(max_size=50))
def test_any_pattern_is_refused_or_searched(pattern: str, text: str) -> None:
    try:
        found = search(pattern, text.encode(), Effort())
    except ExpressionError:
        return
    assert found is None or "\\C" in pattern or found in text
