"""Keeps answers within what one message may hold; gRPC itself would fail the whole call unseen."""

from collections.abc import Sequence
from typing import Protocol, TypeVar

from consensus.domain.errors import ResponseTooLarge


class Sized(Protocol):
    """A message that knows its size."""

    def ByteSize(self) -> int:  # noqa: N802 - protobuf's name
        """Return the encoded size."""
        ...


Reply = TypeVar("Reply", bound=Sized)


def fitting(reply: Reply, max_bytes: int) -> Reply:
    """Return the reply. Raises ResponseTooLarge where one message cannot hold it."""
    size = reply.ByteSize()
    if size > max_bytes:
        words = f"the answer has {size} bytes; a message holds {max_bytes}"
        raise ResponseTooLarge(words, {"bytes": str(size), "max_bytes": str(max_bytes)})
    return reply


def too_large(replies: Sequence[Sized], max_bytes: int) -> list[ResponseTooLarge | None]:
    """Return an error for each reply that does not fit into what those before it left."""
    left = max_bytes
    errors: list[ResponseTooLarge | None] = []
    for reply in replies:
        size = reply.ByteSize()
        if size <= left:
            left -= size
            errors.append(None)
        else:
            words = f"the answer has {size} bytes; the ones before it left {left}"
            errors.append(ResponseTooLarge(words, {"bytes": str(size), "left": str(left)}))
    return errors
