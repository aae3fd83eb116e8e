"""What the policy file may hold, in words: for messages and for the reference alike."""

import difflib
import functools
from collections.abc import Iterable
from typing import Any

from pydantic.json_schema import GenerateJsonSchema
from pydantic_core import CoreSchema

from consensus.config.file import PolicyFile
from consensus.config.positions import Path
from consensus.config.section import NAME_PATTERN

Node = dict[str, Any]
"""A part of the JSON Schema of the policy file."""

NAME = "a name of 1 to 64 letters, digits, `.`, `_` and `-`, beginning with a letter or digit"

_KINDS = {
    "string": "text",
    "number": "number",
    "integer": "whole number",
    "boolean": "true or false",
    "array": "list",
    "object": "mapping",
}


class _Untitled(GenerateJsonSchema):
    """Without a title for every key, which would only say the key again."""

    def field_title_should_be_set(self, schema: CoreSchema) -> bool:
        return False


@functools.cache
def policy_schema() -> Node:
    """Return the JSON Schema of the policy file."""
    return PolicyFile.model_json_schema(schema_generator=_Untitled)


def node_at(path: Path) -> Node:
    """Return the schema of the value at `path`, which every key but the last must be known to."""
    node = policy_schema()
    for part in path:
        node = resolved(node["items"] if isinstance(part, int) else _member(node, part))
    return node


def resolved(node: Node) -> Node:
    """Return what `node` refers to, and of a value that may be absent the value. Of a value that
    may be a word or a mapping, both in one.
    """
    options = [option for option in node.get("anyOf", ()) if option.get("type") != "null"]
    if len(options) > 1:
        return {key: item for option in options[::-1] for key, item in resolved(option).items()}
    node = options[0] if options else node
    if "$ref" in node:
        node = policy_schema()["$defs"][node["$ref"].rpartition("/")[2]]
    return node


def _member(node: Node, key: str) -> Node:
    members: Node = node.get("properties", {})
    found: Node = members[key] if key in members else named(node) or {}
    return found


def named(node: Node) -> Node | None:
    """Return the schema of what a mapping by name holds; None for one whose keys are fixed."""
    found: Node | None = next(iter(node.get("patternProperties", {}).values()), None)
    others = node.get("additionalProperties")
    return found or (others if isinstance(others, dict) else None)


def keys(node: Node) -> list[str]:
    """Return the keys that a mapping may have."""
    return list(node.get("properties", ()))


def allowed(node: Node) -> str:
    """Return in words what a value may be, such as `a number from 0 to 1`."""
    bounds = limits(node)
    match node.get("type"):
        case _ if choices(node) or bounds == NAME:
            return bounds
        case "boolean":
            return kind(node)
        case "string":
            return f"text {bounds}".rstrip()
        case _:
            return f"a {kind(node)} {bounds}".rstrip()


def kind(node: Node) -> str:
    """Return the type of a value in one or two words."""
    if choices(node):
        return "choice"
    return _KINDS[node["type"]]


def limits(node: Node) -> str:
    """Return which values of the type are allowed; empty where all are."""
    if values := choices(node):
        values += ["a mapping"] if "properties" in node else []
        return " or ".join(filter(None, (", ".join(values[:-1]), values[-1])))
    match node["type"]:
        case "string":
            named = node.get("pattern") == NAME_PATTERN
            return NAME if named else _count(node, "Length", "character", "characters")
        case "array":
            return _count(node, "Items", "entry", "entries")
        case "object":
            return _count(node, "Properties", "entry", "entries")
        case _:
            return _range(node)


def choices(node: Node) -> list[str]:
    """Return the only values that are allowed, if they can be told one by one."""
    return [
        str(value) for value in node.get("enum") or ([node["const"]] if "const" in node else [])
    ]


def _range(node: Node) -> str:
    if "minimum" in node and "maximum" in node:
        return f"from {node['minimum']:.15g} to {node['maximum']:.15g}"
    parts = [
        f"{words} {node[key]:.15g}"
        for key, words in (
            ("exclusiveMinimum", "above"),
            ("minimum", "at least"),
            ("exclusiveMaximum", "below"),
            ("maximum", "at most"),
        )
        if key in node
    ]
    return ", ".join(parts)


def _count(node: Node, suffix: str, one: str, many: str) -> str:
    least, most = node.get(f"min{suffix}"), node.get(f"max{suffix}")
    if least is not None and most is not None:
        return f"of {least} to {most} {many}"
    if least is not None:
        return f"of at least {least} {one if least == 1 else many}"
    return f"of at most {most} {many}" if most is not None else ""


def suggestion(word: str, known: Iterable[str]) -> str:
    """Return ` (did you mean ...?)` where a known word is close, else an empty string."""
    close = difflib.get_close_matches(word, known, 1)
    return f" (did you mean {close[0]!r}?)" if close else ""
