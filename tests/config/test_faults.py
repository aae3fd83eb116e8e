"""Every fault of a policy file is told in one line: file, line, key, value and what is allowed.

faults/expected.txt holds the lines, faults/*.yaml the files, each named by its fault.
"""

from pathlib import Path

import pytest

from consensus.config import load_policies
from consensus.domain.errors import PolicyFileError
from consensus.validators import check_faults

FAULTS = Path(__file__).with_name("faults")
FILES = sorted(file.name for file in FAULTS.glob("*.yaml"))
EXPECTED = (FAULTS / "expected.txt").read_text("utf-8").splitlines()


@pytest.mark.parametrize("name", FILES)
def test_a_fault_is_told_with_file_line_key_value_and_what_is_allowed(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(FAULTS)
    with pytest.raises(PolicyFileError) as told:
        load_policies(Path(name), check_faults)
    assert told.value.lines() == [line for line in EXPECTED if line.startswith(f"{name}:")]


def test_every_expected_line_belongs_to_a_file() -> None:
    assert {line.partition(":")[0] for line in EXPECTED} == set(FILES)
