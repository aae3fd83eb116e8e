"""One server and one scripted model for each module about traces; and both dialects."""

from collections.abc import AsyncIterator

import pytest

from tests.systems.scenario_traces.looking import DIALECTS, Looking, looking


@pytest.fixture(scope="module", name="bench")
async def _served() -> AsyncIterator[Looking]:
    async with looking() as found:
        yield found


@pytest.fixture(params=DIALECTS)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)
