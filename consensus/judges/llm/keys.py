"""Reads the key of a model server from its file, again whenever the file changes."""

import os
from pathlib import Path

from consensus.domain.errors import JudgeFailed
from consensus.domain.gradient import FailureKind

MAX_BYTES = 16 << 10
NO_KEY = "api_key_file cannot be read, is empty or not one line of ASCII"


class KeyFile:
    """A key that may be rotated while the server runs. It is never logged or put into an error."""

    def __init__(self, file: str) -> None:
        """`file` may be empty: there is no key then."""
        self._file = file
        self._seen: tuple[int, int, int] | None = None
        self._key = ""

    def changed(self) -> str | None:
        """Return the key if it is new since the last call, else None.

        A file that is missing, empty or half written keeps the key in force. Raises JudgeFailed
        (ERROR) while there has never been one.
        """
        if not self._file:
            return None
        try:
            state = os.stat(self._file)  # noqa: PTH116 - half the time of Path.stat, on every call
            seen = (state.st_mtime_ns, state.st_size, state.st_ino)
            if seen == self._seen:
                return None
            key = _key(Path(self._file))
        except OSError:
            key, seen = "", None
        if not key:
            if self._key:
                return None
            raise JudgeFailed(FailureKind.ERROR, NO_KEY)
        self._seen = seen
        if key == self._key:
            return None
        self._key = key
        return key


def _key(file: Path) -> str:
    """Return the key in `file`; empty where it holds none that can stand in a header."""
    with file.open("rb") as stream:
        data = stream.read(MAX_BYTES + 1)
    key = data.decode("ascii", "replace").strip()
    usable = len(data) <= MAX_BYTES and key.isascii() and key.isprintable()
    return key if usable else ""
