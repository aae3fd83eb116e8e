"""One audited server for each module, and judges whose scripts every test may change."""

from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest

from tests.service.running import Running
from tests.service.scripted_judge import Backend, Script
from tests.systems.executions.executing import audit_of, audited_server, begin


@pytest.fixture(scope="module")
async def both(anyio_backend: str) -> AsyncIterator[tuple[Running, Backend]]:
    async with audited_server() as running:
        yield running


@pytest.fixture
def server(both: tuple[Running, Backend]) -> Running:
    return both[0]


@pytest.fixture
def bench(both: tuple[Running, Backend]) -> Backend:
    return both[1]


@pytest.fixture(autouse=True)
def scripts(bench: Backend) -> dict[str, Script]:
    return begin(bench)


@pytest.fixture
def audited(caplog: pytest.LogCaptureFixture) -> Callable[..., list[dict[str, Any]]]:
    return lambda *names: audit_of(caplog.records, *names)
