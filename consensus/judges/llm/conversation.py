"""The conversation as a model reads it: numbered messages, as many as fit, or their outline."""

from collections import Counter
from collections.abc import Sequence

from consensus.domain.submission import Message
from consensus.traces import transcript_digest

CHARS_PER_TOKEN = 4
"""Of the estimate: text of most languages has about so many."""
MAX_TOLD = 40
"""Most messages left out whose first words are told."""
_FIRST_WORDS = 60
_ROLES = frozenset({"system", "user", "assistant", "tool"})


def told(messages: Sequence[Message], room: int, keep: int) -> tuple[str, int]:
    """Return the messages as far as they fit into `room` characters, and how many are told whole:
    all, else the last `keep` at most, fewer where they do not fit either, and one in any case.
    """
    lines = [_numbered(index, message) for index, message in enumerate(messages)]
    start = _first_told(lines, room, keep)
    left_out = _left_out(messages[:start]) if start else []
    return "\n".join([*left_out, *lines[start:]]), len(lines) - start


def outlined(messages: Sequence[Message], tokens: int) -> str:
    """Return index, role and size of each message where all of them come to more than `tokens`;
    else nothing.
    """
    if not messages:
        return ""
    digest = transcript_digest(messages, tokens)
    return "" if digest.whole else digest.text


def _first_told(told: Sequence[str], room: int, keep: int) -> int:
    """Return the index of the first message that is told whole."""
    total = sum(map(len, told)) + len(told)
    if total <= room:
        return 0
    start = max(len(told) - keep, 0)
    total = sum(map(len, told[start:])) + len(told) - start
    while total > room and start < len(told) - 1:
        total -= len(told[start]) + 1
        start += 1
    return start


def _numbered(index: int, message: Message) -> str:
    """Return a message with its index; its further lines are indented, so that none can pass for
    another message. Quotations are located with white space evened out.
    """
    role = message.role if message.role in _ROLES else "other"
    return f"[{index}] {role}: " + "\n    ".join(message.content.splitlines())


def _left_out(messages: Sequence[Message]) -> list[str]:
    """Return lines that sum up the messages before the first one told."""
    count = len(messages)
    roles = Counter(message.role if message.role in _ROLES else "other" for message in messages)
    counted = ", ".join(f"{role} {number}" for role, number in sorted(roles.items()))
    lines = [f"[0..{count - 1}] left out: {count} messages ({counted}). How the last ones begin:"]
    for index in range(max(count - MAX_TOLD, 0), count):
        first = " ".join(messages[index].content[: 4 * _FIRST_WORDS].split())[:_FIRST_WORDS]
        role = messages[index].role if messages[index].role in _ROLES else "other"
        lines.append(f"    [{index}] {role}: {first}…")
    return lines
