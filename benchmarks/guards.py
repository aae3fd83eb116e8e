"""How long the guards take over one turn late in a run of 200 messages; the limit is 2 ms.

python -m benchmarks.guards
"""

import statistics
import time
from collections.abc import Callable
from functools import partial

from msgspec.structs import replace

from consensus.domain.decision import CriterionResult, Verdict
from consensus.domain.gradient import Evidence, FindingStatus
from consensus.domain.guards import GoalGuards, Guards, TurnGuards
from consensus.domain.submission import Message, Submission
from consensus.domain.turn import EarlierTurn, OutputKey, ToolCall, Turn
from consensus.guards import run_after, run_before

MESSAGES = 200
LIMIT_MS = 2.0
ROUNDS = 500
GUARDS = Guards(turns=TurnGuards(), goal=GoalGuards())
WORDS = "the plan has three flights and five hotels near the venue, each with price and rating "
ARGUMENTS = '{"origin": "JFK", "destination": "SEA", "dates": [' + "20240520, " * 40 + "0]}"


def submission(*, tools: bool, words: int) -> Submission:
    """Return the last of 100 turns, with 64 earlier ones told, the most that may be.

    With `tools` every turn makes the same five calls, spelt differently now and then, which is the
    worst case of the tool loop; `words` is the length of each text.
    """
    text = (WORDS * (words // 16 + 1))[: words * 6]
    spelt = (ARGUMENTS, ARGUMENTS.replace(": ", ":"))
    calls = [
        tuple(ToolCall(name=f"tool{n}", arguments=a) for n in range(5)) if tools else ()
        for a in spelt
    ]
    earlier = tuple(
        EarlierTurn(text=f"{n} {text}", tool_calls=calls[n % 2], criteria_met=3) for n in range(64)
    )
    turn = Turn(
        iteration=MESSAGES // 2 - 1,
        max_iterations=1_000,
        tool_calls=calls[0],
        output_keys=tuple(OutputKey(f"key{n}") for n in range(32)),
        success_criteria="All keys are set and specific.",
        earlier=earlier,
    )
    spoken = tuple(Message("user" if n % 2 else "assistant", text) for n in range(MESSAGES))
    values = {f"key{n}": "three direct flights" for n in range(32)}
    return Submission(task="Plan.", candidate=text, outputs=values, messages=spoken, turn=turn)


def criteria() -> list[CriterionResult]:
    """Return what was found of 32 criteria; the last is not met."""
    return [
        CriterionResult(
            criterion_id=f"C{n}",
            text="Holds.",
            required=True,
            status=FindingStatus.MET if n < 31 else FindingStatus.UNMET,
            evidence=(Evidence("three direct flights"),),
        )
        for n in range(32)
    ]


def main() -> None:
    """Print the median and the slowest of each case."""
    found, goal_only = criteria(), replace(GUARDS, turns=None)
    for name, tools, words in (("tools", True, 100), ("texts", False, 100), ("long", False, 2_000)):
        about = submission(tools=tools, words=words)
        _tell(f"{name} before", partial(run_before, about, GUARDS))
        _tell(f"{name} after", partial(run_after, about, goal_only, Verdict.RETRY, found))


def _tell(name: str, ask: Callable[[], object]) -> None:
    median, slowest = _timed(ask)
    fits = "within" if median <= LIMIT_MS else "BEYOND"
    print(f"{name:<14} median {median:.3f} ms, slowest {slowest:.3f}: {fits} {LIMIT_MS:g} ms")


def _timed(ask: Callable[[], object]) -> tuple[float, float]:
    taken = []
    for _ in range(ROUNDS):
        began = time.perf_counter()
        ask()
        taken.append(1000 * (time.perf_counter() - began))
    return statistics.median(taken), max(taken)


if __name__ == "__main__":
    main()
