"""YAML is read with limits of size, depth and number, and faults carry their line."""

import pytest
import yaml

from consensus.config import nodes
from consensus.config.nodes import (
    MAX_BYTES,
    MAX_DEPTH,
    MAX_NODES,
    Mapping,
    Scalar,
    Sequence,
    YamlFaultError,
    compose,
)


def fault(text: str) -> tuple[int, str]:
    with pytest.raises(YamlFaultError) as error:
        compose(text)
    return error.value.line, error.value.message


def test_nodes_remember_their_lines() -> None:
    root = compose("a: 1\nb:\n  - x\n  - 'y'\n")
    assert isinstance(root, Mapping)
    (first, one), (second, items) = root.pairs()
    assert (first, second) == (
        Scalar(1, "tag:yaml.org,2002:str", "a"),
        Scalar(2, "tag:yaml.org,2002:str", "b"),
    )
    assert one == Scalar(1, "tag:yaml.org,2002:int", "1")
    assert isinstance(items, Sequence)
    assert [item.line for item in items.items] == [3, 4]


def test_an_empty_text_has_no_root() -> None:
    assert compose("") is None
    assert compose("# only a comment\n") is None


def test_an_alias_is_what_its_anchor_names() -> None:
    root = compose("[&a {b: 1}, *a]")
    assert isinstance(root, Sequence)
    assert root.items[0] is root.items[1]


def test_an_explicit_tag_is_kept() -> None:
    assert compose("!!str 1") == Scalar(1, "tag:yaml.org,2002:str", "1")
    assert compose("!mine 1") == Scalar(1, "!mine", "1")


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("a: 1\n---\nb: 2\n", 3, "begins a second document; must be one"),
        ("a:\n  - *x", 2, "refers to *x, which no line before defines"),
        ("a: 1\nb: \x00", 2, "is not YAML: "),
        ("ä: 1\nb: \ud800", 2, "is not YAML: "),
        ("a: 1\n b: 2", 2, "is not YAML: mapping values are not allowed"),
        ("a: [1", 1, "is not YAML: while parsing a flow sequence, "),
        ("#" * (MAX_BYTES + 1), 1, f"has {MAX_BYTES + 1} bytes; must have at most {MAX_BYTES}"),
        ("\n" + "[" * 300_000, 2, f"is nested deeper than {MAX_DEPTH} levels"),
        ("\n" + "{a: " * 200_000, 2, f"is nested deeper than {MAX_DEPTH} levels"),
        ("- " * 200_000, 1, f"is nested deeper than {MAX_DEPTH} levels"),
        ("- 1\n" * (MAX_NODES + 1), MAX_NODES, f"holds more than {MAX_NODES} values"),
    ],
)
def test_a_fault_carries_its_line(text: str, line: int, words: str) -> None:
    assert fault(text)[0] == line
    assert fault(text)[1].startswith(words)


def test_a_tab_is_named_as_what_it_is() -> None:
    line, words = fault("a:\n\tb: 1")
    assert (line, words.partition("; ")[2]) == (
        2,
        "the line holds a tab, and YAML is indented with spaces",
    )
    assert "tab" not in fault("a: [1")[1]


def test_as_deep_as_allowed_is_no_fault() -> None:
    assert compose("[" * MAX_DEPTH + "]" * MAX_DEPTH) is not None


@pytest.mark.parametrize("text", ["a: 1\nb: [x, {y: 'z'}]", "- &a 1\n- *a", ""])
def test_both_parsers_read_alike(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    found = compose(text)
    monkeypatch.setattr(nodes, "_LOADER", yaml.SafeLoader)
    assert compose(text) == found


@pytest.mark.parametrize("text", ["a: [1", "a: 1\nb: \x00", "ä: \ud800", "[" * 9_000, "*x"])
def test_both_parsers_tell_faults(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    line, _ = fault(text)
    monkeypatch.setattr(nodes, "_LOADER", yaml.SafeLoader)
    assert abs(fault(text)[0] - line) <= 1
