"""How much of a submission the judges of a panel are shown, as data."""

from msgspec import Struct


class Sees(Struct, frozen=True, kw_only=True):
    """Bounds of what models and remote judges are shown; None: no bound. Lengths in characters."""

    messages: int | None = None
    """Most messages, the latest ones; at least 0."""
    tool_chars: int | None = None
    """Longest text of a tool's message; this bound and the others at least 1."""
    output_chars: int | None = None
    """Longest output that is neither list nor object."""
    object_chars: int | None = None
    """Longest output that is an object, as JSON."""
    list_items: int | None = None
    """Most items of an output that is a list."""
    item_chars: int | None = None
    """Longest item of it, as JSON."""
