"""Encodes requests: what stays the same from call to call only once."""

import json
from collections.abc import Callable, Mapping

from consensus.judges.llm.chat import Ask

_MOST = 64
_MARK = "\0user\0"
_encode = json.JSONEncoder(separators=(",", ":")).encode
_ENCODED_MARK = _encode(_MARK)

Frame = tuple[Mapping[str, object] | None, bytes, bytes]
"""A schema, and the encoded request before and after what the user says."""


class Bodies:
    """The bodies of one dialect. A prompt and a schema that come again are not encoded again."""

    def __init__(self, write: Callable[[Ask, str], Mapping[str, object]]) -> None:
        """`write` makes the request for an Ask, with other words in place of the user's."""
        self._write = write
        self._frames: dict[object, Frame] = {}

    def body(self, ask: Ask) -> bytes:
        """Return the request as JSON."""
        if ask.tools:  # another one each time
            return _encode(self._write(ask, ask.user)).encode()
        key = (ask.model, ask.system, ask.max_tokens, ask.temperature, ask.seed, ask.top_logprobs)
        frame = self._frames.get(key)
        if frame is None or frame[0] is not ask.schema:
            frame = self._frame(ask)
            if len(self._frames) >= _MOST:
                self._frames.clear()
            self._frames[key] = frame
        return b"".join((frame[1], _encode(ask.user).encode(), frame[2]))

    def _frame(self, ask: Ask) -> Frame:
        before, _, after = _encode(self._write(ask, _MARK)).partition(_ENCODED_MARK)
        return ask.schema, before.encode(), after.encode()
