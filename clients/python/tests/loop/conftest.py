"""Both flavours of the loop behind one blocking face."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from consensus_client import AsyncConsensusClient, ConsensusClient
from consensus_client.loop import (
    AsyncJudgeLoop,
    Attempt,
    JudgeLoop,
    LoopRules,
    LoopState,
    RunReport,
)

Run = Callable[..., RunReport]


@pytest.fixture(params=["blocking", "asyncio"])
def run(request: pytest.FixtureRequest) -> Run:
    """Run a loop of either flavour: `run(fake, state, worker, rules, **hooks)`."""

    def blocking(
        fake: Any, state: LoopState, worker: Any, rules: LoopRules | None = None, **hooks: Any
    ) -> RunReport:
        with ConsensusClient(fake.target) as client:
            return JudgeLoop(client, worker, rules, **hooks).run(state)

    def awaiting(
        fake: Any, state: LoopState, worker: Any, rules: LoopRules | None = None, **hooks: Any
    ) -> RunReport:
        async def work(attempt: Attempt) -> Any:
            return worker(attempt)

        async def go() -> RunReport:
            async with AsyncConsensusClient(fake.target) as client:
                return await AsyncJudgeLoop(client, work, rules, **hooks).run(state)

        return asyncio.run(go())

    return blocking if request.param == "blocking" else awaiting
