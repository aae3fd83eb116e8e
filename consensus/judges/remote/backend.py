"""Judges behind gRPC: what the judges of one target share, and its certificates as they change."""

import asyncio
import logging
from collections.abc import Callable, Hashable
from functools import partial

from consensus.domain.judges import JudgeSpec
from consensus.judges.remote.batching import Batcher
from consensus.judges.remote.connection import Connection
from consensus.judges.remote.credentials import CredentialFiles, Credentials, Stamp

CHECK_SECONDS = 1.0
"""How often the files of TLS are looked at."""

OnCall = Callable[[str, int], None]
"""Is told the target and the number of items of every call."""

log = logging.getLogger(__name__)


class Backend:
    """One target: its connection and its batches. Closed with the last judge that uses it."""

    def __init__(self, spec: JudgeSpec, on_call: OnCall, on_empty: Callable[[], object]) -> None:
        """Must run inside the event loop. Raises OSError where TLS has a file that is no good.

        `on_empty` is called when the last judge leaves, before anything is closed.
        """
        self._spec = spec
        self._on_empty = on_empty
        self._on_call = partial(on_call, spec.target)
        self._files = CredentialFiles(spec) if spec.tls else None
        self._stamp: Stamp = ()
        self._credentials: Credentials | None = None
        if self._files is not None:
            self._stamp = self._files.stamp()
            self._credentials = self._files.read()
        self._connection = Connection(spec, self._credentials)
        self._batchers: dict[int, Batcher] = {}
        self._watch: asyncio.Task[None] | None = None
        self._moves: set[asyncio.Task[None]] = set()
        self.users = 0

    @property
    def held(self) -> int:
        """Items that wait and calls under way."""
        return sum(batcher.held for batcher in self._batchers.values())

    def batcher(self, depth: int) -> Batcher:
        """Return what gathers the calls of decisions at this depth.

        A call may wait for deeper ones to the same server, which must not wait for its place.
        """
        batcher = self._batchers.get(depth)
        if batcher is None:
            batcher = Batcher(self._connection, self._spec.batch, self._on_call)
            self._batchers[depth] = batcher
            if self._watch is None and self._files is not None:
                self._watch = asyncio.create_task(self._watch_files(self._files))
        return batcher

    async def describe(self, request: bytes, timeout_seconds: float) -> bytes:
        """Ask what a judge is; encoded, as is the answer. Raises grpc.aio.AioRpcError."""
        return await self._connection.describe(request, timeout=timeout_seconds)

    async def leave(self, grace_seconds: float) -> None:
        """Say that one judge is closed; the last one closes the backend."""
        self.users -= 1
        if self.users:
            return
        self._on_empty()
        if self._watch is not None:
            self._watch.cancel()
            await asyncio.wait([self._watch])
        closing = (batcher.close(grace_seconds) for batcher in self._batchers.values())
        await asyncio.gather(*closing)
        await self._connection.close()
        if self._moves:
            await asyncio.wait(self._moves)  # their calls have ended

    async def _watch_files(self, files: CredentialFiles) -> None:
        while True:
            try:
                await self._look(files)
            except OSError as error:
                facts = {"target": self._spec.target, "error": type(error).__name__}
                log.warning("new TLS files refused, the last good ones stay", extra=facts)
            await asyncio.sleep(CHECK_SECONDS)

    async def _look(self, files: CredentialFiles) -> None:
        """Connect anew where the files have changed. Raises OSError where they are no good."""
        stamp = files.stamp()
        if stamp == self._stamp:
            return
        self._stamp = stamp  # a file that is no good is told of once
        credentials = await asyncio.to_thread(files.read)
        if files.stamp() != stamp:  # replaced while they were read
            self._stamp = ()
        elif credentials != self._credentials:
            self._credentials = credentials
            old, self._connection = self._connection, Connection(self._spec, credentials)
            move = asyncio.create_task(self._move(old))
            self._moves.add(move)
            move.add_done_callback(self._moves.discard)
            log.info("new TLS files in use", extra={"target": self._spec.target})

    async def _move(self, old: Connection) -> None:
        """Close a connection that is used no more, once its calls are done."""
        moves = (batcher.move(self._connection) for batcher in self._batchers.values())
        await asyncio.gather(*moves)
        await old.close()


class Backends:
    """The backends in use: judges that agree on all of the connection share one."""

    def __init__(self, on_call: OnCall = lambda target, items: None) -> None:
        self._on_call = on_call
        self._backends: dict[Hashable, Backend] = {}

    def join(self, spec: JudgeSpec) -> Backend:
        """Return the backend of a judge, which must leave it. Raises OSError as Backend does."""
        key = (
            spec.target,
            spec.tls,
            spec.tls_ca_file,
            spec.tls_server_name,
            spec.tls_cert_file,
            spec.tls_key_file,
            spec.health_check,
            spec.batch,
        )
        backend = self._backends.get(key)
        if backend is None:
            # Forgotten in the turn in which its last judge leaves: who joins while it closes finds
            # none, and what is forgotten is never a later one.
            forget = partial(self._backends.pop, key)
            backend = self._backends[key] = Backend(spec, self._on_call, forget)
        backend.users += 1
        return backend
