"""Reads YAML into plain values and remembers the line of every key."""

from collections.abc import Iterator
from typing import Any

import yaml

from consensus.domain.errors import PolicyFault

Path = tuple[str | int, ...]

MAX_BYTES = 1 << 20
MAX_NODES = 50_000
"""Most values after aliases are expanded; more is an attack or a mistake."""
MAX_DEPTH = 40


class PositionedYaml:
    """Plain values of a YAML text, the line of each key, and what is wrong with the text."""

    def __init__(self, text: str) -> None:
        self.value: Any = None
        self.faults: list[PolicyFault] = []
        self._lines: dict[Path, int] = {(): 1}
        self._nodes = 0
        if len(text.encode()) > MAX_BYTES:
            self._fault(1, (), f"has {len(text.encode())} bytes; at most {MAX_BYTES} are read")
            return
        try:
            node = yaml.compose(text, yaml.SafeLoader)
            if node is not None:
                self.value = self._plain(node, ())
        except yaml.YAMLError as error:
            mark = getattr(error, "problem_mark", None)
            problem = getattr(error, "problem", None) or "is not YAML"
            self._fault(mark.line + 1 if mark else 1, (), f"YAML: {problem}")
        except _TooLargeError as error:
            self._fault(error.line, error.path, "is too deep or, with aliases expanded, too large")

    def line(self, path: Path) -> int:
        """Return the line of the key at `path`, or of its nearest ancestor in the file."""
        while path not in self._lines:
            path = path[:-1]
        return self._lines[path]

    def _plain(self, node: yaml.Node, path: Path) -> Any:
        self._nodes += 1
        if self._nodes > MAX_NODES or len(path) > MAX_DEPTH:
            raise _TooLargeError(node.start_mark.line + 1, path[:6])
        self._lines.setdefault(path, node.start_mark.line + 1)
        if isinstance(node, yaml.MappingNode):
            return dict(self._pairs(node, path))
        if isinstance(node, yaml.SequenceNode):
            return [self._plain(item, (*path, i)) for i, item in enumerate(node.value)]
        return self._scalar(node, path)

    def _pairs(self, node: yaml.MappingNode, path: Path) -> Iterator[tuple[str, Any]]:
        seen: dict[str, int] = {}
        for key_node, value_node in node.value:
            key, line = str(key_node.value), key_node.start_mark.line + 1
            if key in seen:
                self._fault(line, (*path, key), f"stands here again, first in line {seen[key]}")
                continue
            seen[key] = self._lines[(*path, key)] = line
            yield key, self._plain(value_node, (*path, key))

    def _scalar(self, node: yaml.Node, path: Path) -> Any:
        constructor = yaml.constructor.SafeConstructor()
        try:
            return constructor.construct_object(node)
        except (yaml.YAMLError, ValueError) as error:
            problem = getattr(error, "problem", None) or error
            self._fault(node.start_mark.line + 1, path, f"is {node.value!r}: {problem}")
            return None

    def _fault(self, line: int, path: Path, message: str) -> None:
        self.faults.append(PolicyFault(line, dotted(path), message))


class _TooLargeError(Exception):
    def __init__(self, line: int, path: Path) -> None:
        self.line, self.path = line, path


def dotted(path: Path) -> str:
    """Return `path` as people write it, such as `policies.default.stages[0].gate`."""
    text = ""
    for part in path:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else part
    return text or "(file)"
