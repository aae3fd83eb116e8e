"""The same for a conversation: told whole under the budget, else its skeleton; expand, grep."""

from collections.abc import Sequence

from consensus.domain.submission import Message
from consensus.traces.cleaning import clean, texts
from consensus.traces.digest import FULL_TOKENS, Digest
from consensus.traces.search import (
    MAX_MATCHES,
    RESULT_TOKENS,
    Finds,
    listed,
    no_match,
    pattern_fault,
    surroundings,
    within_budget,
)
from consensus.traces.words import CHARS_PER_TOKEN, estimated_tokens, one_line, told, window

NOTHING = "No messages recorded."
_HINT = (
    "Use expand_transcript(indices) to see messages or grep_transcript(pattern) to search "
    "across them."
)
_LEFT_OUT = "... [{} messages left out; grep_transcript and expand_transcript reach them] ..."
_FEWER_MESSAGES = ("grep_transcript(pattern)", "expand_transcript with fewer indices")


def transcript_digest(messages: Sequence[Message], full_tokens: int = FULL_TOKENS) -> Digest:
    """Return the conversation as `[index] role: content` lines, where they come to `full_tokens`
    at most; else a line of index, role and size for each message, in 4,096 tokens at most.
    """
    if not messages:
        return Digest(NOTHING, whole=True)
    lines = [_line(index, message) for index, message in enumerate(messages)]
    text = "\n".join(lines)
    if estimated_tokens(text) <= full_tokens:
        return Digest(text, whole=True)
    header, hint = [f"Messages: {len(messages)}", ""], ["", _HINT]
    left = RESULT_TOKENS * CHARS_PER_TOKEN - sum(len(line) + 1 for line in (*header, *hint))

    def line(index: int) -> str:
        size = estimated_tokens(lines[index])
        return f"[{index}] {one_line(messages[index].role)} (~{size} tokens)"

    skeleton = window(len(messages), line, left, _LEFT_OUT)
    return Digest("\n".join([*header, *skeleton, *hint]), whole=False)


def expand_transcript(messages: Sequence[Message], indices: Sequence[int]) -> Finds:
    """Return the messages at `indices` (from 0, as the skeleton counts them), in order."""
    if not messages:
        return Finds(NOTHING, 0)
    known = sorted({index for index in indices if 0 <= index < len(messages)})
    if not known:
        known_range = f"0 to {len(messages) - 1}"
        return Finds(f"Error: no message has such an index; {known_range} exist.", 0, fault=True)
    lines = [_line(index, messages[index]) for index in known]
    unknown = sorted(set(indices) - set(known))
    if unknown:
        lines += ["", f"[There is no message {', '.join(map(str, unknown))}.]"]
    return Finds(within_budget("\n".join(lines), *_FEWER_MESSAGES), len(known))


def grep_transcript(messages: Sequence[Message], pattern: str) -> Finds:
    """Return the messages that hold `pattern` (as grep_trace takes it), 20 at most."""
    if not messages:
        return Finds(NOTHING, 0)
    if (fault := pattern_fault(pattern)) is not None:
        return Finds(fault, 0, fault=True)
    wanted = pattern.casefold()
    found = []
    for index, message in enumerate(messages):
        hit = _hit(message, wanted)
        if hit is not None:
            found.append((f"[{index}] {one_line(message.role)}", [hit]))
    if not found:
        roles = ", ".join(dict.fromkeys(one_line(message.role) for message in messages))
        return Finds(within_budget(f"{no_match(pattern)} Roles present: {roles}"), 0)
    text = listed(found[:MAX_MATCHES], len(found))
    return Finds(within_budget(text, *_FEWER_MESSAGES), len(found))


def message_text(content: str) -> str:
    """Return what a message says as it is told in one line."""
    return told(clean(content))


def _line(index: int, message: Message) -> str:
    return f"[{index}] {one_line(message.role)}: {message_text(message.content)}"


def _hit(message: Message, wanted: str) -> str | None:
    content = clean(message.content)
    for text in (told(content), *texts(content)):
        if wanted in text.casefold():
            return surroundings(text, wanted)
    return None
