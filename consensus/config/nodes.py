"""Reads YAML text into nodes, as yaml.compose does, with limits that yaml.compose lacks.

yaml.compose calls itself for each level of nesting: the fast parser then crashes the process on a
file of open brackets. Events come one at a time, so depth is seen before it hurts.
"""

from collections.abc import Callable, Iterator

import yaml
from msgspec import Struct, field

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


class Scalar(Struct, frozen=True):
    """Text, or what YAML takes for a number, a date and so on."""

    line: int
    tag: str
    text: str


class Sequence(Struct, frozen=True):
    """Values in order."""

    line: int
    items: list["Node"] = field(default_factory=list)


class Mapping(Struct, frozen=True):
    """Keys and values in turn, in the order in which they stand."""

    line: int
    items: list["Node"] = field(default_factory=list)

    def pairs(self) -> Iterator[tuple["Node", "Node"]]:
        """Yield each key with its value."""
        return zip(self.items[::2], self.items[1::2], strict=True)


Node = Scalar | Sequence | Mapping


def compose(text: str) -> Node | None:
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
        last = data.rstrip().count(b"\n")  # the end of the text may be beyond its last line
        line = min(error.problem_mark.line, last) + 1 if error.problem_mark else 1
        words = ", ".join(part for part in (error.context, error.problem) if part)
        if "\t" in text.split("\n")[line - 1]:
            words += "; the line holds a tab, and YAML is indented with spaces"
        raise YamlFaultError(line, f"is not YAML: {words}") from None


class _Composer:
    """Builds nodes out of events."""

    def __init__(self, events: Iterator[yaml.Event]) -> None:
        self._events = events
        self._anchors: dict[str, Node] = {}
        self._resolver = yaml.resolver.Resolver()
        self._depth = 0
        self._nodes = 0

    def root(self) -> Node | None:
        """Return the root of the only document, if there is one."""
        root = None
        for event in self._events:
            if isinstance(event, yaml.NodeEvent):
                if root is not None:
                    raise YamlFaultError(_line(event), "begins a second document; must be one")
                root = self._node(event)
        return root

    def _node(self, event: yaml.NodeEvent) -> Node:
        if isinstance(event, yaml.AliasEvent):
            if event.anchor not in self._anchors:
                words = f"refers to *{event.anchor}, which no line before defines"
                raise YamlFaultError(_line(event), words)
            return self._anchors[event.anchor]
        self._nodes += 1
        if self._nodes > MAX_NODES:
            raise YamlFaultError(_line(event), f"holds more than {MAX_NODES} values")
        node = self._empty(event)
        if event.anchor is not None:
            self._anchors[event.anchor] = node
        if not isinstance(node, Scalar):
            self._fill(node)
        return node

    def _empty(self, event: yaml.NodeEvent) -> Node:
        if isinstance(event, yaml.ScalarEvent):
            return Scalar(_line(event), self._tag(event), event.value)
        mapping = isinstance(event, yaml.MappingStartEvent)
        return Mapping(_line(event)) if mapping else Sequence(_line(event))

    def _tag(self, event: yaml.ScalarEvent) -> str:
        if event.tag is not None and event.tag != "!":
            return event.tag
        resolve: Callable[..., str] = self._resolver.resolve
        return resolve(yaml.ScalarNode, event.value, event.implicit)

    def _fill(self, node: Sequence | Mapping) -> None:
        if self._depth == MAX_DEPTH:
            raise YamlFaultError(node.line, f"is nested deeper than {MAX_DEPTH} levels")
        self._depth += 1
        while isinstance(event := next(self._events), yaml.NodeEvent):
            node.items.append(self._node(event))
        self._depth -= 1


def _line(event: yaml.Event) -> int:
    return event.start_mark.line + 1 if event.start_mark else 1
