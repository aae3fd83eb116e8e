"""Reads YAML text into nodes, as yaml.compose does, with limits that yaml.compose lacks.

yaml.compose calls itself for each level of nesting: the fast parser then crashes the process on a
file of open brackets. Events come one at a time, so depth is seen before it hurts.
"""

from collections.abc import Iterator

import yaml

MAX_BYTES = 1 << 20
"""Largest file that is read, as large as a Kubernetes ConfigMap can be."""
MAX_NODES = 50_000
"""Most values of a file, with and without its aliases expanded."""
MAX_DEPTH = 40

_LOADER = yaml.CSafeLoader if yaml.__with_libyaml__ else yaml.SafeLoader
"""The C parser is eight times as fast: 100 KB take it 0.1 s."""


class YamlFaultError(Exception):
    """What is wrong with a YAML text, and in which line."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(message)
        self.line = line
        self.message = message


def compose(text: str) -> yaml.Node | None:
    """Return the only document's root, or None for an empty text. Raises YamlFaultError."""
    data = text.encode("utf-8", "surrogatepass")
    if len(data) > MAX_BYTES:
        raise YamlFaultError(1, f"has {len(data)} bytes; must have at most {MAX_BYTES}")
    try:
        return _Composer(yaml.parse(data, _LOADER)).root()
    except yaml.reader.ReaderError as error:
        line = data.count(b"\n", 0, error.position) + 1
        raise YamlFaultError(line, f"is not YAML: {error.reason}") from None
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        words = ", ".join(part for part in (error.context, error.problem) if part)
        raise YamlFaultError(line, f"is not YAML: {words}") from None


class _Composer:
    """Builds nodes out of events."""

    def __init__(self, events: Iterator[yaml.Event]) -> None:
        self._events = events
        self._anchors: dict[str, yaml.Node] = {}
        self._resolver = yaml.resolver.Resolver()
        self._depth = 0
        self._nodes = 0

    def root(self) -> yaml.Node | None:
        """Return the root of the only document, if there is one."""
        root = None
        for event in self._events:
            if isinstance(event, yaml.NodeEvent):
                if root is not None:
                    raise _fault(event, "begins a second document; must be one")
                root = self._node(event)
        return root

    def _node(self, event: yaml.NodeEvent) -> yaml.Node:
        if isinstance(event, yaml.AliasEvent):
            if event.anchor not in self._anchors:
                raise _fault(event, f"refers to *{event.anchor}, which no line before defines")
            return self._anchors[event.anchor]
        node = self._empty(event)
        if event.anchor is not None:
            self._anchors[event.anchor] = node
        self._nodes += 1
        if self._nodes > MAX_NODES:
            raise _fault(event, f"holds more than {MAX_NODES} values")
        self._fill(node, event)
        return node

    def _empty(self, event: yaml.NodeEvent) -> yaml.Node:
        marks = (event.start_mark, event.end_mark)
        if isinstance(event, yaml.MappingStartEvent):
            return yaml.MappingNode("", [], *marks)
        if isinstance(event, yaml.SequenceStartEvent):
            return yaml.SequenceNode("", [], *marks)
        tag = event.tag
        if tag is None or tag == "!":
            tag = self._resolver.resolve(yaml.ScalarNode, event.value, event.implicit)
        return yaml.ScalarNode(tag, event.value, *marks)

    def _fill(self, node: yaml.Node, event: yaml.Event) -> None:
        if isinstance(node, yaml.ScalarNode):
            return
        if self._depth == MAX_DEPTH:
            raise _fault(event, f"is nested deeper than {MAX_DEPTH} levels")
        self._depth += 1
        for inner in self._events:
            if not isinstance(inner, yaml.NodeEvent):
                break
            node.value.append(self._node(inner))
        self._depth -= 1
        if isinstance(node, yaml.MappingNode):
            node.value[:] = zip(node.value[::2], node.value[1::2], strict=True)


def _fault(event: yaml.Event, message: str) -> YamlFaultError:
    return YamlFaultError(event.start_mark.line + 1, message)
