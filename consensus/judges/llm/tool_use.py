"""What models call, as it may be said to them again: names and arguments of any kind and size."""

import json
import re
from collections.abc import Mapping

from consensus.judges.llm.chat import ToolUse
from consensus.judges.llm.json_values import parsed, text

MAX_ARGUMENTS = 4_096
"""Most characters of the arguments of one call, as JSON."""
_NAME = re.compile("[A-Za-z0-9_-]{1,64}")


def tool_use(name: object, arguments: object) -> ToolUse:
    """Return a call; `arguments` are an object, or the JSON of one."""
    if isinstance(arguments, str):
        arguments = parsed(arguments) if len(arguments) <= MAX_ARGUMENTS else None
    if not isinstance(arguments, dict):
        return ToolUse(text(name), None)
    try:
        written = as_json(arguments)
        written.encode()
    except (ValueError, RecursionError):  # NaN, half a surrogate pair, too deep
        return ToolUse(text(name), None)
    return ToolUse(text(name), arguments if len(written) <= MAX_ARGUMENTS else None)


def as_json(arguments: Mapping[str, object] | None) -> str:
    """Return arguments as JSON. Raises ValueError for NaN and the infinities."""
    return json.dumps(arguments or {}, ensure_ascii=False, allow_nan=False)


def called(use: ToolUse) -> str:
    """Return the name as every server takes it."""
    return use.name if _NAME.fullmatch(use.name) else "unknown"


def call_id(step: int, index: int) -> str:
    """Return what a call and its result have in common; the model's own may be anything."""
    return f"call_{step}_{index}"
