"""Arguments of tool calls: what is read, what is searched, and that the work has an end."""

from typing import Any

import pytest

from consensus.domain.tools import ToolRule
from consensus.validators.arguments import ArgumentsError, argument_checks, read_arguments

UNREADABLE: dict[str, tuple[Any, str]] = {
    "no JSON": ("{", "is not JSON"),
    "a list": ("[]", "no object"),
    "a number": ("1", "no object"),
    "a key twice": ('{"a": 1, "b": {"c": 1, "c": 2}}', "'c' stands twice"),
    "Infinity": ('{"a": Infinity}', "not a JSON number"),
    "a number too large": ('{"a": [1e999]}', "not finite"),
    "half a character": ('{"a": "\\ud800"}', "half a character"),
    "half a character in a key": ('{"\\udfff": 1}', "half a character"),
    "brackets without end": ("[" * 200_000, "nested too deep"),
    "17 levels": ('{"a":' * 17 + "1" + "}" * 17, "deeper than 16"),
    "too long a text": (" " * 1_000_001, "1000001 characters"),
    "too long an object": ({"a": "x" * 1_000_000}, "more than 1000000"),
    "too many values": ({"a": [1] * 100_000}, "more than 100000 values"),
    "a number of 5,000 digits": ('{"a": ' + "1" * 5_000 + "}", "is not JSON"),
}


@pytest.mark.parametrize("what", UNREADABLE)
def test_arguments_that_cannot_be_read_are_refused(what: str) -> None:
    given, words = UNREADABLE[what]
    with pytest.raises(ArgumentsError, match=words):
        read_arguments(given)


@pytest.mark.parametrize(
    ("given", "found"),
    [
        ("", {}),
        ("  ", {}),
        ({}, {}),
        ('{"é": [1, null, "a"]}', {"é": [1, None, "a"]}),
        ('{"a":' * 16 + "1" + "}" * 16, None),
    ],
)
def test_sound_arguments_are_read(given: Any, found: Any) -> None:
    read = read_arguments(given)
    assert found is None or read == found


SEARCHED: dict[str, tuple[str, dict[str, Any], str]] = {
    "a value": ("^bad$", {"a": "bad"}, "arguments.a matches"),
    "a part of a value": ("bad", {"a": "so bad it is"}, "arguments.a matches"),
    "a key": ("bad", {"bad": 1}, "the key arguments.bad matches"),
    "a nested value": ("bad", {"a": [{"b": "bad"}]}, "arguments.a[0].b matches"),
    "a list as one line": ("^rm -rf$", {"a": ["rm", "-rf"]}, "arguments.a matches"),
    "a number": ("^22$", {"port": 22}, "arguments.port matches"),
    "a truth value": ("^true$", {"force": True}, "arguments.force matches"),
    "an absence": ("^null$", {"a": None}, "arguments.a matches"),
    "nothing": ("bad", {"a": ["good", {"b": 1}]}, "no match"),
    "too many values": ("bad", {"a": [str(i) for i in range(60_000)]}, "not checked"),
}


@pytest.mark.parametrize("what", SEARCHED)
def test_an_expression_looks_at_every_key_and_value(what: str) -> None:
    pattern, arguments, message = SEARCHED[what]
    (result,) = argument_checks(ToolRule(match="*", deny=(pattern,)), arguments)
    assert message in result.message
    assert result.passed == (message == "no match")
    assert result.check == f"no argument matches /{pattern}/"


def test_a_long_expression_is_named_by_its_beginning() -> None:
    (result,) = argument_checks(ToolRule(match="*", deny=("x" * 100,)), {})
    assert len(result.check) < 100


def test_the_schema_comes_first_and_says_what_is_wrong() -> None:
    rule = ToolRule(match="*", json_schema={"required": ["path"]}, deny=("bad",))
    schema, denied = argument_checks(rule, {"a": "bad"})
    assert (schema.passed, denied.passed) == (False, False)
    assert "'path' is a required property" in schema.message
    assert all(result.passed for result in argument_checks(rule, {"path": "good"}))


def test_a_schema_that_takes_too_much_work_does_not_hold() -> None:
    schema = {"properties": {"a": {"items": {"type": "integer", "maximum": 0}}}}
    (result,) = argument_checks(ToolRule(match="*", json_schema=schema), {"a": [-1] * 90_000})
    assert (result.passed, result.message[:11]) == (False, "not checked")


def test_a_rule_without_checks_has_no_results() -> None:
    assert argument_checks(ToolRule(match="*"), {"a": 1}) == []
