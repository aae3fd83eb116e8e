"""Identities: of the right form, and none twice."""

import subprocess
import sys
import uuid

from consensus.domain import ids
from consensus.domain.ids import random_hex, random_uuid


def test_a_uuid_is_random_and_of_version_4() -> None:
    for _ in range(300):
        text = random_uuid()
        found = uuid.UUID(text)
        assert str(found) == text
        assert (found.version, found.variant) == (4, uuid.RFC_4122)


def test_none_is_given_twice() -> None:
    given = [random_hex() for _ in range(2_000)]
    assert len(set(given)) == len(given)
    assert all(len(digits) == 32 and int(digits, 16) >= 0 for digits in given)


def test_what_is_left_may_be_forgotten() -> None:
    first = random_hex()
    ids._randomness.forget()
    assert random_hex() != first


def test_a_forked_process_does_not_repeat_its_parent() -> None:
    script = """
import os
from consensus.domain.ids import random_hex
random_hex()
read, write = os.pipe()
if os.fork() == 0:
    os.write(write, random_hex().encode())
    os._exit(0)
os.wait()
print(os.read(read, 32).decode() != random_hex())
"""
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60)
    assert run.stdout == "True\n", run.stderr
