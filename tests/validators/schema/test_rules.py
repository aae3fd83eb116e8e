"""Each keyword of JSON Schema accepts what it should and says what is wrong with the rest."""

import json
from typing import Any

import pytest

from tests.validators.checking import fault


@pytest.mark.parametrize(
    ("schema", "accepted", "refused", "words"),
    [
        ({"type": "integer"}, 1.0, 1.5, "$ is 1.5; must be of type integer"),
        ({"type": "number"}, 1, True, "$ is true; must be of type number"),
        ({"type": ["null", "array"]}, None, {}, "$ is an object of 0 members; must be of type"),
        ({"type": "boolean"}, False, 0, "$ is 0; must be of type boolean"),
        ({"type": "object"}, {}, [], "$ is an array of 0 items; must be of type object"),
        ({"type": "string"}, "", None, "$ is null; must be of type string"),
        ({"enum": [1, "a", None]}, 1.0, True, '$ is true; must be one of 1, "a", null'),
        ({"enum": list("abcdefghi")}, "i", "j", ', "g", "h", …'),
        ({"const": {"a": [1, {"b": 2}]}}, {"a": [1.0, {"b": 2}]}, {"a": [1]}, "must be an object"),
        ({"const": [1]}, [1], [1, 1], "$ is an array of 2 items; must be an array of 1 items"),
        ({"const": [True]}, [True], [1], "must be an array"),
        ({"const": "a"}, "a", "b", '$ is "b"; must be "a"'),
        ({"const": 1}, 1, "1", '$ is "1"; must be 1'),
        ({"multipleOf": 0.1}, 0.3, 0.35, "$ is 0.35; must be a multiple of 0.1"),
        ({"multipleOf": 2}, "odd", 3, "$ is 3; must be a multiple of 2"),
        ({"minimum": 1}, 1, 0, "$ is 0; must be at least 1"),
        ({"maximum": 1.5}, True, 2, "$ is 2; must be at most 1.5"),
        ({"exclusiveMinimum": 1}, 2, 1, "$ is 1; must be above 1"),
        ({"exclusiveMaximum": 1}, 0, 1, "$ is 1; must be below 1"),
        ({"pattern": "^a+$"}, 7, "ab", '$ is "ab"; must match /^a+$/'),
        ({"minLength": 2}, "ab", "é", "$ has 1 characters; must have at least 2"),
        ({"maxLength": 2}, [1, 2, 3], "abc", "$ has 3 characters; must have at most 2"),
        ({"minItems": 1}, [1], [], "$ has 0 items; must have at least 1"),
        ({"maxItems": 1}, [1], [1, 2], "$ has 2 items; must have at most 1"),
        ({"uniqueItems": True}, [1, "1", True], [1, 2, 1.0], "$ holds the item 0 again at 2"),
        ({"uniqueItems": True}, [{"a": 1}], [{"a": 1, "b": 2}, {"b": 2, "a": 1}], "again at 1"),
        ({"uniqueItems": False}, [1, 1], None, ""),
        ({"minProperties": 1}, {"a": 1}, {}, "$ has 0 members; must have at least 1"),
        ({"maxProperties": 0}, {}, {"a": 1}, "$ has 1 members; must have at most 0"),
        ({"required": ["a", "b"]}, {"a": 1, "b": 2}, {"a": 1}, '$ lacks "b"'),
        ({"required": ["a"]}, [], {}, '$ lacks "a"'),
        ({"dependentRequired": {"a": ["b"]}}, {"c": 1}, {"a": 1}, '$ lacks "b", which "a" needs'),
        ({"dependentRequired": {"a": ["b"]}}, "text", {"a": 1}, '$ lacks "b", which "a" needs'),
    ],
)
def test_a_keyword_accepts_and_refuses(
    schema: dict[str, Any], accepted: Any, refused: Any, words: str
) -> None:
    assert fault(schema, json.dumps(accepted)) == ""
    assert words in fault(schema, json.dumps(refused))


def test_a_whole_number_is_an_integer_however_it_is_written() -> None:
    assert fault({"type": "integer"}, "1.0") == ""
    assert fault({"type": "integer"}, "1e300") == ""
    assert fault({"uniqueItems": True}, "[1, 1.0]") == "$ holds the item 0 again at 1"


def test_messages_stay_short_whatever_the_document() -> None:
    assert fault({"type": "null"}, json.dumps("x" * 100_000)) == (
        f'$ is "{"x" * 59}…; must be of type null'
    )
    assert fault({"maximum": 1}, "9" * 4_000) == "$ is a very large number; must be at most 1"
