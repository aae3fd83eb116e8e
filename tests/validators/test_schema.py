"""JSON Schema with bounds: what the library would take and we refuse, and what stays bounded."""

import json

import pytest

from consensus.validators.effort import Effort, EffortSpentError
from consensus.validators.schema import document_fault, schema_fault


def fault(schema: dict[str, object], document: object) -> str:
    return document_fault(schema, document, len(json.dumps(document)), Effort())


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        ({"type": "nothing"}, "is not a JSON Schema: 'nothing' is not valid"),
        ({"$ref": "https://example.org/s"}, "references must start with '#'"),
        ({"properties": {"a": {"$dynamicRef": "#x"}}}, "uses $dynamicRef, which is not supported"),
        ({"unevaluatedProperties": False}, "uses unevaluatedProperties, which is not supported"),
        ({"pattern": "(?=a)"}, "holds an expression that RE2 does not take"),
        ({"patternProperties": {"(a": {}}}, "holds an expression that RE2 does not take"),
        ({"enum": ["a" * 20_000]}, "characters as JSON; must have at most 20000"),
    ],
)
def test_a_schema_that_could_do_harm_is_refused(schema: dict[str, object], words: str) -> None:
    assert words in schema_fault(schema, Effort())


def test_a_schema_nested_too_deep_is_refused() -> None:
    schema: dict[str, object] = {}
    for _ in range(40):
        schema = {"not": schema}
    assert "nested deeper than 32 levels" in schema_fault(schema, Effort())


def test_looking_over_a_schema_costs_effort_each_time() -> None:
    schema: dict[str, object] = {"type": "object"}
    assert schema_fault(schema, Effort()) == ""
    with pytest.raises(EffortSpentError):
        schema_fault(schema, Effort(1_000))


@pytest.mark.parametrize(
    ("schema", "good", "bad"),
    [
        ({"pattern": "^a+$"}, "aa", "b"),
        ({"pattern": "^a+$"}, 7, "b"),
        ({"patternProperties": {"^n_": {"type": "integer"}}}, {"n_a": 1, "x": "y"}, {"n_a": "1"}),
        ({"additionalProperties": False, "properties": {"a": {}}}, {"a": 1}, {"b": 1}),
        ({"additionalProperties": {"type": "integer"}}, {"a": 1}, {"a": "b"}),
        (
            {"additionalProperties": False, "patternProperties": {"^x": {}}},
            {"x1": 1},
            {"y1": 1},
        ),
        ({"additionalProperties": False}, [1], {"b": 1}),
        ({"patternProperties": {"a": False}}, [1], {"a": 1}),
        ({"uniqueItems": True}, [1, "1", [1], {"a": 1, "b": 2}], [1, 1.0]),
        ({"uniqueItems": True}, "no list", [{"a": 1, "b": 2}, {"b": 2, "a": 1}]),
        ({"uniqueItems": False}, [1, 1], None),
        ({"const": {"a": [1]}}, {"a": [1]}, {"a": [2]}),
    ],
)
def test_replaced_keywords_do_what_the_library_does(
    schema: dict[str, object], good: object, bad: object
) -> None:
    assert fault(schema, good) == ""
    assert bad is None or fault(schema, bad)


def test_a_schema_that_refers_to_itself_without_end_does_not_hold() -> None:
    assert "nested too deep" in fault({"$ref": "#"}, 1)


def test_a_reference_that_leads_nowhere_does_not_hold() -> None:
    assert fault({"$ref": "#/$defs/gone"}, 1) == (
        "the schema's reference '/$defs/gone' leads nowhere"
    )


def test_numbers_beyond_comparison_do_not_hold() -> None:
    assert fault({"multipleOf": 0.5}, 10**400) == (
        "cannot be compared with the schema: OverflowError"
    )


def test_an_unsound_schema_holds_for_nothing() -> None:
    assert fault({"type": 7}, 1).startswith("the schema is not a JSON Schema")


def test_a_schema_of_exponential_work_is_cut_off() -> None:
    twice = {f"d{n}": {"allOf": [{"$ref": f"#/$defs/d{n + 1}"}] * 2} for n in range(30)}
    schema: dict[str, object] = {"$defs": {**twice, "d30": True}, "$ref": "#/$defs/d0"}
    with pytest.raises(EffortSpentError):
        fault(schema, 1)


def test_an_expression_that_is_no_string_is_left_to_the_library() -> None:
    assert "is not a JSON Schema" in schema_fault({"pattern": 7, "patternProperties": 7}, Effort())
