"""Cache: the same answer to the same submission for a while, and one call for many that ask at
once.
"""

import asyncio
import hashlib
from collections import OrderedDict

from msgspec.structs import replace

from consensus.domain.errors import JudgeFailed
from consensus.domain.evaluation import Evaluation
from consensus.domain.gradient import Abstention, Answer, FailureKind, GradientResult, unit
from consensus.domain.judges import CacheHabit
from consensus.domain.ports import Clock, WaitingJudge
from consensus.judges.wrappers.observer import HabitObserver
from consensus.judges.wrappers.wrapper import Wrapper
from consensus.v1.judge_pb2 import EvaluateResponse
from consensus.wire.gradient import answer_from, answer_to
from consensus.wire.submission import fresh_message_of

ENTRY_BYTES = 400
"""What an entry takes beside its answer."""
_DIGEST = "cache.digest"
_LEADERS_OWN = (FailureKind.TIMEOUT, FailureKind.SPEND_LIMIT)
"""Failures for want of the leader's own time or money: another may have more."""

_Key = tuple[bytes, int]


class _Flight:
    """A call under way that others wait for."""

    def __init__(self) -> None:
        self.landed = asyncio.Event()
        self.outcome: Answer | JudgeFailed | None = None
        """None: whoever still wants an answer asks again."""


class Cache(Wrapper):
    """Keeps answers of one judge as configured: a reload makes a new judge with an empty cache."""

    def __init__(
        self, judge: WaitingJudge, habit: CacheHabit, clock: Clock, observer: HabitObserver
    ) -> None:
        super().__init__(judge, clock, observer)
        self._answers = _Answers(habit)
        self._flights: dict[_Key, _Flight] = {}

    async def evaluate(self, evaluation: Evaluation, timeout_seconds: float) -> Answer:
        """Return the answer kept, or ask together with all who ask the same. Raises JudgeFailed."""
        key = _key(evaluation)
        ends = self._clock.monotonic() + timeout_seconds
        while True:
            now = self._clock.monotonic()
            kept = self._answers.find(key, now)
            if kept is not None:
                self._observer.cached(self.name, "hit")
                return _marked(kept, "hit")
            flight = self._flights.get(key)
            if flight is None:
                self._observer.cached(self.name, "miss")
                return await self._lead(key, evaluation, ends - now)
            outcome = await _follow(flight, ends - now)
            if outcome is not None:
                self._observer.cached(self.name, "shared")
                return _marked(outcome, "shared")

    async def _lead(self, key: _Key, evaluation: Evaluation, timeout_seconds: float) -> Answer:
        """Ask for oneself and for all who come meanwhile."""
        flight = self._flights[key] = _Flight()
        try:
            answer = await self.within.evaluate(evaluation, timeout_seconds)
        except JudgeFailed as failure:
            if failure.kind not in _LEADERS_OWN:
                flight.outcome = failure
            raise
        else:
            encoded = _encoded(answer)
            if encoded is not None:
                flight.outcome = answer
                self._answers.keep(key, encoded, self._clock.monotonic())
            return answer
        finally:
            del self._flights[key]
            flight.landed.set()


class _Answers:
    """Answers by key, encoded, the one used longest ago first."""

    def __init__(self, habit: CacheHabit) -> None:
        self._habit = habit
        self._kept: OrderedDict[_Key, tuple[float, bytes]] = OrderedDict()
        self._bytes = 0

    def find(self, key: _Key, now: float) -> Answer | None:
        entry = self._kept.get(key)
        if entry is None:
            return None
        expires, encoded = entry
        if now >= expires:
            self._drop(key)
            return None
        self._kept.move_to_end(key)
        return answer_from(EvaluateResponse.FromString(encoded))

    def keep(self, key: _Key, encoded: bytes, now: float) -> None:
        self._drop(key)
        self._kept[key] = now + self._habit.ttl_seconds, encoded
        self._bytes += len(encoded) + ENTRY_BYTES
        while self._bytes > self._habit.max_bytes:
            self._drop(next(iter(self._kept)))

    def _drop(self, key: _Key) -> None:
        entry = self._kept.pop(key, None)
        if entry is not None:
            self._bytes -= len(entry[1]) + ENTRY_BYTES


def _key(evaluation: Evaluation) -> _Key:
    """Return what tells one question from another; a nested panel's answer depends on its depth."""
    digest = evaluation.memo.get(_DIGEST)
    if not isinstance(digest, bytes):
        encoded = fresh_message_of(evaluation).SerializeToString(deterministic=True)
        digest = evaluation.memo[_DIGEST] = hashlib.sha256(encoded).digest()
    return digest, evaluation.hierarchy.depth


async def _follow(flight: _Flight, timeout_seconds: float) -> Answer | None:
    """Return the leader's answer; None where there is none to share. Raises JudgeFailed."""
    try:
        async with asyncio.timeout(timeout_seconds):
            await flight.landed.wait()
    except TimeoutError:
        words = "the same question was under way and got no answer in time"
        raise JudgeFailed(FailureKind.TIMEOUT, words) from None
    outcome = flight.outcome
    if isinstance(outcome, JudgeFailed):  # a new one: an exception raised twice grows
        raise JudgeFailed(outcome.kind, outcome.reason)
    return outcome


def _encoded(answer: object) -> bytes | None:
    """Return an answer as it is kept; None for one that the panel will refuse."""
    try:
        if isinstance(answer, Abstention) or (
            isinstance(answer, GradientResult) and _sound(answer)
        ):
            return answer_to(answer).SerializeToString()
    except (AttributeError, TypeError, ValueError):
        pass  # of a wrong type within
    return None


def _sound(gradient: GradientResult) -> bool:
    criteria = [finding.criterion_id for finding in gradient.findings]
    scores = (gradient.score, gradient.confidence, *(s.score for s in gradient.signals))
    return all(map(unit, scores)) and len(set(criteria)) == len(criteria)


def _marked(answer: Answer, mark: str) -> Answer:
    if isinstance(answer, Abstention):
        return answer
    # First, so that it is not what is cut off.
    metadata = {"cache": mark} | dict(answer.metadata) | {"cache": mark}
    return replace(answer, metadata=metadata)
