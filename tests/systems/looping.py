"""The client's loop against a running server: blocking in a thread of its own, or awaiting."""

import asyncio
from collections.abc import Callable
from typing import Any

from consensus_client import AsyncConsensusClient, ConsensusClient
from consensus_client.loop import (
    AsyncJudgeLoop,
    Attempt,
    JudgeLoop,
    LoopRules,
    LoopState,
    RunReport,
)

from tests.systems.serving import Shipped

FLAVOURS = ("blocking", "asyncio")


async def looped(
    flavour: str,
    served: Shipped,
    state: LoopState,
    worker: Callable[[Attempt], Any],
    rules: LoopRules,
    **hooks: Any,
) -> RunReport:
    """Run a loop of this flavour; a plain worker will do for both."""
    if flavour == "blocking":

        def run() -> RunReport:
            with ConsensusClient(served.server.address) as client:
                return JudgeLoop(client, worker, rules, **hooks).run(state)

        return await asyncio.to_thread(run)
    async with AsyncConsensusClient(served.server.address) as client:
        return await AsyncJudgeLoop(client, worker, rules, **hooks).run(state)
