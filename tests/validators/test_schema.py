"""JSON Schema checks accept what they should, say what is wrong, and refuse what is unsound."""

import json
from typing import Any

import pytest

from consensus.domain.submission import JsonSchema
from consensus.validators.effort import Effort, EffortSpentError
from consensus.validators.schema import MAX_NESTING, MAX_SCHEMA, document_fault, schema_fault
from tests.validators.checking import checked, fault

NUMBER, TEXT = {"type": "number"}, {"type": "string"}


@pytest.mark.parametrize(
    ("schema", "accepted", "refused", "where"),
    [
        ({"type": "integer"}, 1.0, 1.5, "$: 1.5"),
        ({"type": ["null", "array"]}, None, {}, "$: {}"),
        ({"enum": [1, "a", None]}, 1.0, True, "$: True is not one of [1, 'a', None]"),
        ({"const": {"a": [1, True]}}, {"a": [1.0, True]}, {"a": [1, 1]}, "$: {'a': [1, True]}"),
        ({"multipleOf": 2}, 4, 3, "$: 3 is not a multiple of 2"),
        ({"minimum": 1}, 1, 0, "$: 0 is less than"),
        ({"pattern": "^a+$"}, 7, "ab", "$: does not match '^a+$'"),
        ({"minLength": 2}, "ab", "é", "$: 'é' is too short"),
        ({"uniqueItems": True}, [1, "1", True], [1, 2, 1.0], "$: has items that are repeated"),
        ({"uniqueItems": True}, [{"a": 1}], [{"a": 1, "b": 2}, {"b": 2, "a": 1.0}], "repeated"),
        ({"uniqueItems": True}, ["a", [0.5]], [[0.5, None], [0.5, None]], "repeated"),
        ({"uniqueItems": True}, [1e300], [1e300, 1e300], "repeated"),
        ({"uniqueItems": False}, [1, 1], None, ""),
        ({"uniqueItems": True}, "aa", None, ""),
        ({"required": ["a"]}, {"a": 1}, {}, "$: 'a' is a required property"),
        ({"dependentRequired": {"a": ["b"]}}, {"c": 1}, {"a": 1}, "$: 'b' is a dependency of 'a'"),
        ({"allOf": [NUMBER, {"minimum": 2}]}, 2, 1, "$: 1 is less than"),
        ({"anyOf": [NUMBER, TEXT]}, "a", None, "$: None is not valid under any"),
        ({"oneOf": [NUMBER, {"minimum": 2}]}, 1, 2, "$: 2 is valid under each of"),
        ({"not": TEXT}, 1, "a", "$: 'a' should not be valid under"),
        ({"if": NUMBER, "then": {"minimum": 2}, "else": TEXT}, "a", 1, "$: 1 is less than"),
        ({"prefixItems": [NUMBER], "items": TEXT}, [1, "a"], [1, 2], "$[1]: 2 is not of type"),
        ({"contains": NUMBER}, ["a", 1], ["a"], "$: ['a'] does not contain items"),
        ({"properties": {"a": NUMBER}}, {"b": "x"}, {"a": "x"}, "$.a: 'x' is not of type"),
        ({"patternProperties": {"^n_": NUMBER}}, {"x": "y"}, {"n_1": "x"}, "$.n_1: 'x' is not"),
        ({"patternProperties": {"^n_": NUMBER}}, "n_1", {"n_1": "x"}, "$.n_1: 'x' is not"),
        ({"additionalProperties": False}, {}, {"a": 1}, "$: additional properties are not all"),
        ({"additionalProperties": NUMBER}, [], {"a": "x"}, "$.a: 'x' is not of type"),
        ({"additionalProperties": True}, {"a": 1}, None, ""),
        (
            {
                "properties": {"a": {}},
                "patternProperties": {"^b": {}},
                "additionalProperties": False,
            },
            {"a": 1, "bc": 2},
            {"a": 1, "c": 3, "d": 4},
            "$: additional properties are not allowed: 'c', 'd'",
        ),
        ({"propertyNames": {"maxLength": 1}}, {"a": 1}, {"ab": 1}, "$: 'ab' is too long"),
        ({"dependentSchemas": {"a": {"required": ["b"]}}}, {"c": 1}, {"a": 1}, "$: 'b' is a req"),
        ({"$ref": "#/$defs/n", "$defs": {"n": NUMBER}}, 1, "a", "$: 'a' is not of type"),
        ({"unknown": 1, "title": "t", "default": 3}, "x", None, ""),
    ],
)
def test_a_schema_accepts_and_refuses_and_says_where(
    schema: dict[str, Any], accepted: Any, refused: Any, where: str
) -> None:
    assert fault(schema, json.dumps(accepted)) == ""
    if where:
        assert where in fault(schema, json.dumps(refused))


def test_a_schema_may_refer_to_itself() -> None:
    tree = {"properties": {"value": NUMBER, "children": {"items": {"$ref": "#"}}}}
    assert fault(tree, '{"value": 1, "children": [{"value": 2, "children": []}]}') == ""
    assert fault(tree, '{"children": [{"children": [{"value": "x"}]}]}').startswith(
        "$.children[0].children[0].value: 'x' is not of type"
    )


@pytest.mark.parametrize(
    "schema",
    [
        {"$ref": "#"},
        {"allOf": [{"$ref": "#"}, {"$ref": "#"}]},
        {"anyOf": [{"$ref": "#/anyOf/1"}, {"$ref": "#/anyOf/0"}]},
        {"not": {"not": {"$ref": "#"}}},
    ],
)
def test_a_schema_that_refers_to_itself_without_end_refuses(schema: dict[str, Any]) -> None:
    assert fault(schema, "1") == "schema and document together are nested too deep"


def test_a_reference_that_leads_nowhere_refuses() -> None:
    assert fault({"$ref": "#/none"}, "1") == "the schema's reference '/none' leads nowhere"


def test_numbers_beyond_doubles_are_refused_where_they_cannot_be_compared() -> None:
    words = "cannot be compared with the schema: OverflowError"
    assert fault({"multipleOf": 0.5}, "9" * 4_000) == words


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        ({"type": "strng"}, "is not a JSON Schema: 'strng' is not valid under any of the given"),
        ({"properties": {"a": {"minLength": -1}}}, "at $.properties.a.minLength"),
        ({"pattern": "("}, "holds an expression that RE2 does not take: missing ): ("),
        ({"patternProperties": {"[": {}}}, "holds an expression that RE2 does not take"),
        ({"$ref": "https://x/y"}, "refers to 'https://x/y'; references must start with '#'"),
        ({"unevaluatedItems": False}, "uses unevaluatedItems, which is not supported"),
        ({"pattern": 7, "patternProperties": 7}, "is not a JSON Schema: 7 is not of type"),
        ({"allOf": [{"$dynamicRef": "#x"}]}, "uses $dynamicRef, which is not supported"),
        ({"title": "x" * MAX_SCHEMA}, f"characters as JSON; must have at most {MAX_SCHEMA}"),
        ({"const": {1}}, ""),
    ],
)
def test_an_unsound_schema_is_refused(schema: dict[str, Any], words: str) -> None:
    found = schema_fault(schema, Effort())
    assert words in found
    assert not words or fault(schema, "1") == f"the schema {found}"[:1_000]


def test_a_schema_nested_too_deep_is_refused() -> None:
    schema: dict[str, Any] = {}
    for _ in range(MAX_NESTING + 2):
        schema = {"items": schema}
    assert "is nested deeper than 32 levels" in schema_fault(schema, Effort())


def test_a_message_holds_nothing_that_cannot_be_sent() -> None:
    result = checked(JsonSchema({"additionalProperties": TEXT}), '{"\\ud800": 1}')
    assert result.message.encode("utf-8").startswith(b"$")


def test_looking_over_a_schema_costs_effort_each_time() -> None:
    schema: dict[str, object] = {"type": "object"}
    assert schema_fault(schema, Effort()) == ""
    with pytest.raises(EffortSpentError):
        schema_fault(schema, Effort(1_000))


def test_a_schema_of_exponential_work_is_cut_off() -> None:
    twice = {f"d{n}": {"allOf": [{"$ref": f"#/$defs/d{n + 1}"}] * 2} for n in range(30)}
    schema: dict[str, object] = {"$defs": {**twice, "d30": True}, "$ref": "#/$defs/d0"}
    with pytest.raises(EffortSpentError):
        document_fault(schema, 1, 1, Effort())
