"""Whether this machine can run code in the sandbox."""

import shutil
import subprocess

import pytest


def _missing() -> str:
    """Return why code cannot be run here; empty where it can."""
    bwrap = shutil.which("bwrap")
    if bwrap is None:
        return "bubblewrap is not installed"
    tried = subprocess.run(
        [bwrap, "--unshare-all", "--ro-bind", "/", "/", "true"], capture_output=True, check=False
    )
    return "" if tried.returncode == 0 else "user namespaces are not allowed here"


MISSING = _missing()
needs_bubblewrap = pytest.mark.skipif(bool(MISSING), reason=MISSING)
