"""What is accepted is what the usual library for JSON Schema accepts."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from consensus.validators.effort import Effort
from consensus.validators.schema import document_fault, schema_fault

jsonschema = pytest.importorskip("jsonschema", reason="jsonschema is not installed")

NAMES = st.sampled_from("abc")
SCALARS = st.none() | st.booleans() | st.integers(-3, 3) | st.sampled_from(["", "a", "ab", 0.5])
DOCUMENTS = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=8,
)
TYPES = st.sampled_from(["array", "boolean", "integer", "null", "number", "object", "string"])
COUNTS = st.integers(0, 3)


def schemas(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Return schemas whose subschemas are `inner`."""
    named = st.dictionaries(NAMES, inner, max_size=2)
    listed = st.lists(inner, min_size=1, max_size=3)
    one = ("not", "if", "then", "else", "items", "contains", "additionalProperties")
    names = st.lists(NAMES, max_size=2, unique=True)
    return st.fixed_dictionaries(
        {},
        optional={
            "type": TYPES | st.lists(TYPES, min_size=1, max_size=2, unique=True),
            "enum": st.lists(DOCUMENTS, min_size=1, max_size=3),
            "const": DOCUMENTS,
            "multipleOf": st.sampled_from([1, 2, 0.5]),
            "pattern": st.sampled_from(["a", "^b", "b$"]),
            "uniqueItems": st.booleans(),
            "required": names,
            "dependentRequired": st.dictionaries(NAMES, names, max_size=2),
            "propertyNames": inner,
            "$ref": st.just("#/$defs/d"),
            **dict.fromkeys(("minimum", "exclusiveMaximum"), st.integers(-2, 2)),
            **dict.fromkeys(("minLength", "maxItems", "minProperties", "maxContains"), COUNTS),
            **dict.fromkeys(one, inner),
            **dict.fromkeys(("allOf", "anyOf", "oneOf", "prefixItems"), listed),
            **dict.fromkeys(("properties", "patternProperties", "dependentSchemas"), named),
        },
    )


LEAVES = st.booleans() | st.fixed_dictionaries({}, optional={"type": TYPES, "minimum": COUNTS})
SCHEMAS = schemas(schemas(LEAVES) | LEAVES)


@settings(max_examples=150)
@given(schema=SCHEMAS, target=LEAVES, document=DOCUMENTS)
def test_the_library_accepts_the_same_documents(
    schema: dict[str, Any], target: object, document: object
) -> None:
    schema = {**schema, "$defs": {"d": target}}
    assert schema_fault(schema, Effort()) == ""
    expected = jsonschema.Draft202012Validator(schema).is_valid(document)
    found = document_fault(schema, json.loads(json.dumps(document)), 100, Effort())
    assert (found == "") is expected, found
