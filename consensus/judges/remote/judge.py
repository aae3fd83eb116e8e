"""Judges behind gRPC: the judge that a panel sees."""

import asyncio
from typing import Literal

from consensus.domain.decision import MAX_DEPTH
from consensus.domain.errors import JudgeFailed
from consensus.domain.evaluation import Evaluation
from consensus.domain.gradient import Answer, FailureKind
from consensus.domain.judges import JudgeSpec
from consensus.judges.remote.backend import Backends
from consensus.judges.remote.batching import Batcher
from consensus.judges.remote.failures import DEPTH_EXCEEDED, closed, unreadable
from consensus.judges.remote.flights import Item
from consensus.judges.remote.framing import request_body
from consensus.v1 import judge_pb2
from consensus.wire.decision import hierarchy_to
from consensus.wire.gradient import MAX_PARTS, answer_from, too_many_parts, usage_from
from consensus.wire.submission import message_of

_BODY = "remote.body"


class RemoteJudge:
    """One judge of one backend: a leaf (`remote`), or a panel of another server (`consensus`)."""

    waits: Literal[True] = True

    def __init__(self, spec: JudgeSpec, backends: Backends | None = None) -> None:
        """Join the backend; it connects on the first call. Must run inside the event loop.

        Raises OSError where TLS has a file that is no good.
        """
        self.name = spec.name
        self.kind = spec.kind
        self.description = f"{spec.remote_judge or 'default'} at {spec.target}"
        self._nests = spec.kind == "consensus"
        self._head = judge_pb2.EvaluateRequest(judge=spec.remote_judge).SerializeToString()
        self._backend = (backends or Backends()).join(spec)
        self._closed = False

    async def evaluate(self, evaluation: Evaluation, timeout_seconds: float) -> Answer:
        """Ask the backend. Raises JudgeFailed."""
        pending = self.begin(evaluation, timeout_seconds)
        try:
            await pending.future
        except asyncio.CancelledError:
            pending.drop()
            raise
        except JudgeFailed:
            pass  # raised below
        return pending.answer()

    def begin(self, evaluation: Evaluation, timeout_seconds: float) -> "Asked":
        """Ask the backend and return at once. Raises JudgeFailed."""
        if self._nests and evaluation.hierarchy.depth > MAX_DEPTH:
            raise _too_deep(evaluation)
        if self._closed:
            raise closed()
        batcher = self._backend.batcher(evaluation.hierarchy.depth)
        item = batcher.ask(self._head, _encoded(evaluation), timeout_seconds)
        return Asked(self.name, evaluation, batcher, item)

    async def close(self, grace_seconds: float) -> None:
        """Take no more calls; the last judge of a backend closes it, as its `leave` says."""
        if not self._closed:
            self._closed = True
            await self._backend.leave(grace_seconds)


class Asked:
    """One call of one judge, until its answer is there."""

    __slots__ = ("_batcher", "_evaluation", "_item", "_judge", "future")

    def __init__(self, judge: str, evaluation: Evaluation, batcher: Batcher, item: Item) -> None:
        self._judge = judge
        self._evaluation = evaluation
        self._batcher = batcher
        self._item = item
        self.future = item.answer

    def drop(self) -> None:
        """Leave the queue, or the batch."""
        self._batcher.drop(self._item)
        self._evaluation.ledger(self._judge).attempts += self._item.calls

    def answer(self) -> Answer:
        """Return the answer, once it is there. Raises JudgeFailed."""
        ledger = self._evaluation.ledger(self._judge)
        ledger.attempts += self._item.calls
        try:
            reply = self.future.result()
        except JudgeFailed as failed:
            if failed.reason == DEPTH_EXCEEDED:
                raise _too_deep(self._evaluation) from None
            raise
        if reply.HasField("usage"):
            try:
                ledger.add(usage_from(reply.usage))
            except ValueError:
                raise unreadable("the reply's usage is below 0, too large or not finite") from None
        if too_many_parts(reply.gradient):
            raise unreadable(f"the reply holds more than {MAX_PARTS} signals, findings and so on")
        answer = answer_from(reply)
        if answer is None:
            raise unreadable(
                "the reply holds neither gradient nor abstention, or an unknown status"
            )
        return answer


def _encoded(evaluation: Evaluation) -> bytes:
    """Return the encoded EvaluateRequest without a judge, made once for all seats."""
    encoded = evaluation.memo.get(_BODY)
    if not isinstance(encoded, bytes):
        submission = message_of(evaluation).SerializeToString()
        hierarchy = hierarchy_to(evaluation.hierarchy).SerializeToString()
        encoded = evaluation.memo[_BODY] = request_body(submission, hierarchy)
    return encoded


def _too_deep(evaluation: Evaluation) -> JudgeFailed:
    path = " > ".join(evaluation.hierarchy.path)
    words = f"{DEPTH_EXCEEDED}: depth {MAX_DEPTH} is the last ({path})"
    return JudgeFailed(FailureKind.ERROR, words, about_submission=True)
