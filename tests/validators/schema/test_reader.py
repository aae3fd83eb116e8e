"""Subschemas are read down schema and document together, and faults carry their path."""

import json
from typing import Any

import pytest

from tests.validators.checking import fault

NUMBER, TEXT = {"type": "number"}, {"type": "string"}


@pytest.mark.parametrize(
    ("schema", "accepted", "refused", "words"),
    [
        ({"allOf": [NUMBER, {"minimum": 2}]}, 2, 1, "$ is 1; must be at least 2"),
        ({"anyOf": [NUMBER, TEXT]}, "a", None, "must be of type number (or another of `anyOf`)"),
        ({"oneOf": [NUMBER, {"minimum": 2}]}, 1, 2, "$ fits 2 schemas of `oneOf`; must fit exac"),
        ({"oneOf": [NUMBER]}, 1, "a", "$ fits 0 schemas of `oneOf`"),
        ({"not": TEXT}, 1, "a", '$ is "a", which `not` rules out'),
        ({"if": NUMBER, "then": {"minimum": 2}}, "a", 1, "$ is 1; must be at least 2"),
        ({"if": NUMBER, "else": TEXT}, 1, None, "$ is null; must be of type string"),
        ({"prefixItems": [NUMBER, TEXT]}, [1], [1, 2], "$[1] is 2; must be of type string"),
        ({"prefixItems": [NUMBER]}, "a", ["b"], '$[0] is "b"'),
        ({"items": NUMBER}, [], [1, "a"], '$[1] is "a"; must be of type number'),
        ({"items": NUMBER}, {"0": "a"}, ["a"], '$[0] is "a"'),
        ({"prefixItems": [TEXT], "items": False}, ["a"], ["a", 1], "$[1] is 1; nothing is allowed"),
        (
            {"contains": NUMBER},
            ["a", 1],
            ["a"],
            "$ holds 0 items that fit `contains`; must hold at",
        ),
        ({"contains": NUMBER}, "text", [], "at least 1"),
        ({"contains": NUMBER, "maxContains": 1}, [1, "a"], [1, 2], "holds 2 items that fit"),
        ({"contains": NUMBER, "minContains": 0}, [], None, ""),
        ({"properties": {"a": NUMBER}}, {"b": "x"}, {"a": "x"}, '$.a is "x"; must be of type num'),
        ({"properties": {"a b": NUMBER}}, "text", {"a b": "x"}, '$["a b"] is "x"'),
        ({"patternProperties": {"^n_": NUMBER}}, {"x": "y"}, {"n_1": "x"}, '$.n_1 is "x"'),
        ({"patternProperties": {"^n_": NUMBER}}, [], {"n_1": "x"}, '$.n_1 is "x"'),
        ({"additionalProperties": False}, {}, {"a": 1}, "$.a is 1; nothing is allowed here"),
        ({"additionalProperties": NUMBER}, [], {"a": "x"}, '$.a is "x"; must be of type number'),
        (
            {
                "properties": {"a": {}},
                "patternProperties": {"^b": {}},
                "additionalProperties": False,
            },
            {"a": 1, "bc": 2},
            {"a": 1, "c": 3},
            "$.c is 3; nothing is allowed here",
        ),
        ({"propertyNames": {"maxLength": 1}}, {"a": 1}, {"ab": 1}, "$.ab has 2 characters"),
        ({"propertyNames": {"maxLength": 1}}, ["ab"], {"ab": 1}, "$.ab has 2 characters"),
        ({"dependentSchemas": {"a": {"required": ["b"]}}}, {"c": 1}, {"a": 1}, '$ lacks "b"'),
        ({"dependentSchemas": {"a": {"required": ["b"]}}}, "text", {"a": 1}, '$ lacks "b"'),
        ({"$ref": "#/$defs/n", "$defs": {"n": NUMBER}}, 1, "a", "must be of type number"),
        ({"$ref": "#/anyOf/1", "anyOf": [TEXT, NUMBER]}, 1, "a", "must be of type number"),
        ({"$ref": "#/$defs/a~1b%25", "$defs": {"a/b%": NUMBER}}, 1, "a", "must be of type num"),
        ({"unknown": 1, "title": "t", "default": 3, "format": "date"}, "x", None, ""),
    ],
)
def test_subschemas_accept_and_refuse(
    schema: dict[str, Any], accepted: Any, refused: Any, words: str
) -> None:
    assert fault(schema, json.dumps(accepted)) == ""
    if words:
        assert words in fault(schema, json.dumps(refused))


def test_a_fault_deep_inside_carries_its_whole_path() -> None:
    line = {"properties": {"unit price": {"minimum": 0}}}
    schema = {"properties": {"orders": {"items": {"properties": {"lines": {"items": line}}}}}}
    document = {"orders": [{}, {"lines": [{"unit price": 1}, {"unit price": -1}]}]}
    assert fault(schema, json.dumps(document)) == (
        '$.orders[1].lines[1]["unit price"] is -1; must be at least 0'
    )


def test_a_schema_may_refer_to_itself() -> None:
    tree = {"properties": {"value": NUMBER, "children": {"items": {"$ref": "#"}}}}
    assert fault(tree, '{"value": 1, "children": [{"value": 2, "children": []}]}') == ""
    assert fault(tree, '{"children": [{"children": [{"value": "x"}]}]}') == (
        '$.children[0].children[0].value is "x"; must be of type number'
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
    words = "schema and document together are nested deeper than 200 levels"
    assert fault(schema, "1") == words


def test_a_document_nested_deeper_than_the_schema_may_go_is_refused() -> None:
    nested = "[" * 300 + "]" * 300
    assert fault({"items": {"$ref": "#"}}, nested).endswith("nested deeper than 200 levels")
    assert fault({"type": "array"}, nested) == ""
