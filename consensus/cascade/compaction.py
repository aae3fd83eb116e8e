"""Arguments as judges see them: short ones whole, long ones so that head and tail tell enough."""

import json
import re
from collections.abc import Mapping

from consensus.domain.tools import Show

MAX_TEXT, TEXT_HEAD, TEXT_TAIL = 800, 600, 200
"""Characters."""
MAX_COMMAND, COMMAND_HEAD, COMMAND_TAIL = 4_096, 2_048, 1_024
"""Bytes of UTF-8."""
MAX_PATH = 4_096
"""Characters; what is longer is no path that a system would take."""
BRIEF_TEXT, BRIEF_JSON, BRIEF_KEYS, BRIEF_ITEMS = 96, 256, 8, 3
_PATHS = frozenset(("path", "paths", "file", "files", "filename", "filepath", "dir", "directory",
                    "cwd", "folder", "src", "dst", "source", "destination"))  # fmt: skip
_COMMANDS = frozenset(("command", "commands", "cmd", "script", "shell", "bash", "argv"))
_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")


def compacted(arguments: Mapping[str, object], show: Show) -> Mapping[str, object]:
    """Return the arguments as judges see them."""
    match show:
        case Show.WHOLE:
            return arguments
        case Show.BRIEF:
            return {key: brief(item) for key, item in arguments.items()}
        case Show.EXCERPTS:
            return {key: _excerpt(item, key) for key, item in arguments.items()}


def brief(value: object) -> object:
    """Return a text cut at 96 characters, a list or object above 256 characters in outline."""
    match value:
        case str():
            return value if len(value) <= BRIEF_TEXT else value[:BRIEF_TEXT] + "…"
        case Mapping() if _size(value) > BRIEF_JSON:
            keys = [key[:BRIEF_TEXT] for key in list(value)[:BRIEF_KEYS]]
            return {"type": "object", "keys": keys, "key_count": len(value)}
        case list() if _size(value) > BRIEF_JSON:
            items = [brief(item) for item in value[:BRIEF_ITEMS]]
            return {"type": "array", "items": items, "item_count": len(value)}
        case _:
            return value


def _excerpt(value: object, key: str) -> object:
    match value:
        case str():
            return _excerpt_of_text(value, key)
        case Mapping():
            return {name: _excerpt(item, name) for name, item in value.items()}
        case list():
            return [_excerpt(item, key) for item in value]
        case _:
            return value


def _excerpt_of_text(text: str, key: str) -> object:
    words = {word.lower() for word in _WORDS.findall(key)}
    if words & _PATHS and len(text) <= MAX_PATH:
        return text
    if words & _COMMANDS:
        data = text.encode("utf-8", "replace")
        if len(data) <= MAX_COMMAND:
            return text
        head, tail = data[:COMMAND_HEAD], data[-COMMAND_TAIL:]
        ends = {"head": head.decode("utf-8", "ignore"), "tail": tail.decode("utf-8", "ignore")}
        return {"bytes": len(data), **ends}
    if len(text) <= MAX_TEXT:
        return text
    size = len(text.encode("utf-8", "replace"))
    return {"bytes": size, "head": text[:TEXT_HEAD], "tail": text[-TEXT_TAIL:]}


def _size(value: object) -> int:
    return len(json.dumps(value, ensure_ascii=False, default=repr))
