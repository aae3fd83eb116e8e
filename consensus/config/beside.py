"""Reads the files that a policy file names: files only, so that nothing is waited for, and bounded,
for a name may lead anywhere.
"""

import os
import stat
from pathlib import Path

from consensus.config.nodes import MAX_BYTES


def content(file: Path) -> bytes:
    """Return what a file holds, or its first MAX_BYTES + 1 bytes where it holds more.

    Raises OSError where there is none, or something else, such as a pipe that nobody writes to.
    """
    descriptor = os.open(file, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(descriptor, "rb") as opened:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(f"{file} is no file")
        return opened.read(MAX_BYTES + 1)
