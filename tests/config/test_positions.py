"""Plain values, as JSON has them, and the line of every key."""

import datetime

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from consensus.config.positions import PositionedYaml, dotted, shown

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63) + 1, 2**63 - 1) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("ab", max_size=2), inner),
    max_leaves=9,
)


@given(JSON, st.booleans())
def test_values_come_back_as_they_were_written(value: object, flow: bool) -> None:
    source = PositionedYaml(yaml.safe_dump(value, default_flow_style=flow))
    assert source.faults == []
    assert source.value == value


def test_keys_have_lines_and_so_have_their_values() -> None:
    source = PositionedYaml("a:\n  b:\n\n    - 1\n    - c: 2\n")
    assert source.value == {"a": {"b": [1, {"c": 2}]}}
    assert source.line(("a",)) == 1
    assert source.line(("a", "b")) == 2
    assert source.line(("a", "b", 0)) == 4
    assert source.line(("a", "b", 1, "c")) == 5


def test_what_is_not_there_has_the_line_of_what_holds_it() -> None:
    source = PositionedYaml("\na:\n  b: 1\n")
    assert source.line(("a", "none", 7, "x")) == 2
    assert source.line(("none",)) == 1


def test_an_alias_stands_where_its_anchor_does() -> None:
    source = PositionedYaml("a: &x {b: 1}\n\nc: *x\n")
    assert source.value == {"a": {"b": 1}, "c": {"b": 1}}
    assert source.line(("c",)) == 3
    assert source.line(("c", "b")) == 1


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a: .inf", "is '.inf', which is no finite number"),
        ("a: 0x8000000000000000", "is '0x8000000000000000', which is too large a number"),
        ("a: 2020-01-31", "is '2020-01-31', which YAML takes for a date; put it in quotes"),
        ("a: 2020-01-31 10:00:00", "which YAML takes for a date; put it in quotes"),
        ("a: !!binary aGk=", "is 'aGk=', which YAML takes for something that JSON does not have"),
        ("a: !!int x", "is 'x', which YAML cannot read; put it in quotes, without a tag"),
        ("a: !mine x", "is 'x', which YAML cannot read"),
        ("a: !!float ''", "is '', which YAML cannot read"),
        ("a: 2020-99-99", "is '2020-99-99', which YAML cannot read"),
        ("a: " + "1:" * 100 + "1", "which YAML cannot read"),
    ],
)
def test_what_json_does_not_have_is_a_fault(text: str, words: str) -> None:
    (found,) = PositionedYaml(text).faults
    assert (found.line, found.key) == (1, "a")
    assert words in found.message


def test_a_key_that_stands_twice_is_a_fault_and_the_first_counts() -> None:
    source = PositionedYaml("a:\n  b: 1\n  c: 2\n  b: 3\n")
    (found,) = source.faults
    assert (found.line, found.key) == (4, "a.b")
    assert found.message == "stands here again, first in line 2"
    assert source.value == {"a": {"b": 1, "c": 2}}


def test_keys_are_text_however_they_look() -> None:
    assert PositionedYaml("1: a\ntrue: b\nnull: c").value == {"1": "a", "true": "b", "null": "c"}


@pytest.mark.parametrize(
    "text",
    [
        "a: &a [*a]",
        "a: &a {b: *a}",
        "\n".join(
            ["a0: &a0 [x, x, x]"] + [f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}]" for n in range(1, 40)]
        ),
    ],
)
def test_aliases_cannot_blow_up(text: str) -> None:
    (found,) = PositionedYaml(text).faults
    assert found.message == "is too deep or, with aliases expanded, too large"


def test_values_are_shown_as_people_write_them() -> None:
    assert [shown(value) for value in (None, True, 1.5, "a")] == ["empty", "true", "1.5", "'a'"]
    assert shown("x" * 100) == "'" + "x" * 78 + "…"
    assert shown([datetime.date(2020, 1, 31)]) == "[datetime.date(2020, 1, 31)]"


def test_paths_are_dotted() -> None:
    assert dotted(("policies", "a", "stages", 0, "name")) == "policies.a.stages[0].name"
    assert dotted(()) == "(file)"
