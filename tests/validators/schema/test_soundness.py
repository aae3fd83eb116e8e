"""Unsound schemas are refused before use, with the path of what is wrong."""

from typing import Any

import pytest

from consensus.validators.effort import Effort
from consensus.validators.schema import schema_fault
from tests.validators.checking import fault


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        ({"type": "strng"}, '$.type is "strng"; must be one of array, boolean, integer, null,'),
        ({"type": []}, "$.type is an array of 0 items; must be one of"),
        ({"type": ["string", 1]}, "$.type is an array of 2 items; must be one of"),
        ({"items": [{}]}, "$.items is an array of 1 items; must be an object, true or false"),
        ({"not": 1}, "$.not is 1; must be an object, true or false"),
        ({"allOf": []}, "$.allOf is an array of 0 items; must be a list of schemas"),
        ({"anyOf": {}}, "$.anyOf is an object of 0 members; must be a list of schemas"),
        ({"oneOf": [1]}, "$.oneOf[0] is 1; must be an object, true or false"),
        ({"properties": []}, "$.properties is an array of 0 items; must be an object of schemas"),
        ({"properties": {"a b": 1}}, '$.properties["a b"] is 1; must be an object, true or'),
        ({"$defs": {"x": {"not": []}}}, '$["$defs"].x.not is an array of 0 items'),
        ({"minimum": "1"}, '$.minimum is "1"; must be a number'),
        ({"minimum": True}, "$.minimum is true; must be a number"),
        ({"maximum": float("inf")}, "$.maximum is Infinity; must be a number"),
        ({"maximum": 10**400}, "$.maximum is a very large number; must be a number"),
        ({"multipleOf": 0}, "$.multipleOf is 0; must be a number above 0"),
        ({"minLength": -1}, "$.minLength is -1; must be a whole number, at least 0"),
        ({"maxItems": 1.5}, "$.maxItems is 1.5; must be a whole number, at least 0"),
        ({"pattern": 1}, "$.pattern is 1; must be a string"),
        ({"pattern": "("}, '$.pattern is "(", which RE2 does not take: missing )'),
        ({"patternProperties": {"[": {}}}, '$.patternProperties is "[", which RE2 does not take'),
        ({"required": "a"}, '$.required is "a"; must be a list of strings'),
        ({"required": [1]}, "$.required is an array of 1 items; must be a list of strings"),
        ({"dependentRequired": {"a": 1}}, "must be an object of lists of strings"),
        ({"dependentRequired": []}, "must be an object of lists of strings"),
        ({"enum": 1}, "$.enum is 1; must be a list"),
        ({"uniqueItems": 1}, "$.uniqueItems is 1; must be true or false"),
        ({"$ref": 1}, '$["$ref"] is 1; must be a string'),
        ({"$ref": "https://x/y"}, "refers to \"https://x/y\"; must be '#' or start with '#/'"),
        ({"$ref": "#anchor"}, "must be '#' or start with '#/'"),
        ({"$ref": "#/none"}, 'refers to "#/none", which leads nowhere'),
        ({"$ref": "#/anyOf/7", "anyOf": [True]}, "which leads nowhere"),
        ({"$ref": "#/anyOf/x", "anyOf": [True]}, "which leads nowhere"),
        ({"$ref": "#/examples/0", "examples": [7]}, "#/examples/0 is 7; must be an object, true"),
        ({"unevaluatedItems": False}, "$.unevaluatedItems is not supported; use items"),
        ({"properties": {"a": {"$dynamicRef": "#x"}}}, "is not supported; use $ref"),
        ({"dependencies": {}}, "use dependentRequired or dependentSchemas"),
    ],
)
def test_an_unsound_schema_is_refused_with_its_path(schema: dict[str, Any], words: str) -> None:
    assert words in schema_fault(schema, Effort())
    assert fault(schema, "1").startswith("the schema is unsound: ")


@pytest.mark.parametrize(
    "schema",
    [
        {},
        {"properties": {"unevaluatedItems": True, "$ref": {"type": "string"}, "pattern": False}},
        {"enum": [], "const": {"type": "strng"}, "default": {"items": [1]}, "examples": 3},
        {"minLength": 2.0, "maximum": -1.5},
        {"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": "https://a/b"},
    ],
)
def test_a_sound_schema_is_taken(schema: dict[str, Any]) -> None:
    assert schema_fault(schema, Effort()) == ""


def test_a_schema_that_holds_itself_is_looked_over_once() -> None:
    schema: dict[str, Any] = {"type": "array"}
    schema["items"] = schema
    assert schema_fault(schema, Effort()) == ""
