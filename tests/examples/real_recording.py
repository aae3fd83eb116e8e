"""The real recording, where it is there."""

import pytest

from examples.replay.option import DATA

needs_recording = pytest.mark.skipif(
    not DATA.is_file(),
    reason="the recording ../shared/data/rb2_pointwise.jsonl.gz is not there; see"
    " examples/README.md",
)
