"""The contract of every judge, with all habits around a remote judge of a real server."""

import asyncio

import pytest
from hypothesis import Phase, given, settings
from msgspec.structs import replace

from consensus.config.build import EMBEDDED as NAMES
from consensus.domain.gradient import Failure, FailureKind
from consensus.domain.judges import HedgeHabit
from consensus.domain.policy import Seat
from consensus.domain.submission import Submission
from tests.builders import criteria, decide, seats_of, stage, submission
from tests.judges.backend import hang, judge_at, serving
from tests.judges.contract import (
    abstains,
    answers_soundly,
    fails_as_judges_fail,
    stops_when_cancelled,
)
from tests.judges.remote.test_contract import by_name
from tests.judges.wrappers.scripted import Told
from tests.judges.wrappers.test_compose import NOT_KEPT, composed
from tests.wire.submissions import received


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    return "asyncio"


def calls_under_way() -> list[str]:
    """Return the tasks that habits made and that have not ended."""
    names = (getattr(task.get_coro(), "__qualname__", "") for task in asyncio.all_tasks())
    return [name for name in names if name.startswith("RemoteJudge.")]


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=10, phases=[Phase.explicit, Phase.generate])
@given(about=received)
async def test_any_submission_is_answered_soundly(name: str, about: Submission) -> None:
    async with (
        serving(by_name) as backend,
        judge_at(backend.target, remote_judge=name) as judge,
    ):
        await answers_soundly(composed(judge), about)


async def test_nothing_to_judge_is_an_abstention() -> None:
    async with (
        serving(by_name) as backend,
        judge_at(backend.target, remote_judge="checks") as judge,
    ):
        await abstains(composed(judge), submission(rubric=criteria("C1")))


async def test_a_failure_is_a_judges_failure() -> None:
    async with judge_at("127.0.0.1:1") as judge:
        failure = await fails_as_judges_fail(composed(judge), submission())
        assert failure.kind is FailureKind.ERROR


async def test_a_call_under_way_obeys_its_cancellation_as_does_the_backend() -> None:
    async with serving(hang) as backend, judge_at(backend.target) as judge:
        wrapped = composed(judge)
        await stops_when_cancelled(wrapped, submission(), backend.asked, backend.ended)
    assert calls_under_way() == []


async def test_a_seats_time_out_cancels_the_call_and_its_hedge_and_fails_as_a_time_out() -> None:
    """The panel's scope cancels at every await, and grpc.aio echoes what it is told."""
    async with (
        serving(by_name) as backend,
        judge_at(backend.target, remote_judge="conduct") as judge,
    ):
        told = Told()
        habits = replace(NOT_KEPT, hedge=HedgeHabit(quantile=0.55))  # deaf to a slow connection
        wrapped = composed(judge, habits, told)
        for _ in range(10):
            await decide(stage(judge.name), wrapped)
        backend.script = hang
        rules = stage(Seat(judge=judge.name, timeout_seconds=0.3))
        for attempts in (2, 1):  # the allowance is one
            seat = seats_of(await decide(rules, wrapped))[judge.name]
            assert isinstance(seat.answer, Failure)
            assert (seat.answer.kind, seat.attempts) == (FailureKind.TIMEOUT, attempts)
        task = asyncio.current_task()
        assert task is not None
        assert task.cancelling() == 0
        # By the panel, unless gRPC saw the same deadline first.
        assert told.of("hedged") in (["cancelled"], ["failed"])
    assert calls_under_way() == []
