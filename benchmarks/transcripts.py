"""What the guards say of real transcripts, turn by turn.

    python -m benchmarks.transcripts traj_tau_airline.jsonl.gz

Rows are JSON Lines, gzipped. Of a row only `messages` is read, a conversation in OpenAI's format;
every message of the assistant is a turn. No judge is asked: what the guards leave open goes back to
the worker, so a run ends where a guard ends it, or with its transcript.
"""

import gzip
import json
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from consensus.domain.decision import Verdict
from consensus.domain.guards import GoalGuards, Guards, TurnGuards, TurnJudge
from consensus.domain.submission import Message, Submission
from consensus.domain.turn import EarlierTurn, ToolCall, Turn
from consensus.guards import run_after, run_before

GUARDS = {
    "hive, implicit": Guards(turns=TurnGuards()),
    "hive, custom judge": Guards(turns=TurnGuards(judge=TurnJudge.STAGES)),
    "engine x": Guards(
        turns=TurnGuards(stall_counts_empty=True, tool_loop_counts_failed=True, urgency=True)
    ),
    "goal": Guards(max_iterations=25, goal=GoalGuards()),
}
EARLIER = 16
"""Earlier turns that are told; the guards look at five."""

Conversation = Sequence[Mapping[str, Any]]


@dataclass(slots=True)
class Fired:
    """What guards did over many runs."""

    runs: int = 0
    turns: int = 0
    longest: int = 0
    """Turns of the longest run."""
    reasons: Counter[str] = field(default_factory=Counter)
    """Turns by reason code."""
    ended: Counter[str] = field(default_factory=Counter)
    """Runs by the reason that ended them; `transcript` where none did."""


def conversations(file: Path) -> Iterator[Conversation]:
    """Yield the messages of each row, and nothing else of it."""
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)["messages"]


def turns(messages: Conversation) -> Iterator[Submission]:
    """Yield a submission for each turn of the assistant, as a client-facing worker would."""
    task = next(m["content"] for m in messages if m["role"] == "user")
    said: list[Message] = []
    earlier: list[EarlierTurn] = []
    for at, message in enumerate(messages):
        said.append(Message(message["role"], message.get("content") or ""))
        if message["role"] != "assistant":
            continue
        calls = tuple(_calls(message, messages[at + 1 :]))
        facts = Turn(
            iteration=len(earlier),
            tool_calls=calls,
            client_facing=True,
            earlier=tuple(earlier[-EARLIER:]),
        )
        text = said[-1].content
        yield Submission(task=task, candidate=text, messages=tuple(said), turn=facts)
        earlier.append(EarlierTurn(text=text, tool_calls=calls))


def _calls(message: Mapping[str, Any], after: Conversation) -> Iterator[ToolCall]:
    answers = {m.get("tool_call_id"): m.get("content") or "" for m in after if m["role"] == "tool"}
    for call in message.get("tool_calls") or ():
        function = call["function"]
        failed = answers.get(call["id"], "").startswith("Error")
        yield ToolCall(name=function["name"], arguments=function["arguments"], failed=failed)


def replay(runs: Iterable[Conversation], guards: Guards) -> Fired:
    """Return what these guards do over these runs."""
    fired = Fired()
    for messages in runs:
        fired.runs += 1
        ended, length = "transcript", 0
        for submission in turns(messages):
            length += 1
            told = run_before(submission, guards)
            if told is None or told.verdict is None:
                after = run_after(submission, guards, Verdict.RETRY, ())
                told = after if told is None else told + after
            fired.reasons.update(reason.code.name for reason in told.reasons)
            if told.verdict is not Verdict.RETRY:
                ended = told.reasons[0].code.name
                break
        fired.ended[ended] += 1
        fired.turns += length
        fired.longest = max(fired.longest, length)
    return fired


def main(file: Path) -> None:
    """Print what each set of guards does."""
    runs = list(conversations(file))
    for name, guards in GUARDS.items():
        fired = replay(runs, guards)
        print(f"{name}: {fired.runs} runs, {fired.turns} turns, the longest run {fired.longest}")
        for label, counts in (("turns", fired.reasons), ("ended", fired.ended)):
            for reason, count in counts.most_common():
                print(f"  {label} {reason:<20} {count:>5}")


if __name__ == "__main__":
    if len(sys.argv) != 2 or not Path(sys.argv[1]).is_file():
        sys.exit("python -m benchmarks.transcripts FILE: a file of gzipped JSON Lines is needed")
    main(Path(sys.argv[1]))
