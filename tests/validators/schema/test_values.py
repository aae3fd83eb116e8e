"""JSON values are compared, typed and shown as JSON Schema sees them."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from consensus.validators.effort import Effort
from consensus.validators.schema.values import (
    TYPES,
    is_multiple,
    is_number,
    member,
    number,
    same,
    shown,
    type_of,
)

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner),
    max_leaves=12,
)


@settings(deadline=None)
@given(JSON)
def test_every_value_has_a_type_is_itself_and_is_shown_in_short(value: object) -> None:
    assert type_of(value) in TYPES
    assert same(value, value, Effort())
    assert len(shown(value)) < 1_000


@settings(deadline=None)
@given(JSON, JSON)
def test_sameness_is_symmetric(one: object, other: object) -> None:
    assert same(one, other, Effort()) == same(other, one, Effort())


@pytest.mark.parametrize(
    ("one", "other"),
    [(True, 1), (0, False), ([], {}), ([1], [2]), ({"a": 1}, {"b": 1}), ("", None)],
)
def test_different_values_are_not_the_same(one: object, other: object) -> None:
    assert not same(one, other, Effort())


@settings(deadline=None)
@given(st.integers(-(10**6), 10**6), st.integers(1, 10**4), st.integers(0, 4))
def test_multiples_are_those_of_decimal_arithmetic(value: int, step: int, digits: int) -> None:
    scale = 10**digits
    expected = Fraction(value, scale) % Fraction(step, scale) == 0
    assert is_multiple(value / scale, step / scale) is expected


def test_numbers_are_read_without_loss_and_refused_beyond_doubles() -> None:
    assert number("1.5") == 1.5
    assert isinstance(number("2.0"), int)
    assert isinstance(number("1e300"), float)
    with pytest.raises(ValueError, match="1e999 is too large"):
        number("1e999")


@pytest.mark.parametrize("value", [True, None, "1", float("nan"), float("inf")])
def test_truth_values_and_infinities_are_no_numbers(value: object) -> None:
    assert not is_number(value)


def test_members_are_written_as_people_write_paths() -> None:
    assert member("unit") == ".unit"
    assert member("unit price") == '["unit price"]'
    assert member("x" * 100) == f'["{"x" * 59}…]'
