"""What the tests of every room share."""

import pytest


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    """Run asynchronous tests on asyncio: grpc.aio knows no other loop."""
    return "asyncio"
