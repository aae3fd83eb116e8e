"""A call of a model as it arrived at a scripted server."""

import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class LlmCall:
    """A call as it arrived."""

    path: str
    """Such as `/v1/chat/completions`."""
    headers: Mapping[str, str]
    """Keys in lower case."""
    body: Mapping[str, Any]
    ended: threading.Event = field(default_factory=threading.Event)
    """Set when the call is over: answered, or left by the caller."""

    @property
    def schema(self) -> Mapping[str, Any] | None:
        """The JSON Schema that the reply shall satisfy, however it is asked for; else None."""
        form = self.body.get("response_format") or self.body.get("output_config", {}).get("format")
        match form:
            case {"type": "json_object"}:
                return {"type": "object"}
            case {"json_schema": {"schema": schema}} | {"schema": schema}:
                return dict(schema)
        for tool in (self.body.get("tools") or ()) if self.tool else ():
            return dict(tool.get("input_schema") or tool.get("function", {}).get("parameters"))
        return None

    @property
    def tool(self) -> str:
        """The name of the first tool offered; empty without tools, and where the model may choose
        (`auto`).
        """
        if self.body.get("tool_choice") in ("auto", {"type": "auto"}):
            return ""
        return next(iter(self.tools), "")

    @property
    def tools(self) -> tuple[str, ...]:
        """The names of the tools offered."""
        offered = self.body.get("tools") or ()
        return tuple(str(t.get("name") or t.get("function", {}).get("name")) for t in offered)

    @property
    def texts(self) -> tuple[str, ...]:
        """What the messages of the conversation say, in order, results of tools included."""
        found: list[str] = []
        for message in self.body.get("messages") or ():
            content = message.get("content") or ""
            blocks = [{"text": content}] if isinstance(content, str) else content
            found += [block.get("text") or block.get("content") or "" for block in blocks]
        return tuple(text for text in found if text)

    @property
    def parameters(self) -> frozenset[str]:
        """The keys of the body, and how a structure is asked for: `json_schema`, `json_object`."""
        form = self.body.get("response_format") or self.body.get("output_config", {}).get("format")
        return frozenset(self.body) | ({str(form["type"])} if form else frozenset())
