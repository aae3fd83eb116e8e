"""Virtual time for every test of the cascade."""

import pytest

from tests.virtual_clock import VIRTUAL


@pytest.fixture(scope="session")
def anyio_backend() -> object:
    return VIRTUAL
