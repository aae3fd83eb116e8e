"""Tool calls that a worker proposes inside its loop, end to end."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
from consensus_client.loop import (
    Attempt,
    LoopRules,
    LoopState,
    ToolRules,
    begin,
)

from tests.systems.looping import FLAVOURS, looped
from tests.systems.serving import Shipped, says, shipped

TASK = "Plan a trip."

pytestmark = pytest.mark.parametrize("flavour", FLAVOURS)


@pytest.fixture(scope="module", name="gatekeeper")
async def _gatekeeper() -> AsyncIterator[Shipped]:
    async with shipped("tool_calls") as served:
        yield served


def proposing(attempt: Attempt, *calls: tuple[str, dict[str, Any]]) -> list[Any]:
    return [attempt.propose(tool, arguments) for tool, arguments in calls]


async def answered(answers: list[Any]) -> list[Any]:
    return [await each if hasattr(each, "__await__") else each for each in answers]


CALLS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("fs.write", {"path": "/project/a.md", "content": "x"}),
    ("fs.read", {"path": "/project/a.md"}),
    ("rocket.launch", {}),
)


async def test_proposed_tool_calls_are_judged_and_use_up_no_turn(
    flavour: str, gatekeeper: Shipped
) -> None:
    gatekeeper.script(**{"tool-call-policy": says(0.1, "Nobody asked for a file.")})
    tools = ToolRules(available_tools=["fs.read", "fs.write"])
    seen: list[tuple[bool, str]] = []

    def finished() -> str:
        gatekeeper.script(**{"tool-call-policy": says(0.9)})
        return "Done."

    def work(attempt: Attempt) -> Any:
        for answer in proposing(attempt, *CALLS):
            seen.append((answer.allowed, answer.retry_signal))
        return finished()

    async def work_awaiting(attempt: Attempt) -> Any:
        for answer in await answered(proposing(attempt, *CALLS)):
            seen.append((answer.allowed, answer.retry_signal))
        return finished()

    state = begin(TASK)
    worker: Any = work if flavour == "blocking" else work_awaiting
    report = await looped(flavour, gatekeeper, state, worker, LoopRules(tools=tools))
    assert len(report.turns) == 1
    assert [allowed for allowed, _ in seen] == [False, True, False]
    assert "Nobody asked for a file." in seen[0][1]
    assert report.turns[0].denied == 2
    history = LoopState.from_json(state.to_json()).tool_history
    assert [(each["tool_name"], each["status"]) for each in history] == [
        ("fs.write", "blocked"),
        ("fs.read", "allowed"),
        ("rocket.launch", "blocked"),
    ]
