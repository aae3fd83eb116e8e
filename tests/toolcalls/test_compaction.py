"""Arguments as judges see them: the limits of both versions of AEGIS, to the character."""

import json
from typing import Any

import pytest

from consensus.cascade.compaction import compacted
from consensus.cascade.tool_call import submission_of
from consensus.domain.tool_call import PastToolCall, Proposal, ProposedToolCall
from consensus.domain.tools import Show


def excerpt(size: int, head: str, tail: str) -> dict[str, object]:
    return {"bytes": size, "head": head, "tail": tail}


LONG_LIST = list(range(100))
CASES: dict[str, tuple[Show, dict[str, Any], dict[str, Any]]] = {
    "a text of 800 characters stays": (Show.EXCERPTS, {"t": "x" * 800}, {"t": "x" * 800}),
    "a text of 801 is shown by head and tail": (
        Show.EXCERPTS,
        {"t": "a" * 600 + "b" + "c" * 200},
        {"t": excerpt(801, "a" * 600, "c" * 200)},
    ),
    "bytes are counted, characters are cut": (
        Show.EXCERPTS,
        {"t": "é" * 801},
        {"t": excerpt(1602, "é" * 600, "é" * 200)},
    ),
    "a path is verbatim": (Show.EXCERPTS, {"filePath": "p" * 4_096}, {"filePath": "p" * 4_096}),
    "what no system takes for a path is a text": (
        Show.EXCERPTS,
        {"path": "p" * 4_097},
        {"path": excerpt(4_097, "p" * 600, "p" * 200)},
    ),
    "a command of 4,096 bytes stays": (Show.EXCERPTS, {"cmd": "é" * 2_048}, {"cmd": "é" * 2_048}),
    "a longer command is shown by head and tail": (
        Show.EXCERPTS,
        {"shell_command": "a" * 2_048 + "bb" + "c" * 2_047},
        {"shell_command": excerpt(4_097, "a" * 2_048, "c" * 1_024)},
    ),
    "half a character at a cut is left out": (
        Show.EXCERPTS,
        {"command": "a" + "é" * 2_048},
        {"command": excerpt(4_097, "a" + "é" * 1_023, "é" * 512)},
    ),
    "what is nested is cut as well": (
        Show.EXCERPTS,
        {"a": {"b": ["x" * 801, 1, None]}},
        {"a": {"b": [excerpt(801, "x" * 600, "x" * 200), 1, None]}},
    ),
    "a text of 96 characters is brief": (Show.BRIEF, {"t": "x" * 96}, {"t": "x" * 96}),
    "a text of 97 is cut": (Show.BRIEF, {"t": "x" * 97}, {"t": "x" * 96 + "…"}),
    "a list of up to 256 characters is brief": (Show.BRIEF, {"l": [1, 2]}, {"l": [1, 2]}),
    "characters are counted and not their escapes": (
        Show.BRIEF,
        {"l": ["é" * 60] * 4},
        {"l": ["é" * 60] * 4},
    ),
    "a longer list is told by three items": (
        Show.BRIEF,
        {"l": LONG_LIST},
        {"l": {"type": "array", "items": [0, 1, 2], "item_count": 100}},
    ),
    "a longer object is told by eight keys": (
        Show.BRIEF,
        {"o": {f"key{i}": "x" * 20 for i in range(20)}},
        {"o": {"type": "object", "keys": [f"key{i}" for i in range(8)], "key_count": 20}},
    ),
    "a key of 97 characters is cut": (
        Show.BRIEF,
        {"o": {"k" * 97: "x" * 256}},
        {"o": {"type": "object", "keys": ["k" * 96], "key_count": 1}},
    ),
    "a number is brief": (Show.BRIEF, {"n": 12}, {"n": 12}),
    "all is shown whole where the rule says so": (
        Show.WHOLE,
        {"t": "x" * 9_000},
        {"t": "x" * 9_000},
    ),
}


@pytest.mark.parametrize("what", CASES)
def test_arguments_are_shown(what: str) -> None:
    show, given, expected = CASES[what]
    assert compacted(given, show) == expected


def test_judges_see_the_call_cut_and_the_history_in_brief() -> None:
    proposal = Proposal(
        task="Do it.",
        call=ProposedToolCall("web.get", {}),
        tool_audit_history=[
            PastToolCall("web.get", json.dumps({"t": "x" * 97}), "completed", "fine"),
            PastToolCall("web.get", "two words", "failed", error="late"),
            PastToolCall("web.get"),
        ],
    )
    seen = submission_of(proposal, {"t": "x" * 801}, Show.EXCERPTS)
    assert json.loads(seen.candidate)["arguments"]["t"]["bytes"] == 801
    history: Any = seen.context["tool_audit_history"]
    summaries = [past["arguments_summary"] for past in history["tool_calls"]]
    assert summaries == [json.dumps({"t": "x" * 96 + "…"}, ensure_ascii=False), "two words", ""]
