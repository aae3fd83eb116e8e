"""When the process looks for garbage."""

import gc
import weakref
from collections.abc import Iterator

import pytest

from consensus import garbage


class Knot:
    """Refers to itself, so that only a look for garbage frees it."""

    def __init__(self) -> None:
        self.itself = self


@pytest.fixture(autouse=True)
def sparing() -> Iterator[None]:
    """Spare what is there, and make up for it afterwards."""
    before = gc.get_threshold()
    gc.collect()
    garbage.spare_what_is_there()
    yield
    gc.unfreeze()
    gc.set_threshold(*before)


def grown_old() -> "weakref.ref[Knot]":
    """Return a reference to garbage that outlived the look that found it still in use."""
    knot = Knot()
    gc.collect(0)
    return weakref.ref(knot)


def test_what_start_up_made_is_not_looked_at() -> None:
    assert gc.get_freeze_count() > 0


def test_old_garbage_stays_while_only_the_young_is_looked_at() -> None:
    knot = grown_old()
    for _ in range(20):
        gc.collect(0)
    assert knot() is not None


def test_a_sweep_frees_old_garbage() -> None:
    knot = grown_old()
    garbage.sweep()
    assert knot() is None


def test_where_nothing_grew_old_a_sweep_looks_at_nothing() -> None:
    looks: list[str] = []
    gc.callbacks.append(lambda phase, info: looks.append(phase))
    try:
        garbage.sweep()
        garbage.sweep()
    finally:
        gc.callbacks.pop()
    assert looks == []
