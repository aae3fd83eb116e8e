"""Asks a model at a scripted server."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from consensus_client.testing import FakeLlm, LlmAnswer

from consensus.domain.judges import BackendSpec, Capabilities
from consensus.judges.llm.backends import open_backend
from consensus.judges.llm.chat import Ask, ChatBackend, Reply
from consensus.judges.llm.failures import BackendFailed

SECRET = "the candidate's words and sk-a-key"
SCHEMA = {
    "type": "object",
    "properties": {
        "score": {"type": "number", "minimum": 0, "maximum": 1},
        "minimum": {"enum": ["a", "b"]},
    },
    "required": ["score", "minimum"],
}
FITS = '{"score": 1, "minimum": "a"}'
KINDS = ("openai_chat", "anthropic_messages")


def ask(**fields: Any) -> Ask:
    """Return an Ask; everything has a default."""
    default = {"model": "m", "system": "Judge.", "user": SECRET, "max_tokens": 50}
    return Ask(**{**default, **fields})


def can(**fields: Any) -> Capabilities:
    """Return capabilities; nothing is on unless it is named."""
    off = {"structured": "none", "temperature": False, "seed": False, "logprobs": False}
    return Capabilities(**{**off, **fields})


@asynccontextmanager
async def asking(
    server: FakeLlm | str, kind: str = "openai_chat", **fields: Any
) -> AsyncIterator[ChatBackend]:
    """Open a backend at a scripted server, or at a base URL, while the context lasts."""
    fields.setdefault("base_url", server if isinstance(server, str) else server.base_url)
    backend = open_backend(BackendSpec(name="b", kind=kind, **fields))
    try:
        yield backend
    finally:
        await backend.close()


async def reply_of(answer: LlmAnswer, asked: Ask | None = None, **fields: Any) -> Reply:
    """Return what becomes of one scripted answer."""
    with FakeLlm(answer) as fake:
        async with asking(fake, **fields) as backend:
            return await backend.complete(asked or ask(), 10)


async def failure_of(
    answer: LlmAnswer, seconds: float = 10, asked: Ask | None = None, **fields: Any
) -> BackendFailed:
    """Return how a call fails that is answered so."""
    with FakeLlm(answer) as fake:
        async with asking(fake, **fields) as backend:
            with pytest.raises(BackendFailed) as caught:
                await backend.complete(asked or ask(), seconds)
    assert SECRET not in str(caught.value)
    assert "As scripted" not in str(caught.value)
    return caught.value
