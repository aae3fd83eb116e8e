"""A run that is cancelled keeps what it has and goes on where it stopped."""

import asyncio
import json
from typing import Any

import pytest
from consensus_client import AsyncConsensusClient, ConsensusClient, criterion, json_schema
from consensus_client.loop import AsyncJudgeLoop, Attempt, JudgeLoop, LoopState, LoopStatus, begin
from consensus_client.testing import FakeConsensus, accept, hang, retry


class Stopped(KeyboardInterrupt):
    """Somebody pressed Ctrl-C."""


def moved(state: LoopState) -> LoopState:
    """Take a state to another process."""
    return LoopState.from_json(state.to_json())


def test_a_worker_cancelled_in_the_middle_keeps_its_outputs(run: Any) -> None:
    def searching(attempt: Attempt) -> str:
        attempt.keep({"flights": ["LH 1"]})
        raise Stopped

    def going_on(attempt: Attempt) -> dict[str, Any]:
        assert attempt.outputs == {"flights": ["LH 1"]}
        return {"hotels": ["Ritz"]}

    state = begin("Plan a journey.")
    with FakeConsensus() as fake:
        with pytest.raises(Stopped):
            run(fake, state, searching)
        assert state.status is LoopStatus.RUNNING
        report = run(fake, moved(state), going_on)
    assert report.outputs == {"flights": ["LH 1"], "hotels": ["Ritz"]}
    assert len(report.turns) == 1


def test_a_cancelled_attempt_gives_its_feedback_to_the_one_in_its_place(run: Any) -> None:
    told: list[tuple[int, str]] = []

    def stopping_once(attempt: Attempt) -> str:
        told.append((attempt.number, attempt.feedback))
        if len(told) == 2:
            raise Stopped
        return f"draft {len(told)}"

    state = begin("Task")
    with FakeConsensus(retry("Name the river."), retry("Name the city."), accept()) as fake:
        with pytest.raises(Stopped):
            run(fake, state, stopping_once)
        run(fake, moved(state), stopping_once)
    assert told == [(1, ""), (2, "Name the river."), (2, "Name the river."), (3, "Name the city.")]


def test_keeping_is_told_so_that_it_can_be_saved(run: Any) -> None:
    saved: list[str] = []

    def searching(attempt: Attempt) -> str:
        attempt.keep({"flights": ["LH 1"]})
        raise Stopped

    with FakeConsensus() as fake, pytest.raises(Stopped):
        run(fake, begin("Task"), searching, on_change=lambda state: saved.append(state.to_json()))
    assert LoopState.from_json(saved[-1]).outputs == {"flights": ["LH 1"]}


async def test_a_task_cancelled_while_judges_work_asks_them_the_same_again() -> None:
    attempts: list[int] = []

    async def work(attempt: Attempt) -> str:
        attempts.append(attempt.number)
        return "draft"

    state = begin("Task", criteria=[criterion("C1", "Is a draft.", weight=0.1)])
    async with FakeConsensus(hang(), accept()) as fake, AsyncConsensusClient(fake.target) as client:
        task = asyncio.create_task(AsyncJudgeLoop(client, work).run(state))
        await asyncio.to_thread(fake.wait_for_calls)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert (state.status, state.turns) == (LoopStatus.RUNNING, [])
        assert await asyncio.to_thread(fake.calls[0].ended.wait, 10)
        report = await AsyncJudgeLoop(client, work).run(moved(state))
        first, second = fake.requests
    assert report.status is LoopStatus.ACCEPTED
    assert first == second
    assert attempts == [1]


async def test_a_task_cancelled_while_the_worker_waits_keeps_its_outputs() -> None:
    begun = asyncio.Event()

    async def search(attempt: Attempt) -> str:
        attempt.keep({"flights": ["LH 1"]})
        begun.set()
        await asyncio.Event().wait()
        return "never"

    state = begin("Task")
    async with FakeConsensus() as fake, AsyncConsensusClient(fake.target) as client:
        task = asyncio.create_task(AsyncJudgeLoop(client, search).run(state))
        await begun.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert not fake.calls
    assert moved(state).outputs == {"flights": ["LH 1"]}


async def test_every_hook_may_be_a_coroutine_function() -> None:
    async def work(attempt: Attempt) -> str:
        return "bad"

    async def validate(draft: Any) -> list[str]:
        return ["bad"] if draft.candidate == "bad" else []

    async def fix(draft: Any, problems: Any) -> str:
        return "good"

    async def needs_person(draft: Any) -> None:
        assert draft.candidate == "good"

    async with FakeConsensus() as fake, AsyncConsensusClient(fake.target) as client:
        loop = AsyncJudgeLoop(client, work, validate=validate, fix=fix, needs_person=needs_person)
        assert (await loop.run(begin("Task"))).candidate == "good"


def test_a_replayed_answer_is_the_same_turn(server: str) -> None:
    """Against the real server: the answer that was lost is given again, not judged anew."""
    decisions: list[str] = []
    state = begin("Say hello.", criteria=[criterion("C1", "Greets.")])
    with ConsensusClient(server) as client:
        real = client.judge

        def losing(*words: Any, **more: Any) -> Any:
            decision = real(*words, **more)
            decisions.append(decision.decision_id)
            if len(decisions) == 1:
                raise Stopped
            return decision

        client.judge = losing  # type: ignore[method-assign]
        loop = JudgeLoop(client, lambda attempt: "Hello!")
        with pytest.raises(Stopped):
            loop.run(state)
        loop.run(moved(state))
    assert decisions[0] == decisions[1]


def test_a_state_is_the_same_after_a_journey(run: Any) -> None:
    checks = [json_schema({"type": "object", "maxProperties": 3})]
    state = begin(
        "Täsk",
        criteria=[criterion("C1", "Is JSON.", required=True, weight=0.1, checks=checks)],
        context={"nested": [1, None, {"a": 1.5}]},
        messages=[{"role": "user", "content": "Hi"}],
    )
    assert moved(state) == state
    with FakeConsensus(retry("More."), accept(0.9)) as fake:
        run(fake, state, lambda attempt: {"n": attempt.number})
    assert moved(state) == state
    assert len(state.turns) == 2


@pytest.mark.parametrize(
    "text",
    ["", "7", "{}", '{"version": 1}', json.dumps({"version": 2, "task": "T"}), b"\xff"],
)
def test_what_is_no_state_is_refused(text: str | bytes) -> None:
    with pytest.raises(ValueError, match="not a loop state of version 2"):
        LoopState.from_json(text)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"task": "Task"', '"task": 5'),
        ('"fixes": 0', '"fixes": "0"'),
        ('"fixes": 0', '"fixes": false'),
        ('"work_seconds": 0.0', '"work_seconds": NaN'),
        ('"messages": []', '"messages": [{"role": 5}]'),
        ('"outputs": {}', '"outputs": []'),
        ('"turns": []', '"turns": [{"number": "1", "verdict": "RETRY", "decided_by": "x"}]'),
        ('"context": null', '"context": ' + "[" * 100_000),
    ],
)
def test_a_state_with_a_value_of_another_type_is_refused(old: str, new: str) -> None:
    text = begin("Task").to_json()
    assert old in text
    with pytest.raises(ValueError, match="not a loop state of version 2"):
        LoopState.from_json(text.replace(old, new))


def test_a_state_with_an_unknown_word_is_refused() -> None:
    text = begin("Task").to_json()
    for old, new in (("RUNNING", "FLYING"), ('"fixes"', '"mends"')):
        with pytest.raises(ValueError, match="not a loop state"):
            LoopState.from_json(text.replace(old, new))
