"""Reads YAML text into nodes, as yaml.compose does, with limits that yaml.compose lacks.

yaml.compose calls itself for each level of nesting: the fast parser then crashes the process on a
file of open brackets. Events come one at a time, so depth is seen before it hurts.
"""

from collections.abc import Iterator

import yaml
from yaml.events import (
    AliasEvent,
    Event,
    MappingEndEvent,
    MappingStartEvent,
    NodeEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
)

MAX_BYTES = 1 << 20
"""Largest file that is read, as large as a Kubernetes ConfigMap can be."""
MAX_DEPTH = 40

_LOADER = yaml.CSafeLoader if yaml.__with_libyaml__ else yaml.SafeLoader
"""The C parser is eight times as fast; 100 KB take it 0.1 s."""


class YamlFaultError(Exception):
    """What is wrong with a YAML text, and in which line."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(message)
        self.line = line
        self.message = message


def compose(text: str) -> yaml.Node | None:
    """Return the only document's root, or None for an empty text. Raises YamlFaultError."""
    size = len(text.encode("utf-8", "surrogatepass"))
    if size > MAX_BYTES:
        raise YamlFaultError(1, f"has {size} bytes; must have at most {MAX_BYTES}")
    try:
        return _Composer(yaml.parse(text, _LOADER)).root()
    except UnicodeEncodeError as error:
        line = text.count("\n", 0, error.start) + 1
        raise YamlFaultError(line, "holds a surrogate, which is no character") from None
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        raise YamlFaultError(line, f"is not YAML: {error.reason}") from None
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        words = ": ".join(part for part in (error.context, error.problem) if part)
        raise YamlFaultError(line, f"is not YAML: {words}") from None


class _Composer:
    """Builds nodes out of events."""

    def __init__(self, events: Iterator[Event]) -> None:
        self._events = events
        self._anchors: dict[str, yaml.Node] = {}
        self._resolver = yaml.resolver.Resolver()
        self._depth = 0

    def root(self) -> yaml.Node | None:
        root = None
        for event in self._events:
            if isinstance(event, NodeEvent):
                if root is not None:
                    raise _fault(event, "holds a second document; must hold one")
                root = self._node(event)
        return root

    def _node(self, event: NodeEvent) -> yaml.Node:
        if isinstance(event, AliasEvent):
            if event.anchor not in self._anchors:
                raise _fault(event, f"refers to *{event.anchor}, which no earlier line defines")
            return self._anchors[event.anchor]
        node = self._empty(event)
        if event.anchor is not None:
            self._anchors[event.anchor] = node
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise _fault(event, f"is nested deeper than {MAX_DEPTH} levels")
        if isinstance(node, yaml.SequenceNode):
            node.value.extend(self._until(SequenceEndEvent))
        elif isinstance(node, yaml.MappingNode):
            parts = list(self._until(MappingEndEvent))
            node.value.extend(zip(parts[::2], parts[1::2], strict=True))
        self._depth -= 1
        return node
