"""Virtual time for every test of the habits; test_over_grpc.py has real servers and real time."""

import pytest

from tests.virtual_clock import VIRTUAL


@pytest.fixture(scope="session")
def anyio_backend() -> object:
    return VIRTUAL
