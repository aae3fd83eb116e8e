"""Virtual time for tests: the clock of the examples, and its event loop as a fixture's value."""

from collections.abc import Mapping

from examples.virtual_clock import EPOCH, VirtualClock, VirtualLoop

__all__ = ["EPOCH", "VIRTUAL", "VirtualClock", "VirtualLoop"]

VIRTUAL: tuple[str, Mapping[str, object]] = ("asyncio", {"loop_factory": VirtualLoop})
"""A value for the `anyio_backend` fixture."""
