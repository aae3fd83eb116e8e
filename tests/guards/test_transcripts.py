"""Real transcripts of airline agents, turn by turn: no guard trips over them, every run ends."""

import gzip
import json
from pathlib import Path

import pytest

from benchmarks.transcripts import GUARDS, Conversation, conversations, replay, turns

DATA = Path(__file__).parents[3] / "shared" / "data" / "traj_tau_airline.jsonl.gz"


@pytest.fixture(name="runs", scope="module")
def _runs() -> list[Conversation]:
    if not DATA.exists():
        pytest.skip("the transcripts ../shared/data/traj_tau_airline.jsonl.gz are not there")
    return list(conversations(DATA))


@pytest.mark.parametrize("name", GUARDS)
def test_every_run_ends_within_its_cap(runs: list[Conversation], name: str) -> None:
    guards = GUARDS[name]
    fired = replay(runs, guards)
    assert fired.runs == sum(fired.ended.values()) == 200
    assert fired.longest <= (guards.max_iterations or 50)


def test_the_firings_over_real_runs_are_these(runs: list[Conversation]) -> None:
    hive, goal = (replay(runs, GUARDS[name]) for name in ("hive, implicit", "goal"))
    assert hive.reasons == {"CONVERSATION_OPEN": 1290, "TOOL_CALLS_PENDING": 1164}
    assert goal.reasons == {"TURNS_SPENT": 10, "UNSUPPORTED_CLAIM": 6, "REFUSED": 3}


def test_a_real_run_that_is_made_to_loop_is_seen_to(runs: list[Conversation]) -> None:
    run = list(runs[0])
    at = next(index for index, message in enumerate(run) if message.get("tool_calls"))
    run[at:at] = run[at : at + 2] * 3  # the call and its result, three times more
    assert replay([run], GUARDS["hive, implicit"]).reasons["TOOL_LOOP"] == 1


def test_answers_are_never_read(tmp_path: Path) -> None:
    said = [{"role": "user", "content": "Hello."}]
    row = {"messages": said, "label": 1, "gold_actions": ["secret"], "gold_outputs": ["secret"]}
    file = tmp_path / "rows.jsonl.gz"
    file.write_bytes(gzip.compress(json.dumps(row).encode()))
    assert list(conversations(file)) == [said]


def test_a_conversation_becomes_one_turn_for_each_message_of_the_assistant() -> None:
    call = {"id": "1", "function": {"name": "search", "arguments": "{}"}}
    conversation = [
        {"role": "user", "content": "Find a flight."},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "1", "content": "Error: no such user"},
        {"role": "assistant", "content": "Who are you?"},
    ]
    first, second = turns(conversation)
    assert first.turn is not None
    assert second.turn is not None
    assert (first.task, first.candidate, second.candidate) == ("Find a flight.", "", "Who are you?")
    assert [(call.name, call.failed) for call in first.turn.tool_calls] == [("search", True)]
    assert second.turn.earlier[0].tool_calls == first.turn.tool_calls
    assert (second.turn.iteration, len(second.messages)) == (1, 4)
