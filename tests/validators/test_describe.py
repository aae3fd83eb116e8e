"""A check says in words what it asks for."""

import pytest

from consensus.domain.submission import (
    Check,
    CheckKind,
    CodeBlock,
    CodeRun,
    Contains,
    ContainsAll,
    JsonSchema,
    LengthLimit,
    NotContains,
    NumericAnswer,
    Regex,
    SqlQuery,
    UrlAnswer,
)
from consensus.validators import describe


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        (Contains("Paris"), 'contains "Paris"'),
        (Contains("x" * 70), f'contains "{"x" * 59}…"'),
        (ContainsAll(("a", "b")), 'contains all of "a", "b"'),
        (ContainsAll(tuple("abcdef")), 'contains all of "a", "b", "c", "d" and 2 more'),
        (SqlQuery(), "is a query that runs"),
        (
            SqlQuery("x", ("a", "b"), 2),
            "is a query that runs and gives columns a, b and at least 2 rows",
        ),
        (
            SqlQuery(columns=tuple("abcdefghij")),
            "is a query that runs and gives columns a, b, c, d, e, f, g, h and 2 more",
        ),
        (SqlQuery(min_rows=1), "is a query that runs and gives at least 1 rows"),
        (UrlAnswer(), "names URLs that answer"),
        (UrlAnswer("Paris"), 'names URLs that answer with "Paris"'),
        (CodeRun("python"), "holds python code that runs"),
        (CodeRun("python", "assert 1"), "holds python code that runs and passes its test"),
        (NotContains("TODO"), 'does not contain "TODO"'),
        (Regex(r"\d+"), r"matches /\d+/"),
        (JsonSchema({}), "is JSON by its schema"),
        (NumericAnswer(1_234_567), "ends on the number 1234567"),
        (NumericAnswer(0.5, 0.25), "ends on the number 0.5 +- 0.25"),
        (LengthLimit(min_words=2, max_words=9), "has 2 to 9 words"),
        (LengthLimit(min_words=2, max_chars=9), "has at least 2 words and at most 9 characters"),
        (CodeBlock("python"), "holds a python code block"),
        (CodeBlock("*"), "holds a code block"),
    ],
)
def test_a_check_is_described(kind: CheckKind, words: str) -> None:
    assert describe(Check(kind)) == words
    assert describe(Check(kind, "out")) == f"{words} in output 'out'"
