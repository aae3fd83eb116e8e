"""Checks hold where they should, say what was seen, and quote it."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from consensus.domain.gradient import Evidence
from consensus.domain.submission import (
    Check,
    CheckKind,
    CodeBlock,
    Contains,
    ContainsAll,
    JsonSchema,
    LengthLimit,
    NotContains,
    NumericAnswer,
    Regex,
    Submission,
)
from consensus.validators import Locator, run_checks
from consensus.validators.checks import MAX_MESSAGE, MAX_QUOTE
from tests.validators.checking import checked, holds

TEXT = "The tower is 324 m high.\n\n```Python\n\n  print(324)\n```\n"


@pytest.mark.parametrize(
    ("kind", "passed", "message", "quotes"),
    [
        (Contains("324 m"), True, "found", ["324 m"]),
        (Contains("TOWER"), False, "not found: 'TOWER'", []),
        (ContainsAll(("tower", "high")), True, "found", ["tower", "high"]),
        (ContainsAll(("tower", "low", "x")), False, "not found: 'low', 'x'", []),
        (NotContains("cathedral"), True, "not found", []),
        (NotContains("tower"), False, "found", ["tower"]),
        (Regex(r"\d+ m\b"), True, "matched", ["324 m"]),
        (Regex(r"^high"), False, "no match", []),
        (Regex(r"x*"), True, "matched", []),
        (NumericAnswer(324), True, "the last number is 324", ["324"]),
        (NumericAnswer(325), False, "the last number is 324", ["324"]),
        (NumericAnswer(325, 1), True, "the last number is 324", ["324"]),
        (LengthLimit(min_words=6), True, "9 words, 54 characters", []),
        (LengthLimit(max_chars=54), True, "9 words, 54 characters", []),
        (LengthLimit(max_words=8), False, "9 words, 54 characters", []),
        (LengthLimit(min_chars=55), False, "9 words, 54 characters", []),
        (CodeBlock("python"), True, "found", ["print(324)"]),
        (CodeBlock("*"), True, "found", ["print(324)"]),
        (CodeBlock("go"), False, "the code blocks are python", []),
    ],
)
def test_a_check_says_whether_it_holds_what_was_seen_and_quotes_it(
    kind: CheckKind, passed: bool, message: str, quotes: list[str]
) -> None:
    result = checked(kind, TEXT)
    assert (result.passed, result.message) == (passed, message)
    assert [evidence.quote for evidence in result.evidence] == quotes


def test_a_text_without_a_number_has_no_numeric_answer() -> None:
    result = checked(NumericAnswer(0), "none at all")
    assert (result.passed, result.message) == (False, "there is no number")


def test_a_text_without_a_fence_has_no_code_block() -> None:
    assert checked(CodeBlock("*"), "print(1)").message == "there is no closed code block"


def test_an_empty_code_block_is_seen_and_is_not_enough() -> None:
    result = checked(CodeBlock("*"), "```\n \n```")
    assert (result.passed, result.message) == (False, "the code blocks are untagged")


def test_the_first_code_block_of_a_language_is_quoted() -> None:
    result = checked(CodeBlock("sh"), "```sh\nls\n```\n```sh\ncd\n```")
    assert result.evidence == (Evidence("ls"),)


def test_a_later_code_block_makes_up_for_an_empty_one() -> None:
    assert holds(CodeBlock("sh"), "```sh\n```\nthen\n```sh\nls\n```")


def test_a_json_check_reads_the_text_less_a_code_fence() -> None:
    schema = JsonSchema({"type": "object", "required": ["a"]})
    assert holds(schema, '{"a": 1}')
    assert holds(schema, '```json\n{"a": 1}\n```')
    assert checked(schema, "{}").message == "$: 'a' is a required property"


@pytest.mark.parametrize(
    "text", ["", "{", "'a'", "NaN", "-Infinity", "1e999", "[" * 100_000, "9" * 5_000, "{} {}"]
)
def test_what_is_not_json_says_so(text: str) -> None:
    assert checked(JsonSchema({}), text).message.startswith("not JSON: ")


def test_a_check_of_an_output_looks_at_that_output_alone() -> None:
    outputs = {"note": "plain text", "data": {"total": 12, "größe": "ä"}}
    assert checked(Contains("plain"), "", "note", outputs).passed
    assert not checked(Contains("plain"), "plain", "data", outputs).passed
    assert checked(Contains('"größe": "ä"'), "", "data", outputs).passed
    assert checked(JsonSchema({"required": ["total"]}), "", "data", outputs).passed


def test_a_check_of_a_missing_output_does_not_hold() -> None:
    result = checked(Contains("a"), "a", "none")
    assert (result.passed, result.message) == (False, "there is no readable output 'none'")


def test_a_check_of_an_output_that_is_not_json_does_not_hold() -> None:
    assert not checked(Contains("a"), "a", "odd", {"odd": {"a"}}).passed


def test_an_unsound_expression_does_not_hold_and_says_why() -> None:
    assert checked(Regex("("), "(").message == "not an RE2 expression: missing ): ("


def test_an_unsound_schema_does_not_hold_and_says_why() -> None:
    words = "the schema is not a JSON Schema: 1 is not valid"
    assert checked(JsonSchema({"type": 1}), "1").message.startswith(words)


def test_results_come_in_the_order_of_the_checks() -> None:
    submission = Submission(task="t", candidate="abc", outputs={"o": "xyz"})
    checks = [Check(Contains("z"), "o"), Check(Contains("a")), Check(Contains("b"), "o")]
    results = run_checks(checks, submission)
    assert [result.passed for result in results] == [True, True, False]
    assert results[0].check == "contains \"z\" in output 'o'"


def test_quotes_and_messages_are_cut() -> None:
    long = "x" * 5_000
    result = checked(Contains(long), long)
    assert result.evidence == (Evidence("x" * MAX_QUOTE),)
    missing = ContainsAll(tuple(f"{long}{index}" for index in range(64)))
    assert len(checked(missing, "").message) <= MAX_MESSAGE


@pytest.mark.parametrize("candidate", ["\ud800", '"\ud800"', '{"\ud800": "\ud800"}'])
def test_a_lone_surrogate_is_read_like_any_character(candidate: str) -> None:
    assert not holds(Regex("x"), candidate)
    for schema in ({"pattern": "x"}, {"propertyNames": {"maxLength": 0}}, {"const": 1}):
        assert checked(JsonSchema(schema), candidate).message.isprintable()


KINDS = st.one_of(
    st.builds(Contains, st.text(max_size=5)),
    st.builds(ContainsAll, st.lists(st.text(max_size=5), max_size=3).map(tuple)),
    st.builds(NotContains, st.text(max_size=5)),
    st.builds(Regex, st.text(max_size=8)),
    st.builds(NumericAnswer, st.floats(), st.floats()),
    st.builds(LengthLimit, *[st.none() | st.integers()] * 4),
    st.builds(CodeBlock, st.text(max_size=5)),
    st.builds(
        JsonSchema,
        st.dictionaries(
            st.sampled_from(["type", "items", "enum", "$ref", "pattern", "properties", "not"]),
            st.recursive(
                st.none() | st.booleans() | st.floats() | st.text(max_size=5),
                lambda inner: (
                    st.lists(inner, max_size=3)
                    | st.dictionaries(st.text(max_size=5), inner, max_size=3)
                ),
                max_leaves=5,
            ),
        ),
    ),
)
TEXTS = st.text(max_size=60) | st.text('`~\n json[]{}",:.0123456789eE+-', max_size=60)
SURROGATES = st.characters(categories=["Cs", "Lu", "Nd"])
JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=8,
).map(json.dumps)


@given(
    kinds=st.lists(KINDS, max_size=4),
    candidate=TEXTS | JSON | st.text(SURROGATES, max_size=9),
    output=st.sampled_from(["", "o", "p"]),
)
def test_checks_never_raise_and_quote_only_what_is_there(
    kinds: list[CheckKind], candidate: str, output: str
) -> None:
    submission = Submission(task="t", candidate=candidate, outputs={"o": candidate, "p": [1]})
    results = run_checks([Check(kind, output) for kind in kinds], submission)
    assert len(results) == len(kinds)
    for result in results:
        assert len(result.message) <= MAX_MESSAGE
        assert all(len(evidence.quote) <= MAX_QUOTE for evidence in result.evidence)
        if candidate.isprintable():
            assert all(
                Locator(submission).holds(evidence)
                for evidence in result.evidence
                if evidence.quote.strip()
            )


def test_a_number_too_large_for_a_double_is_not_json() -> None:
    result = checked(JsonSchema({"type": "number"}), "1e999")
    assert not result.passed
    assert "too large" in result.message


def test_a_whole_number_may_be_written_with_a_fraction() -> None:
    assert checked(JsonSchema({"type": "integer"}), "2.0").passed
    assert not checked(JsonSchema({"type": "integer"}), "2.5").passed
