"""Turns YAML into plain values, no others than JSON has, and remembers the line of every key."""

import math
from collections.abc import Iterator
from typing import Any

import yaml

from consensus.config.nodes import MAX_DEPTH, MAX_NODES, YamlFaultError, compose
from consensus.domain.errors import PolicyFault

Path = tuple[str | int, ...]

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

    def _plain(self, node: yaml.Node, path: Path) -> Any:
        line = node.start_mark.line + 1
        self._nodes += 1
        if self._nodes > MAX_NODES or len(path) > MAX_DEPTH:
            raise YamlFaultError(line, "is too deep or, with aliases expanded, too large")
        self._lines.setdefault(path, line)
        if isinstance(node, yaml.MappingNode):
            return dict(self._pairs(node, path))
        if isinstance(node, yaml.SequenceNode):
            return [self._plain(item, (*path, i)) for i, item in enumerate(node.value)]
        return self._scalar(node, path)

    def _pairs(self, node: yaml.MappingNode, path: Path) -> Iterator[tuple[str, Any]]:
        seen: dict[str, int] = {}
        for key_node, value_node in node.value:
            line = key_node.start_mark.line + 1
            if not isinstance(key_node, yaml.ScalarNode):
                self._fault(line, path, "has a key that is a list or a mapping; must be text")
                continue
            key = key_node.value
            if key in seen:
                self._fault(line, (*path, key), f"stands here again, first in line {seen[key]}")
                continue
            seen[key] = self._lines[(*path, key)] = line
            yield key, self._plain(value_node, (*path, key))

    def _scalar(self, node: yaml.Node, path: Path) -> Any:
        line = node.start_mark.line + 1
        try:
            value = self._constructor.construct_object(node)
        except (yaml.YAMLError, ValueError) as error:
            problem = getattr(error, "problem", None) or "cannot be read; put it in quotes"
            self._fault(line, path, f"is {shown(node.value)}: {problem}")
            return None
        if problem := _beyond_json(value):
            self._fault(line, path, f"is {shown(node.value)}, {problem}")
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
        case _:
            return f"which YAML takes for a {type(value).__name__}; put it in quotes"


def shown(value: object) -> str:
    """Return a value as it may stand in a message, cut."""
    text = repr(value)
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"


def dotted(path: Path) -> str:
    """Return `path` as people write it, such as `policies.default.stages[0].gate`."""
    text = ""
    for part in path:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else part
    return text or "(file)"
