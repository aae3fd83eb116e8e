"""Opens a client's channels to its target: blocking ones, and asyncio's.

What differs between a client's channels is their arguments alone, from `connection.py`.
"""

from collections.abc import Callable, Sequence

import grpc
import grpc.aio

from consensus_client.connection import Option

Opener = Callable[[Sequence[Option]], grpc.Channel]
AsyncOpener = Callable[[Sequence[Option]], grpc.aio.Channel]


def opener(target: str, credentials: grpc.ChannelCredentials | None) -> Opener:
    """Return what opens blocking channels; without credentials they are plain text."""
    if credentials is None:
        return lambda options: grpc.insecure_channel(target, options)
    return lambda options: grpc.secure_channel(target, credentials, options)


def async_opener(target: str, credentials: grpc.ChannelCredentials | None) -> AsyncOpener:
    """Return what opens channels of asyncio; without credentials they are plain text."""
    if credentials is None:
        return lambda options: grpc.aio.insecure_channel(target, options)
    return lambda options: grpc.aio.secure_channel(target, credentials, options)
