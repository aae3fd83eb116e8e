"""What a scripted server answers, in place of judges.

A script is a row of answers, given in turn; the last one repeats. An answer is a message, an error,
`delayed(...)`, `hang()`, or a function from the request to a message or an error.
"""

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeAlias, TypeVar

import grpc
from google.protobuf.message import Message

from consensus_client import expect
from consensus_client.errors import Violation

Request = TypeVar("Request")
Reply = TypeVar("Reply")


@dataclass(frozen=True, slots=True)
class ScriptedError:
    """A call, or an item of a batch, that ends with a status other than OK."""

    code: grpc.StatusCode
    reason: str
    message: str
    violations: tuple[Violation, ...]


@dataclass(frozen=True, slots=True)
class Delayed(Generic[Reply]):
    """An answer that takes its time."""

    answer: Reply
    seconds: float


@dataclass(frozen=True, slots=True)
class Hang:
    """No answer until the caller gives up or the server stops."""


Answer: TypeAlias = (
    Reply
    | ScriptedError
    | Delayed[Reply]
    | Delayed[ScriptedError]
    | Hang
    | Callable[[Request], Reply | ScriptedError]
)


def error(
    code: grpc.StatusCode,
    reason: str = "SCRIPTED",
    message: str = "As scripted.",
    violations: Sequence[Violation] = (),
) -> ScriptedError:
    """Answer with a status other than OK. Raises ValueError for OK, TypeError for no status.

    `reason` travels in the trailer `consensus-reason`, the violations of a call in
    `grpc-status-details-bin` where googleapis-common-protos is installed. UNAVAILABLE asks to be
    retried at once, so that a test need not wait for a client's backoff.
    """
    expect.typed("code", code, grpc.StatusCode, "such as grpc.StatusCode.UNAVAILABLE")
    if code is grpc.StatusCode.OK:
        raise ValueError("code is OK; an error needs another")
    return ScriptedError(code, reason, message, tuple(violations))


def delayed(answer: Reply, seconds: float) -> Delayed[Reply]:
    """Answer after `seconds`, or not at all where the caller gives up before.

    Raises ValueError unless they are finite and at least 0.
    """
    expect.number("seconds", seconds, 0)
    return Delayed(answer, seconds)


def hang() -> Hang:
    """Answer nothing, so that the caller's deadline passes or its cancellation is seen."""
    return Hang()


_ANSWERS = (Message, ScriptedError, Delayed, Hang, Callable)


class Script(Generic[Request, Reply]):
    """A row of answers and how far it has been told. Safe to use from every thread."""

    def __init__(self, answers: Sequence[Answer[Reply, Request]]) -> None:
        self._lock = threading.Lock()
        self.rewrite(answers)

    def rewrite(self, answers: Sequence[Answer[Reply, Request]]) -> None:
        """Begin a new row. Raises ValueError when it is empty, TypeError on what is no answer."""
        if not answers:
            raise ValueError("a script needs at least one answer")
        must = "a message, error(), delayed(), hang() or a function"
        expect.each("answers", answers, _ANSWERS, must)
        with self._lock:
            self._left = list(answers)

    def answer(self, request: Request, ended: threading.Event) -> Reply | ScriptedError:
        """Return the next answer, when its time has come or `ended` is set."""
        with self._lock:
            answer = self._left.pop(0) if len(self._left) > 1 else self._left[0]
        if isinstance(answer, Hang):
            ended.wait()
            return error(grpc.StatusCode.CANCELLED, message="The caller has gone.")
        if isinstance(answer, Delayed):
            ended.wait(answer.seconds)
            return answer.answer
        return answer(request) if callable(answer) else answer
