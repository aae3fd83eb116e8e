"""The socket between a judge that is a model and the server that runs the model."""

from collections.abc import Mapping
from enum import Enum
from typing import Protocol

from msgspec import Struct

from consensus.domain.gradient import Usage


class Tool(Struct, frozen=True):
    """Something that a model may call."""

    name: str
    description: str
    parameters: Mapping[str, object]
    """JSON Schema of its arguments."""


class ToolUse(Struct, frozen=True):
    """One call of a tool that a model wants."""

    name: str
    """As the model says it; there may be no such tool."""
    arguments: Mapping[str, object] | None
    """None: they are no JSON object, or too long. They may be anything else."""


class Exchange(Struct, frozen=True):
    """What a model called, and what came of it."""

    uses: tuple[ToolUse, ...]
    results: tuple[str, ...]
    """One for each."""


class Ask(Struct, frozen=True, kw_only=True):
    """One call of a model."""

    model: str
    system: str
    """Stable across submissions, so that providers can cache it."""
    user: str
    max_tokens: int
    schema: Mapping[str, object] | None = None
    """JSON Schema that the reply shall satisfy; the backend asks for it in the way it knows."""
    temperature: float | None = None
    seed: int | None = None
    top_logprobs: int = 0
    """Alternatives to tell for each token; 0 asks for none."""
    tools: tuple[Tool, ...] = ()
    """What the model may call instead of answering."""
    exchanges: tuple[Exchange, ...] = ()
    """What it has called since it was asked."""


class Finish(Enum):
    """Why a reply ended."""

    STOP = "stop"
    LENGTH = "length"
    FILTERED = "filtered"
    REFUSED = "refused"


class Token(Struct, frozen=True):
    """One token of a reply."""

    text: str
    top: tuple[tuple[str, float], ...]
    """Alternatives with their natural log probabilities, the likeliest first."""


class Reply(Struct, frozen=True, kw_only=True):
    """What a model answered."""

    text: str
    finish: Finish
    usage: Usage
    model: str = ""
    """The model that the server says it used."""
    tokens: tuple[Token, ...] = ()
    """Empty unless they were asked for and told."""
    uses: tuple[ToolUse, ...] = ()
    """Empty unless tools were offered and the model calls some."""


class ChatBackend(Protocol):
    """A model server."""

    name: str

    async def complete(self, ask: Ask, timeout_seconds: float) -> Reply:
        """Ask once, without retrying. Stops the request when cancelled.

        Raises JudgeFailed (TIMEOUT, ERROR, RATE_LIMITED, OVERLOADED, UNREADABLE, FILTERED);
        its reason never repeats what the server wrote.
        """
        ...

    def worst_cost(self, ask: Ask) -> float | None:
        """Return the most that the call can cost in US dollars; None where the price is unknown."""
        ...

    async def close(self) -> None:
        """Let go of the connections."""
        ...
