"""Unsound checks are named by field, with the value and what is allowed."""

import math

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
from consensus.validators import check_faults


def faults(kind: CheckKind) -> list[tuple[str, str]]:
    return list(check_faults(Check(kind)))


@pytest.mark.parametrize(
    "kind",
    [
        Contains("a"),
        ContainsAll(("a",) * 64),
        NotContains("a" * 4_000),
        Regex(r"^\d{4}$"),
        JsonSchema({"type": "object"}),
        NumericAnswer(0, 0),
        LengthLimit(min_words=0, max_words=0),
        LengthLimit(min_words=3, max_chars=1),
        CodeBlock("*"),
        SqlQuery(),
        SqlQuery("x" * 100_000, ("a",) * 256, 10_000),
        UrlAnswer("x" * 4_000),
        CodeRun("python", "x" * 100_000),
    ],
)
def test_a_sound_check_has_no_fault(kind: CheckKind) -> None:
    assert faults(kind) == []


@pytest.mark.parametrize(
    ("kind", "field", "words"),
    [
        (Contains(""), "contains", "has 0 characters; must have 1 to 4000"),
        (NotContains("a" * 4_001), "not_contains", "has 4001 characters; must have 1 to 4000"),
        (ContainsAll(()), "contains_all", "has 0 values; must have 1 to 64"),
        (ContainsAll(("a",) * 65), "contains_all", "has 65 values; must have 1 to 64"),
        (ContainsAll(("a", "")), "contains_all[1]", "has 0 characters; must have 1 to 4000"),
        (Regex(""), "regex", "has 0 characters; must have 1 to 1000"),
        (Regex("["), "regex", "is not an RE2 expression: missing ]: ["),
        (JsonSchema({"type": "x"}), "json_schema", "is not a JSON Schema: 'x' is not valid"),
        (NumericAnswer(math.nan), "numeric.value", "is nan; must be finite"),
        (NumericAnswer(1, -1), "numeric.tolerance", "is -1; must be finite and at least 0"),
        (NumericAnswer(1, math.inf), "numeric.tolerance", "is inf; must be finite"),
        (SqlQuery("x" * 100_001), "sql.setup", "has 100001 characters; at most 100000"),
        (SqlQuery(columns=("a",) * 257), "sql.columns", "has 257 entries; at most 256"),
        (SqlQuery(columns=("a", "")), "sql.columns[1]", "has 0 characters; must have 1 to 200"),
        (SqlQuery(min_rows=-1), "sql.min_rows", "is -1; must be 0 to 10000"),
        (UrlAnswer("x" * 4_001), "url.contains", "has 4001 characters; at most 4000"),
        (CodeRun("perl"), "code_run.language", "is 'perl'; must be one of python"),
        (CodeRun("python", "x" * 100_001), "code_run.test", "has 100001 characters"),
        (LengthLimit(), "length", "is empty; set at least one of min_words, max_words"),
        (LengthLimit(max_words=-1), "length.max_words", "is -1; must be at least 0"),
        (LengthLimit(min_chars=5, max_chars=4), "length.min_chars", "is 5, above max_chars, 4"),
        (CodeBlock(""), "code_block", "has 0 characters; must have 1 to 40"),
    ],
)
def test_an_unsound_check_names_its_field(kind: CheckKind, field: str, words: str) -> None:
    ((found, message),) = faults(kind)
    assert found == field
    assert message.startswith(words)
