"""When the process looks for garbage."""

import gc
import mmap
import weakref
from collections.abc import Iterator

import pytest

from consensus.garbage import Sweeper, resident_bytes


class Knot:
    """Refers to itself, so that only a look for garbage frees it."""

    def __init__(self) -> None:
        self.itself = self


class Memory:
    """What the process takes, as the test says."""

    mib = 100

    def __call__(self) -> int:
        return self.mib << 20


@pytest.fixture
def memory() -> Memory:
    return Memory()


@pytest.fixture
def sweeper(memory: Memory) -> Iterator[Sweeper]:
    """Spare what is there, and make up for it afterwards."""
    before = gc.get_threshold()
    gc.collect()
    yield Sweeper(memory)
    gc.unfreeze()
    gc.set_threshold(*before)


@pytest.fixture
def looks() -> Iterator[list[int]]:
    """The generations that were looked at."""
    seen: list[int] = []

    def note(phase: str, info: dict[str, int]) -> None:
        if phase == "stop":
            seen.append(info["generation"])

    gc.callbacks.append(note)
    yield seen
    gc.callbacks.remove(note)


def grown_old() -> "weakref.ref[Knot]":
    """Return a reference to garbage that outlived the look that found it still in use."""
    knot = Knot()
    gc.collect(0)
    return weakref.ref(knot)


@pytest.mark.usefixtures("sweeper")
def test_what_start_up_made_is_not_looked_at() -> None:
    assert gc.get_freeze_count() > 0


@pytest.mark.usefixtures("sweeper")
def test_a_few_thousand_new_objects_are_no_reason_to_look(looks: list[int]) -> None:
    looks.clear()
    kept = [[number] for number in range(10_000)]
    assert (len(kept), looks) == (10_000, [])


@pytest.mark.usefixtures("sweeper")
def test_many_new_objects_are_looked_at_and_the_older_ones_not_yet(looks: list[int]) -> None:
    looks.clear()
    kept = [[number] for number in range(300_000)]
    assert (len(kept), set(looks)) == (300_000, {0})


@pytest.mark.usefixtures("sweeper")
def test_old_garbage_stays_while_only_the_young_is_looked_at() -> None:
    knot = grown_old()
    for _ in range(20):
        gc.collect(0)
    assert knot() is not None


def test_old_garbage_is_freed_in_an_idle_moment(sweeper: Sweeper) -> None:
    knot = grown_old()
    sweeper.look(idle=True)
    assert knot() is None


def test_old_garbage_waits_while_somebody_else_does(sweeper: Sweeper) -> None:
    knot = grown_old()
    sweeper.look(idle=False)
    assert knot() is not None


def test_where_nothing_grew_old_nothing_is_looked_at(sweeper: Sweeper, looks: list[int]) -> None:
    sweeper.look(idle=True)
    looks.clear()
    sweeper.look(idle=True)
    assert looks == []


def test_a_process_that_grows_is_swept_although_it_is_never_idle(
    sweeper: Sweeper, memory: Memory
) -> None:
    knot = weakref.ref(Knot())  # young, so few and large objects count too
    memory.mib = 201
    sweeper.look(idle=False)
    assert knot() is None


def test_a_process_that_has_grown_and_stays_so_is_swept_once(
    sweeper: Sweeper, memory: Memory, looks: list[int]
) -> None:
    memory.mib = 250
    for _ in range(5):
        sweeper.look(idle=False)
    assert looks.count(2) == 1


def test_a_process_that_has_shrunk_may_not_grow_back_unswept(
    sweeper: Sweeper, memory: Memory, looks: list[int]
) -> None:
    for memory.mib, idle in ((400, False), (100, True), (250, False)):
        gc.collect(0)
        sweeper.look(idle=idle)
    assert looks.count(2) == 3


def test_where_the_system_tells_no_memory_only_idle_moments_count(
    sweeper: Sweeper, memory: Memory
) -> None:
    memory.mib = 0
    grown_old()
    sweeper.look(idle=True)
    knot = grown_old()
    sweeper.look(idle=False)
    assert knot() is not None


def test_the_memory_is_that_of_a_python_with_this_in_it() -> None:
    assert resident_bytes() == 0 or 10 << 20 < resident_bytes() < 10 << 30


def test_memory_that_is_only_set_aside_is_not_taken() -> None:
    before = resident_bytes()
    with mmap.mmap(-1, 1 << 28):
        assert resident_bytes() - before < 1 << 27
