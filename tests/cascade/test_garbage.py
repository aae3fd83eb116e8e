"""A panel whose judges fail leaves nothing behind that only a look for garbage would free."""

import asyncio
import weakref
from typing import Literal

import anyio
import pytest

from consensus.domain.decision import SeatStatus
from consensus.domain.errors import JudgeFailed
from consensus.domain.evaluation import Evaluation
from consensus.domain.gradient import Answer, FailureKind
from consensus.domain.policy import Settle, StrategyName
from tests.builders import Waiting, decide, scores, seats_of, stage

pytestmark = pytest.mark.usefixtures("nobody_looks")


class Asked:
    """What a judge was asked, and its answer on its way."""

    def __init__(self, evaluation: Evaluation) -> None:
        self.evaluation = evaluation
        self.future: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()

    def answer(self) -> Answer:
        return self.future.result()

    def drop(self) -> None:
        raise AssertionError


class Failing(Waiting):
    """A judge that waits for its failure."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.told: list[weakref.ref[Asked]] = []

    def _asked(self, evaluation: Evaluation) -> Asked:
        asked = Asked(evaluation)
        self.told.append(weakref.ref(asked))
        return asked

    def _failed(self, evaluation: Evaluation) -> Asked:
        asked = self._asked(evaluation)
        asked.future.set_exception(JudgeFailed(FailureKind.ERROR, "no"))
        return asked

    async def evaluate(self, evaluation: Evaluation, timeout_seconds: float) -> Answer:
        asked = self._failed(evaluation)
        try:
            return await asked.future
        except JudgeFailed as failed:
            raise JudgeFailed(FailureKind.UNREADABLE, "no") from failed


class Prompt(Failing):
    """A judge that hands out what will be its failure."""

    waits: Literal[True] = True

    def begin(self, evaluation: Evaluation, timeout_seconds: float) -> Asked:
        return self._failed(evaluation)


class Hanging(Failing):
    """A judge that never answers."""

    async def evaluate(self, evaluation: Evaluation, timeout_seconds: float) -> Answer:
        asked = self._asked(evaluation)
        await anyio.sleep_forever()
        return asked.answer()


@pytest.mark.parametrize("judge", [Failing("a"), Prompt("a")], ids=["waits", "hands out"])
async def test_what_a_failed_seat_was_asked_is_let_go_of_at_once(judge: Failing) -> None:
    decision = await decide(stage("a"), judge)
    assert seats_of(decision)["a"].status is SeatStatus.FAILED
    assert [asked() for asked in judge.told] == [None]


async def test_what_a_judge_was_asked_that_is_needed_no_more_is_let_go_of_at_once() -> None:
    hanging = Hanging("hanging")
    quick = Waiting("a", 1, scores(1)), Waiting("b", 1, scores(1))
    majority = {"strategy": StrategyName.MAJORITY, "settle": Settle.EARLY}
    decision = await decide(stage("a", "b", "hanging", **majority), *quick, hanging)
    assert seats_of(decision)["hanging"].status is SeatStatus.SKIPPED
    assert [asked() for asked in hanging.told] == [None]


async def test_what_a_judge_was_asked_that_missed_the_budget_is_let_go_of_at_once() -> None:
    hanging = Hanging("hanging")
    decision = await decide(stage("hanging"), hanging, seconds=1)
    assert seats_of(decision)["hanging"].status is SeatStatus.FAILED
    assert [asked() for asked in hanging.told] == [None]
