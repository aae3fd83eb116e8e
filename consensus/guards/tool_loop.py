"""Tool loop ("doom loop" in Hive's code): the same tool calls in several turns running.

Calls are the same when name and arguments are, the arguments compared as JSON whatever the order
of their keys. The order of the calls counts.
"""

import json
from collections.abc import Iterable

from consensus.domain.decision import Reason, ReasonCode, Verdict
from consensus.domain.guards import GuardAction, TurnGuards
from consensus.domain.submission import Submission
from consensus.domain.turn import ToolCall, Turn
from consensus.guards.outcome import GuardOutcome, listed, said
from consensus.guards.tools import work

MAX_READ = 100_000
"""Characters of arguments that are read as JSON, for all turns together: some 10 ms."""
_PER_CALL = 100
"""What reading one call's arguments takes beside their length, in characters."""
_WARNING = (
    "You have made the same tool calls with the same arguments in {turns} turns running: {tools}."
    " Their results will not change. Do something else, or go on with what you have."
)
_ASK = " Ask your user how to go on."


def tool_loop(_: Submission, turn: Turn, guards: TurnGuards) -> GuardOutcome | None:
    """Warn, or ESCALATE, after every `tool_loop_turns` turns with the same tool calls.

    A worker that talks with a person is to ask that person.
    """
    calls = _counted(turn.tool_calls, guards)
    if guards.on_tool_loop is GuardAction.OFF or not calls:
        return None
    running = 1 + _same_before(calls, turn, guards)
    if running < guards.tool_loop_turns or _length(running, turn) % guards.tool_loop_turns:
        return None  # having warned, it begins to count anew
    words = f"The same {len(calls)} tool calls in {running} turns running."
    if guards.on_tool_loop is GuardAction.ESCALATE:
        return said(ReasonCode.TOOL_LOOP, words, verdict=Verdict.ESCALATE)
    warning = _WARNING.format(turns=running, tools=listed([call.name for call in calls]))
    if not turn.client_facing:
        return said(ReasonCode.TOOL_LOOP, words, feedback=warning)
    asks = Reason(ReasonCode.USER_INPUT_NEEDED, ReasonCode.USER_INPUT_NEEDED.value)
    return GuardOutcome(
        verdict=Verdict.RETRY,
        reasons=(asks, Reason(ReasonCode.TOOL_LOOP, words)),
        feedback=warning + _ASK,
    )


def _same_before(calls: list[ToolCall], turn: Turn, guards: TurnGuards) -> int:
    """Return how many turns just before this one made the same calls."""
    names, read = [call.name for call in calls], _Spellings()
    wanted = [read[call.arguments] for call in calls]
    for number, earlier in enumerate(reversed(turn.earlier)):
        theirs = _counted(earlier.tool_calls, guards)
        if [call.name for call in theirs] != names:
            return number
        if [read[call.arguments] for call in theirs] != wanted:
            return number
    return len(turn.earlier)


def _counted(calls: Iterable[ToolCall], guards: TurnGuards) -> list[ToolCall]:
    real = work(calls, guards)
    return real if guards.tool_loop_counts_failed else [call for call in real if not call.failed]


def _length(running: int, turn: Turn) -> int:
    """Return the length of a loop; where it began before what is told, that of the whole run,
    which grows by one with each turn, too.
    """
    return max(running, turn.iteration + 1) if running > len(turn.earlier) else running


class _Spellings(dict[str, str]):
    """Arguments as canonical JSON, each read once: those of a loop come again and again.

    When MAX_READ is used up, further ones stay as they are written.
    """

    def __init__(self) -> None:
        super().__init__()
        self._left = MAX_READ

    def __missing__(self, arguments: str) -> str:
        self._left -= len(arguments) + _PER_CALL
        self[arguments] = read = canonical(arguments) if self._left >= 0 else arguments
        return read


def canonical(arguments: str) -> str:
    """Return JSON text with sorted keys and no white space; what is no JSON, less space around."""
    try:
        return json.dumps(json.loads(arguments), sort_keys=True, separators=(",", ":"))
    except (ValueError, RecursionError):
        return arguments.strip()
