"""Virtual time for tests: the clock of the examples, and its event loop as a fixture's value."""

from collections.abc import Mapping

from examples.virtual_clock import EPOCH, VirtualClock, VirtualLoop

__all__ = ["BEGAN", "EPOCH", "VIRTUAL", "VirtualClock", "VirtualLoop"]


BEGAN = 1024.0
"""Seconds on the virtual clock when a test on it begins. From 0 a moment and a duration are alike,
and no test could tell them apart.
"""


def _begun() -> VirtualLoop:
    loop = VirtualLoop()
    loop.pass_time(BEGAN)
    return loop


VIRTUAL: tuple[str, Mapping[str, object]] = ("asyncio", {"loop_factory": _begun})
"""A value for the `anyio_backend` fixture."""
