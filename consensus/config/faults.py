"""Collects what is wrong in a parsed policy file, by path."""

from collections.abc import Iterable

from consensus.config.positions import Path


class Faults:
    """Everything wrong, found while building goes on to find the rest."""

    def __init__(self) -> None:
        self.found: list[tuple[Path, str]] = []

    def add(self, path: Path, message: str) -> None:
        """Add what is wrong with the value at `path`."""
        self.found.append((path, message))

    def add_fields(self, path: Path, faults: Iterable[tuple[str, str]]) -> None:
        """Add (field, what is wrong), fields such as `seats[0].weight` counted from `path`."""
        for field, message in faults:
            self.add((*path, *_parts(field)), message)


def _parts(field: str) -> Path:
    """Split a field such as `seats[0].weight` into ("seats", 0, "weight")."""
    flat = field.replace("[", ".").replace("]", "").split(".")
    return tuple(int(part) if part.isdigit() else part for part in flat)
