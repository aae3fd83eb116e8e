"""What a judge looks up in a trace or a conversation that is told in outline only.

What a model asks for may be anything: wrong questions are answered with an error to the model.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial

from consensus.domain.evaluation import Evaluation
from consensus.judges.llm.chat import Tool, ToolUse
from consensus.judges.llm.conversation import CHARS_PER_TOKEN
from consensus.judges.llm.subject import Outlined
from consensus.judges.llm.tool_use import MAX_ARGUMENTS
from consensus.traces import (
    expand_trace,
    expand_transcript,
    grep_trace,
    grep_transcript,
    trace_of,
)
from consensus.traces.search import MAX_IDS, RESULT_TOKENS

MAX_USES = 4
"""Calls of one step that are answered."""
STEP_CHARS = RESULT_TOKENS * CHARS_PER_TOKEN + 256
"""Most characters of the results of one step: a whole one and its hint."""
_CUT = "\n[TRUNCATED] Ask for less at a time."

_Arguments = Mapping[str, object]
_Answer = Callable[[_Arguments], str]


def _tool(name: str, description: str, argument: str, schema: Mapping[str, object]) -> Tool:
    parameters = {
        "type": "object",
        "properties": {argument: schema},
        "required": [argument],
        "additionalProperties": False,
    }
    return Tool(name, description, parameters)


_PATTERN = {"type": "string", "description": "Plain text, no expression."}
_IDS = {"type": "array", "items": {"type": "string"}, "description": "First 4 to 16 digits."}
_INDICES = {"type": "array", "items": {"type": "integer"}, "description": "From 0."}
EXPAND_TRACE = _tool(
    "expand_trace", "Shows spans with all their attributes and events.", "span_ids", _IDS
)
GREP_TRACE = _tool(
    "grep_trace", "Shows the lines of spans that hold a text, in either case.", "pattern", _PATTERN
)
EXPAND_TRANSCRIPT = _tool(
    "expand_transcript", "Shows messages of the conversation.", "indices", _INDICES
)
GREP_TRANSCRIPT = _tool(
    "grep_transcript", "Shows the messages that hold a text, in either case.", "pattern", _PATTERN
)


class Lookups:
    """The tools for one submission."""

    def __init__(self, evaluation: Evaluation, outlined: Outlined) -> None:
        self._evaluation = evaluation
        self._answers: dict[str, _Answer] = {}
        tools: list[Tool] = []
        for tool, answer in self._known(outlined):
            tools.append(tool)
            self._answers[tool.name] = answer
        self.tools = tuple(tools)

    def answers(self, uses: Sequence[ToolUse]) -> list[str]:
        """Return what each call finds, STEP_CHARS at most together. Takes a while in a long trace.

        Raises TraceUnusable where the trace is no tree.
        """
        found, left = [], STEP_CHARS
        for use in uses:
            text = self._answer(use)
            if len(text) > left:
                text = text[: max(left - len(_CUT), 0)] + _CUT
            left = max(left - len(text), 0)
            found.append(text)
        return found

    def _known(self, outlined: Outlined) -> Iterator[tuple[Tool, _Answer]]:
        if outlined.trace:
            yield EXPAND_TRACE, self._expand_trace
            yield GREP_TRACE, partial(_matched, self._grep_trace)
        if outlined.messages:
            yield EXPAND_TRANSCRIPT, self._expand_transcript
            yield GREP_TRANSCRIPT, partial(_matched, self._grep_transcript)

    def _answer(self, use: ToolUse) -> str:
        answer = self._answers.get(use.name)
        if answer is None:
            return f"Error: there is no such tool. There are: {', '.join(self._answers)}."
        if use.arguments is None:
            return f"Error: the arguments are no JSON object of {MAX_ARGUMENTS} characters at most."
        return answer(use.arguments)

    def _expand_trace(self, arguments: _Arguments) -> str:
        given = _list(arguments.get("span_ids"))
        span_ids = [each for each in given if isinstance(each, str)]
        if not span_ids or len(span_ids) != len(given):
            return f"Error: span_ids must be a list of 1 to {MAX_IDS} texts."
        return expand_trace(trace_of(self._evaluation), span_ids).text

    def _grep_trace(self, pattern: str) -> str:
        return grep_trace(trace_of(self._evaluation), pattern).text

    def _expand_transcript(self, arguments: _Arguments) -> str:
        given = _list(arguments.get("indices"))
        indices = [each for each in given if type(each) is int]
        if not indices or len(indices) != len(given):
            return f"Error: indices must be a list of 1 to {MAX_IDS} whole numbers."
        return expand_transcript(self._evaluation.submission.messages, indices).text

    def _grep_transcript(self, pattern: str) -> str:
        return grep_transcript(self._evaluation.submission.messages, pattern).text


def _matched(search: Callable[[str], str], arguments: _Arguments) -> str:
    pattern = arguments.get("pattern")
    if not isinstance(pattern, str):
        return "Error: pattern must be a text."
    return search(pattern)


def _list(given: object) -> list[object]:
    """Return a list of MAX_IDS at most; an empty one for anything else."""
    return given if isinstance(given, list) and len(given) <= MAX_IDS else []
