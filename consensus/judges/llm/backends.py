"""Model servers over HTTP: a dialect that writes and reads, a transport that carries."""

from collections.abc import Callable, Mapping
from typing import Protocol

from consensus.domain.gradient import FailureKind
from consensus.domain.judges import BackendSpec
from consensus.judges.llm.anthropic_messages import AnthropicMessages
from consensus.judges.llm.chat import Ask, ChatBackend, Reply
from consensus.judges.llm.failures import BackendFailed, failure, inner_failure
from consensus.judges.llm.json_values import mapping, parsed
from consensus.judges.llm.openai_chat import OpenAiChat
from consensus.judges.llm.pricing import worst_cost
from consensus.judges.llm.transport import Transport


class Dialect(Protocol):
    """How one kind of server is asked, and how it answers."""

    path: str
    """Of the one method that is called, after the base URL."""
    key_header: tuple[str, str]
    """Name of the header of the key, and what goes before the key."""
    headers: Mapping[str, str]

    def body(self, ask: Ask) -> bytes:
        """Return the request."""
        ...

    def reply(self, value: Mapping[str, object], ask: Ask) -> Reply:
        """Read an answer with status 200 that holds no error. Raises BackendFailed."""
        ...


_DIALECTS: dict[str, Callable[[BackendSpec], Dialect]] = {
    "openai_chat": OpenAiChat,
    "anthropic_messages": AnthropicMessages,
}


def open_backend(spec: BackendSpec) -> ChatBackend:
    """Return the backend of `spec`; it connects on the first call. Must run in the event loop."""
    return HttpBackend(spec, _DIALECTS[spec.kind](spec))


class HttpBackend:
    """A model server over HTTP, with one pool of connections."""

    def __init__(self, spec: BackendSpec, dialect: Dialect) -> None:
        """Make the pool. Must run inside the event loop."""
        self.name = spec.name
        self._dialect = dialect
        self._prices = spec.prices
        self._transport = Transport(spec, dialect.path, dialect.key_header, dialect.headers)

    async def complete(self, ask: Ask, timeout_seconds: float) -> Reply:
        """Ask once, without retrying. Stops the request when cancelled. Raises BackendFailed."""
        sent = self._dialect.body(ask)
        status, headers, body = await self._transport.post(sent, timeout_seconds)
        if status != 200:
            raise failure(status, headers, body)
        value = mapping(parsed(body))
        if not value:
            raise BackendFailed(FailureKind.UNREADABLE, "the answer is not JSON", status=status)
        if value.get("error"):
            raise inner_failure(value["error"], headers)
        return self._dialect.reply(value, ask)

    def worst_cost(self, ask: Ask) -> float | None:
        """Return the most that the call can cost in US dollars; None where it is unknown."""
        return worst_cost(ask, self._prices.get(ask.model))

    async def close(self) -> None:
        """Let go of the connections. Calls under way fail."""
        await self._transport.close()
