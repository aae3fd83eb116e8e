"""What stands around the work: its step, its process, what was stopped; never who did it."""

import json
import re
from collections.abc import Mapping

from consensus.domain.submission import ProcessResult, Submission
from consensus.domain.turn import Turn

STDERR_HEAD, STDERR_TAIL = 1_000, 3_000
"""Characters of a longer standard error that are told: a program's last words say why it ended."""
MAX_BLOCKED = 100
"""Most blocked tools that are named."""
BLOCKED = "policy_violations"
"""The key of the context that says the same as the submission's own field (AEGIS's payload)."""
_PRODUCER = frozenset(("author", "generator", "llm", "model", "producer", "provider", "vendor"))
"""A key of the context with one of these words may name who did the work, and is left out."""
_WORKER = frozenset(("agent", "assistant", "bot"))
_NAMING = _WORKER | {"id", "name", "version"}
"""So is a key of these words alone that has one of _WORKER, such as `agent_name`."""
_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")


def without_producer(value: object) -> object:
    """Return a JSON value less the keys that may name who did the work."""
    if isinstance(value, Mapping):
        kept = {key: item for key, item in value.items() if not _names_producer(str(key))}
        return {key: without_producer(item) for key, item in kept.items()}
    if isinstance(value, (list, tuple)):
        return [without_producer(item) for item in value]
    return value


def _names_producer(key: str) -> bool:
    words = {word.lower() for word in _WORDS.findall(key)}
    return bool(words & _PRODUCER) or (bool(words & _WORKER) and words <= _NAMING)


def step_of(turn: Turn | None) -> dict[str, str]:
    """Return what a turn says of its step, so that it can be judged by that."""
    if turn is None:
        return {}
    said = {"step": turn.node_description, "success_criteria": turn.success_criteria}
    return {key: words for key, words in said.items() if words}


def process_of(process: ProcessResult | None) -> str:
    """Return how the candidate's process ended."""
    if process is None:
        return ""
    told = process.stderr
    if (more := len(told) - STDERR_HEAD - STDERR_TAIL) > 0:
        told = f"{told[:STDERR_HEAD]}\n[{more} characters left out]\n{told[-STDERR_TAIL:]}"
    return f"exit code: {process.exit_code}\nstderr:" + (f"\n{told}" if told else " (empty)")


def blocked_in(submission: Submission) -> str:
    """Return the tools that were stopped, by the submission's own field and by its context."""
    found = submission.context.get(BLOCKED)
    named = [name for name in found if isinstance(name, str)] if isinstance(found, list) else []
    names = list(dict.fromkeys((*submission.policy_violations, *named)))
    told = [json.dumps(name, ensure_ascii=False) for name in names[:MAX_BLOCKED]]
    more = [f"and {len(names) - MAX_BLOCKED} more"] if len(names) > MAX_BLOCKED else []
    return "\n".join([*told, *more])
