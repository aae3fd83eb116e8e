"""A gRPC server on a free port of 127.0.0.1, for the length of a `with` block.

It runs in threads of its own, so it answers blocking clients and event loops alike.
"""

import threading
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self

import grpc
from google.protobuf.message import Message

from consensus_client.health import ServingStatus, encode_response

MAX_CALLS = 64
"""Calls answered at a time; further ones wait. Hanging calls count."""

Context = grpc.ServicerContext


@dataclass(frozen=True, slots=True)
class RecordedCall:
    """A call as it arrived."""

    method: str
    """Such as `Judge`."""
    request: Message
    metadata: Mapping[str, str | bytes]
    """The headers, keys in lower case."""
    ended: threading.Event
    """Set when the call is over: answered, cancelled by the caller, or past its deadline."""


class LocalServer:
    """Serves generic handlers and grpc.health.v1, and remembers every call."""

    def __init__(self, serving: bool) -> None:
        self._status = ServingStatus.SERVING if serving else ServingStatus.NOT_SERVING
        self._server: grpc.Server | None = None
        self._port = 0
        self._arrivals = threading.Condition()
        self.calls: list[RecordedCall] = []
        """Every call, retries and all, in order of arrival."""

    @property
    def target(self) -> str:
        """Where the server listens. Raises RuntimeError outside the `with` block."""
        if self._server is None:
            raise RuntimeError("the server is not running; use it in a `with` block")
        return f"127.0.0.1:{self._port}"

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
        self._threads = ThreadPoolExecutor(MAX_CALLS, thread_name_prefix=type(self).__name__)
        self._server = grpc.server(
            self._threads,
            handlers=[*self._handlers(), _health(self._status)],
            options=[
                ("grpc.so_reuseport", 0),
                ("grpc.max_receive_message_length", -1),
                ("grpc.max_send_message_length", -1),
            ],
        )
        self._port = self._listen(self._server)
        self._server.start()

    def stop(self) -> None:
        """Stop at once; calls under way are cancelled. A `with` block does it."""
        if self._server is not None:
            self._server.stop(grace=None).wait()
            self._threads.shutdown(wait=False)
            self._server = None

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

    async def __aenter__(self) -> Self:
        return self.__enter__()

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.stop()

    def _handlers(self) -> list[grpc.GenericRpcHandler]:
        raise NotImplementedError

    def _listen(self, server: grpc.Server) -> int:
        """Return the port taken; override it for TLS."""
        return server.add_insecure_port("127.0.0.1:0")

    def _record(self, method: str, request: Message, context: Context) -> threading.Event:
        """Remember a call; the event returned is set when it is over."""
        headers = {str(key): value for key, value in context.invocation_metadata()}
        ended = threading.Event()
        if not context.add_callback(ended.set):
            ended.set()
        with self._arrivals:
            self.calls.append(RecordedCall(method, request, headers, ended))
            self._arrivals.notify_all()
        return ended


def unary(
    behaviour: Callable[[Any, Context], Message], request: type[Message]
) -> "grpc.RpcMethodHandler[Any, Any]":
    """Return the handler of a method that answers once."""
    return grpc.unary_unary_rpc_method_handler(
        behaviour,
        request_deserializer=request.FromString,
        response_serializer=lambda reply: reply.SerializeToString(),
    )


def _health(status: ServingStatus) -> grpc.GenericRpcHandler:
    answer = encode_response(status)

    def check(request: bytes, context: Context) -> bytes:
        return answer

    def watch(request: bytes, context: Context, send: Callable[[bytes | None], None]) -> None:
        send(answer)  # and no end: the watcher hangs up

    # As grpcio-health-checking does: a watcher must not hold a thread for as long as it watches.
    watch.experimental_non_blocking = True  # type: ignore[attr-defined]
    return grpc.method_handlers_generic_handler(
        "grpc.health.v1.Health",
        {
            "Check": grpc.unary_unary_rpc_method_handler(check),
            "Watch": grpc.unary_stream_rpc_method_handler(watch),
        },
    )
