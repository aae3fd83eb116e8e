"""Turns YAML into plain values, no others than JSON has, and remembers the line of every key."""

import contextlib
import datetime
import math
from collections.abc import Iterator
from typing import Any

import yaml

from consensus.config.nodes import (
    MAX_DEPTH,
    MAX_NODES,
    Mapping,
    Node,
    Scalar,
    YamlFaultError,
    compose,
)
from consensus.domain.errors import PolicyFault

Path = tuple[str | int, ...]

_TEXT_TAG = "tag:yaml.org,2002:str"
_LONGEST_OTHER = 100
"""Longest number, truth value or date: 1:1:1:... with 500,000 parts takes minutes to work out."""
_CONSTRUCTION_ERRORS = (ValueError, LookupError, AttributeError, TypeError, OverflowError)
"""What PyYAML raises for `!!int x`, `!!bool x`, `!!timestamp x` and the like."""
_UNREADABLE = "which YAML cannot read; put it in quotes, without a tag"
_LARGEST = 1 << 63
_SHOWN = 80


class PositionedYaml:
    """Plain values of a YAML text, the line of each key, and what is wrong with the text."""

    def __init__(self, text: str) -> None:
        self.value: Any = None
        self.faults: list[PolicyFault] = []
        self._lines: dict[Path, int] = {(): 1}
        self._nodes = 0
        self._constructor = yaml.constructor.SafeConstructor()
        try:
            root = compose(text)
            if root is not None:
                self.value = self._plain(root, ())
        except YamlFaultError as error:
            self._fault(error.line, (), error.message)

    def line(self, path: Path) -> int:
        """Return the line of the key at `path`, or of its nearest ancestor in the file."""
        while path not in self._lines:
            path = path[:-1]
        return self._lines[path]

    def _plain(self, node: Node, path: Path) -> Any:
        self._nodes += 1
        if self._nodes > MAX_NODES or len(path) > MAX_DEPTH:
            raise YamlFaultError(node.line, "is too deep or, with aliases expanded, too large")
        self._lines.setdefault(path, node.line)
        match node:
            case Scalar():
                return self._scalar(node, path)
            case Mapping():
                return dict(self._pairs(node, path))
            case _:
                return [self._plain(item, (*path, i)) for i, item in enumerate(node.items)]

    def _pairs(self, node: Mapping, path: Path) -> Iterator[tuple[str, Any]]:
        seen: dict[str, int] = {}
        for key_node, value_node in node.pairs():
            if not isinstance(key_node, Scalar):
                self._fault(key_node.line, path, "has a list or a mapping as a key; must be text")
                continue
            key = key_node.text
            here = (*path, key)
            if key in seen:
                words = f"stands here again, first in line {seen[key]}"
                self._fault(key_node.line, here, words)
                continue
            seen[key] = self._lines[here] = key_node.line
            yield key, self._plain(value_node, here)

    def _scalar(self, node: Scalar, path: Path) -> Any:
        if node.tag == _TEXT_TAG:
            return node.text
        problem, value = _UNREADABLE, None
        if len(node.text) <= _LONGEST_OTHER:
            with contextlib.suppress(yaml.YAMLError, *_CONSTRUCTION_ERRORS):
                value = self._constructor.construct_object(yaml.ScalarNode(node.tag, node.text))
                problem = _beyond_json(value)
        if problem:
            self._fault(node.line, path, f"is {shown(node.text)}, {problem}")
        return value

    def _fault(self, line: int, path: Path, message: str) -> None:
        self.faults.append(PolicyFault(line, dotted(path), message))


def _beyond_json(value: object) -> str:
    """Return what JSON does not have about a scalar, or an empty string."""
    match value:
        case float():
            return "" if math.isfinite(value) else "which is no finite number"
        case int():
            return "" if abs(value) < _LARGEST else "which is too large a number"
        case None | str():
            return ""
        case datetime.date():
            return "which YAML takes for a date; put it in quotes"
        case _:
            return "which YAML takes for something that JSON does not have; put it in quotes"


def shown(value: object) -> str:
    """Return a value as it may stand in a message, cut."""
    match value:
        case None:
            return "empty"
        case bool():
            return str(value).lower()
    text = repr(value)
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"


def dotted(path: Path) -> str:
    """Return `path` as people write it, such as `policies.default.stages[0].gate`."""
    text = ""
    for part in path:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else part
    return text or "(file)"
