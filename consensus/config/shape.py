"""What the policy file may hold, in words: for messages and for the reference alike."""

import difflib
import functools
from collections.abc import Iterable
from typing import Any

from consensus.config.model import NAME_PATTERN, PolicyFile
from consensus.config.positions import Path

Node = dict[str, Any]
"""A part of the JSON Schema of the policy file."""

_NAME = "1 to 64 letters, digits, `.`, `_` and `-`, beginning with a letter or digit"


@functools.cache
def policy_schema() -> Node:
    """Return the JSON Schema of the policy file."""
    return PolicyFile.model_json_schema()


def node_at(path: Path) -> Node:
    """Return the schema of the value at `path`, which every key but the last must be known to."""
    node = policy_schema()
    for part in path:
        node = resolved(node["items"] if isinstance(part, int) else _member(node, part))
    return node


def resolved(node: Node) -> Node:
    """Return what `node` refers to, and of a value that may be absent the value."""
    options = [option for option in node.get("anyOf", ()) if option.get("type") != "null"]
    node = options[0] if options else node
    if "$ref" in node:
        return policy_schema()["$defs"][node["$ref"].rpartition("/")[2]]
    return node


def _member(node: Node, key: str) -> Node:
    if key in node.get("properties", {}):
        return node["properties"][key]
    return next(iter(node.get("patternProperties", {}).values()), {})


def keys(node: Node) -> list[str]:
    """Return the keys that a mapping may have."""
    return list(node.get("properties", ()))


def allowed(node: Node) -> str:
    """Return in words what a value may be."""
    if "const" in node or "enum" in node:
        return _choice(node.get("enum") or [node["const"]])
    match node.get("type"):
        case "string":
            return _text(node)
        case "number":
            return f"a number{_range(node)}"
        case "integer":
            return f"a whole number{_range(node)}"
        case "boolean":
            return "true or false"
        case "array":
            return f"a list{_count(node, 'Items', 'entries')}"
        case _:
            return f"a mapping{_count(node, 'Properties', 'entries')}"


def _choice(values: list[Any]) -> str:
    if len(values) == 1:
        return str(values[0])
    return f"{', '.join(map(str, values[:-1]))} or {values[-1]}"


def _text(node: Node) -> str:
    if node.get("pattern") == NAME_PATTERN:
        return f"a name of {_NAME}"
    return f"text{_count(node, 'Length', 'characters')}"


def _range(node: Node) -> str:
    parts = [
        f"{words} {node[key]:g}"
        for key, words in (
            ("exclusiveMinimum", "above"),
            ("minimum", "at least"),
            ("exclusiveMaximum", "below"),
            ("maximum", "at most"),
        )
        if key in node
    ]
    return f", {', '.join(parts)}" if parts else ""


def _count(node: Node, suffix: str, unit: str) -> str:
    least, most = node.get(f"min{suffix}"), node.get(f"max{suffix}")
    if least is not None and most is not None:
        return f" of {least} to {most} {unit}"
    if least is not None:
        return f" of at least {least} {unit if least != 1 else unit.removesuffix('s')}"
    return f" of at most {most} {unit}" if most is not None else ""


def suggestion(word: str, known: Iterable[str]) -> str:
    """Return `; did you mean ...?` where a known word is close, else an empty string."""
    close = difflib.get_close_matches(word, known, 1)
    return f"; did you mean {close[0]!r}?" if close else ""
