"""Identities out of the system's randomness, read in blocks: a system call for each costs 13 us."""

import os

_BLOCK = 4_096


class _Randomness:
    """Bytes that nobody else has had."""

    def __init__(self) -> None:
        self._hexadecimal = ""
        self._next = 0

    def hex32(self) -> str:
        """Return 16 bytes as 32 hexadecimal digits."""
        start = self._next
        if start == len(self._hexadecimal):
            self._hexadecimal, start = os.urandom(_BLOCK).hex(), 0
        self._next = start + 32
        return self._hexadecimal[start : start + 32]

    def forget(self) -> None:
        """Begin anew: a forked process must not repeat what its parent has left."""
        self._hexadecimal, self._next = "", 0


_randomness = _Randomness()
os.register_at_fork(after_in_child=_randomness.forget)


def random_hex() -> str:
    """Return 32 random hexadecimal digits, such as a trace id has."""
    return _randomness.hex32()


def random_uuid() -> str:
    """Return a random UUID (version 4)."""
    digits = _randomness.hex32()
    variant = "89ab"[int(digits[16], 16) & 3]
    return f"{digits[:8]}-{digits[8:12]}-4{digits[13:16]}-{variant}{digits[17:20]}-{digits[20:]}"
