"""A model server that answers what a test wants, in OpenAI's dialect and in Anthropic's."""

import asyncio
import contextlib
import ssl
import threading
from collections.abc import Collection
from types import TracebackType
from typing import Any, Self

from consensus_client import expect
from consensus_client.testing.answers import Delayed, Hang
from consensus_client.testing.llm_answers import (
    ANSWERS,
    HttpAnswer,
    LlmAnswer,
    http_error,
    llm_reply,
)
from consensus_client.testing.llm_calls import LlmCall
from consensus_client.testing.llm_wire import gone, read_call, send

MAX_HEAD_BYTES = 64 << 10
BACKLOG = 1_024
_PATHS = ("/chat/completions", "/messages")


class FakeLlm:
    """A real HTTP server on 127.0.0.1 with scripted replies, for tests of policies with models.

    with FakeLlm(http_error(429, retry_after="1"), llm_reply('{"score": 0.8}'), hang()) as fake:
        backends = {"fake": {"kind": "openai_chat", "base_url": fake.base_url}}  # of the file

    `answers` are given in turn, the last one repeats; the least that fits the schema asked for
    where there are none. `rejects`: parameters, or kinds of structure (`json_schema`,
    `json_object`), that are answered with 400. `key`: calls without it are answered with 401.
    `tls`: serve https.
    It runs in a thread of its own, so it answers blocking clients and event loops alike.
    """

    def __init__(
        self,
        *answers: LlmAnswer,
        rejects: Collection[str] = (),
        key: str = "",
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self._arrivals = threading.Condition()
        self._rejects = frozenset(rejects)
        self._key = key
        self._tls = tls
        self._port = 0
        self._connections: dict[asyncio.StreamWriter, asyncio.Task[None]] = {}
        self._loop: asyncio.AbstractEventLoop | None = None
        self.calls: list[LlmCall] = []
        """Every call, retries and all, in order of arrival; those that are rejected too."""
        self.connection_count = 0
        """Connections taken since the start."""
        self.script(*(answers or (llm_reply(),)))

    def script(self, *answers: LlmAnswer) -> None:
        """Answer with these from now on.

        Raises ValueError when there are none, TypeError on what is no answer.
        """
        if not answers:
            raise ValueError("a script needs at least one answer")
        must = "llm_reply(), http_error() or such, or a function"
        expect.each("answers", answers, ANSWERS, must)
        with self._arrivals:
            self._left = list(answers)

    @property
    def base_url(self) -> str:
        """What `base_url` of the policy file has to be. Raises RuntimeError when not running."""
        if self._loop is None:
            raise RuntimeError("the server is not running; use it in a `with` block")
        scheme = "https" if self._tls else "http"
        return f"{scheme}://127.0.0.1:{self._port}/v1"

    @property
    def requests(self) -> list[dict[str, Any]]:
        """The body of every call, in order of arrival."""
        return [dict(call.body) for call in self.calls]

    @property
    def open_connections(self) -> int:
        """How many connections are open at this moment."""
        return len(self._connections)

    def wait_for_calls(self, count: int = 1, timeout_seconds: float = 10.0) -> None:
        """Wait until this many calls have arrived. Raises TimeoutError.

        Blocks its thread: in an event loop, `await asyncio.to_thread(fake.wait_for_calls)`.
        """
        with self._arrivals:
            if not self._arrivals.wait_for(lambda: len(self.calls) >= count, timeout_seconds):
                words = f"{len(self.calls)} of {count} calls arrived in {timeout_seconds} s"
                raise TimeoutError(words)

    def start(self) -> None:
        """Listen. A `with` block does it."""
        ready = threading.Event()
        self._thread = threading.Thread(
            target=lambda: asyncio.run(self._serve(ready)), name="FakeLlm", daemon=True
        )
        self._thread.start()
        ready.wait()

    def stop(self) -> None:
        """Stop at once; connections are closed. A `with` block does it."""
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self._stopping.set)
            self._thread.join()
            self._loop = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.stop()

    async def _serve(self, ready: threading.Event) -> None:
        self._stopping = asyncio.Event()
        server = await asyncio.start_server(
            self._connected, "127.0.0.1", 0, limit=MAX_HEAD_BYTES, backlog=BACKLOG, ssl=self._tls
        )
        self._port = server.sockets[0].getsockname()[1]
        self._loop = asyncio.get_running_loop()
        ready.set()
        await self._stopping.wait()
        server.close()
        for writer in self._connections:
            writer.transport.abort()
        if self._connections:
            await asyncio.wait(self._connections.values())

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None  # noqa: S101 - for mypy: a coroutine that runs has a task
        self._connections[writer] = task
        self.connection_count += 1
        try:
            with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
                while call := await read_call(reader):
                    with self._arrivals:
                        self.calls.append(call)
                        self._arrivals.notify_all()
                    try:
                        if not await self._answer(call, reader, writer):
                            break
                    finally:
                        call.ended.set()
        finally:
            del self._connections[writer]
            writer.close()

    async def _answer(
        self, call: LlmCall, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> bool:
        """Answer; tells whether the connection may be used again."""
        answer = self._refusal(call) or self._next()
        seconds = None if isinstance(answer, Hang) else 0.0
        if isinstance(answer, Delayed):
            seconds, answer = answer.seconds, answer.answer
        if seconds != 0.0 and await gone(reader, seconds):
            return False
        if callable(answer):
            answer = answer(call)
        return not isinstance(answer, Hang) and await send(answer, call, reader, writer)

    def _next(self) -> LlmAnswer:
        with self._arrivals:
            return self._left.pop(0) if len(self._left) > 1 else self._left[0]

    def _refusal(self, call: LlmCall) -> HttpAnswer | None:
        if not call.path.endswith(_PATHS):
            return http_error(404, "not_found_error")
        bearer = call.headers.get("authorization", "").removeprefix("Bearer ")
        if self._key and self._key not in (bearer, call.headers.get("x-api-key")):
            return http_error(401, "authentication_error")
        if self._rejects & call.parameters:
            return http_error(400, "invalid_request_error")
        return None
