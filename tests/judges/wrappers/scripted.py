"""A judge that follows a script call by call, and an observer that keeps what it is told."""

import asyncio
import random
from typing import Any, Literal

from msgspec.structs import replace

from consensus.domain.decision import Hierarchy
from consensus.domain.errors import JudgeFailed
from consensus.domain.evaluation import Evaluation
from consensus.domain.gradient import Answer, FailureKind, GradientResult, Usage
from consensus.domain.ports import WaitingJudge
from tests.builders import Script, scores, submission

GOOD = scores(0.9)


class Scripted:
    """Answers call after call by (seconds, script); the last one stays in force."""

    name = "judge"
    kind = "scripted"
    description = "Follows a script."
    waits: Literal[True] = True

    def __init__(self, *plays: tuple[float, Script], bills: bool = False) -> None:
        self.plays = plays or ((1.0, GOOD),)
        self.bills = bills
        """Whether it writes attempts and tokens itself, as judges that are models do."""
        self.asked_at: list[float] = []
        self.timeouts: list[float] = []
        self.cancelled = 0
        self.under_way = self.most_under_way = 0
        self.closed: list[float] = []

    @property
    def calls(self) -> int:
        return len(self.asked_at)

    def then(self, *plays: tuple[float, Script]) -> None:
        """Follow this from the next call on."""
        self.plays = (*((0.0, GOOD),) * self.calls, *plays)

    async def evaluate(self, evaluation: Evaluation, timeout_seconds: float) -> Answer:
        seconds, script = self.plays[min(self.calls, len(self.plays) - 1)]
        self.asked_at.append(now())
        self.timeouts.append(timeout_seconds)
        self.under_way += 1
        self.most_under_way = max(self.most_under_way, self.under_way)
        if self.bills:
            evaluation.ledger(self.name).attempts += 1
        try:
            await asyncio.sleep(seconds)
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        finally:
            self.under_way -= 1
            if self.bills:
                evaluation.ledger(self.name).add(Usage(input_tokens=7))
        if type(script) is JudgeFailed:  # a new one each time, as judges do
            raise JudgeFailed(
                script.kind,
                script.reason,
                passing=script.passing,
                retry_after_seconds=script.retry_after_seconds,
                about_submission=script.about_submission,
            )
        if isinstance(script, BaseException):
            raise script
        return script  # type: ignore[return-value] # some scripts lie

    async def close(self, grace_seconds: float) -> None:
        self.closed.append(grace_seconds)


class Told:
    """Keeps what habits tell, one tuple each."""

    def __init__(self) -> None:
        self.all: list[tuple[Any, ...]] = []

    def __getattr__(self, name: str) -> Any:
        return lambda judge, *values: self.all.append((name, *values))

    def of(self, name: str) -> list[Any]:
        """Return what one method was told, the judge left out."""
        found = [values for method, *values in self.all if method == name]
        return [values[0] if len(values) == 1 else tuple(values) for values in found]


def chance(seed: int) -> random.Random:
    """Return chance that can be had again."""
    return random.Random(seed)  # noqa: S311 - no secret


def now() -> float:
    return asyncio.get_running_loop().time()


def evaluation(candidate: str = "The tower opens at nine.", depth: int = 0) -> Evaluation:
    return Evaluation(submission(candidate), replace(Hierarchy(), depth=depth))


async def ask(
    judge: WaitingJudge, about: Evaluation | None = None, seconds: float = 10.0
) -> Answer:
    """Ask within so many seconds."""
    return await judge.evaluate(about or evaluation(), seconds)


async def outcome(
    judge: WaitingJudge, about: Evaluation | None = None, seconds: float = 10.0
) -> GradientResult | FailureKind:
    """Ask as a panel does, whose own time-out cancels; return the answer or the failure's kind."""
    try:
        async with asyncio.timeout(seconds):
            answer = await ask(judge, about, seconds)
    except TimeoutError:
        return FailureKind.TIMEOUT
    except JudgeFailed as failure:
        return failure.kind
    assert isinstance(answer, GradientResult)
    return answer


def passing(kind: FailureKind = FailureKind.ERROR, retry_after: float | None = None) -> JudgeFailed:
    """Return a failure that could be over in a moment."""
    return JudgeFailed(kind, "for now", passing=True, retry_after_seconds=retry_after)


def lasting(kind: FailureKind = FailureKind.ERROR) -> JudgeFailed:
    """Return a failure that would be the same again."""
    return JudgeFailed(kind, "for good")
